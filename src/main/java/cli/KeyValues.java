package cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code key=value} words of a command line. */
final class KeyValues {

    private KeyValues() {}

    /** The pairs in their order; a value may hold '=' and may be empty. Fails on a word without '='. */
    static Map<String, String> parse(List<String> words, String what) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals <= 0) {
                throw new CliFailure("'" + word + "' is not a " + what, "Write it as key=value.");
            }
            pairs.put(word.substring(0, equals).trim(), word.substring(equals + 1));
        }
        return pairs;
    }
}
