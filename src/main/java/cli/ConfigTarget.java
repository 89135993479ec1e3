package cli;

import org.apache.kafka.common.config.ConfigResource;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Whose settings: a topic's, a broker's, or every broker's. */
final class ConfigTarget {

    @ArgGroup(multiplicity = "1")
    private Choice choice;

    private static final class Choice {
        @Option(
                names = {"-t", "--topic"},
                paramLabel = "TOPIC",
                description = "The topic.")
        private String topic;

        @Option(names = "--broker", paramLabel = "ID|default", description = "The broker; 'default' means all brokers.")
        private String broker;
    }

    ConfigResource resource() {
        if (choice.topic != null) {
            return new ConfigResource(ConfigResource.Type.TOPIC, choice.topic);
        }
        String broker = choice.broker;
        if (!broker.equals("default") && !broker.matches("[0-9]{1,9}")) {
            throw new CliFailure("'" + broker + "' is no broker id", "Give a number, or 'default' for all brokers.");
        }
        return new ConfigResource(ConfigResource.Type.BROKER, broker.equals("default") ? "" : broker);
    }
}
