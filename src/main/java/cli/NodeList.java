package cli;

import java.util.ArrayList;
import java.util.List;

/** Node ids on a command line, such as {@code 1,2,3}: each once, in the order given. */
final class NodeList {
    private NodeList() {}

    static List<Integer> parse(String text, String option) {
        List<Integer> ids = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            try {
                int id = Integer.parseInt(part.trim());
                if (id < 0 || ids.contains(id)) {
                    throw new NumberFormatException(part);
                }
                ids.add(id);
            } catch (NumberFormatException problem) {
                throw new CliFailure(
                        option + " " + text + " is no list of nodes", "Write ids of nodes, each once, such as 1,2,3.");
            }
        }
        return List.copyOf(ids);
    }
}
