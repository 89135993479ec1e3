package cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code highwater config}: a group of verbs. */
@Command(
        name = "config",
        description = "Describe, set or delete settings of topics and brokers.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  highwater config describe --topic orders --all",
            "  highwater config set --topic orders retention.ms=3600000",
            "  highwater config delete --topic orders retention.ms",
            "  highwater config describe --broker 1",
            "  highwater config set --broker default log.retention.ms=86400000   (for every broker)"
        })
final class ConfigCommand extends HelpOption {

    static CommandLine build(Terminal terminal) {
        return new CommandLine(new ConfigCommand())
                .addSubcommand("describe", new ConfigDescribeCommand(terminal))
                .addSubcommand("set", new ConfigSetCommand(terminal))
                .addSubcommand("delete", new ConfigDeleteCommand(terminal));
    }
}
