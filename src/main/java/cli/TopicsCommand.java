package cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code highwater topics}: a group of verbs. */
@Command(
        name = "topics",
        description = "Create, list, describe, alter or delete topics.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  highwater topics create orders --partitions 6 --config retention.ms=86400000",
            "  highwater topics list",
            "  highwater topics describe orders",
            "  highwater topics alter orders --partitions 12",
            "  highwater topics delete orders"
        })
final class TopicsCommand extends HelpOption {

    static CommandLine build(Terminal terminal) {
        return new CommandLine(new TopicsCommand())
                .addSubcommand("create", new TopicsCreateCommand(terminal))
                .addSubcommand("list", new TopicsListCommand(terminal))
                .addSubcommand("describe", new TopicsDescribeCommand(terminal))
                .addSubcommand("alter", new TopicsAlterCommand(terminal))
                .addSubcommand("delete", new TopicsDeleteCommand(terminal));
    }
}
