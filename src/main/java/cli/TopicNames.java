package cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Topics named on the command line, plainly or with {@code --topic} as Kafka's tools have it. */
final class TopicNames {

    @Parameters(arity = "0..*", paramLabel = "TOPIC", description = "Names of topics.")
    private List<String> plain = new ArrayList<>();

    @Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC",
            description = "The same, as an option.")
    private List<String> options = new ArrayList<>();

    /** All names, each once, in the order given. */
    List<String> all() {
        LinkedHashSet<String> names = new LinkedHashSet<>(plain);
        names.addAll(options);
        return List.copyOf(names);
    }

    List<String> atLeastOne(String command) {
        List<String> names = all();
        if (names.isEmpty()) {
            throw new CliFailure("no topic given", "Name it: highwater " + command + " TOPIC.");
        }
        return names;
    }

    /** The one topic of a command that works on one. */
    String one(String command) {
        List<String> names = atLeastOne(command);
        if (names.size() > 1) {
            throw new CliFailure(command + " takes one topic, not " + names.size(), "");
        }
        return names.get(0);
    }
}
