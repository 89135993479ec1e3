package cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code highwater groups}: a group of verbs. */
@Command(
        name = "groups",
        description = "List, describe or delete consumer groups; see their lag, reset or delete their offsets.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  highwater groups list --state stable",
            "  highwater groups describe billing",
            "  highwater groups describe billing --members",
            "  highwater groups reset-offsets billing --topic orders --to earliest",
            "  highwater groups reset-offsets billing --topic orders:0,1 --to @-2h --execute",
            "  highwater groups delete-offsets billing --topic orders",
            "  highwater groups delete billing"
        })
final class GroupsCommand extends HelpOption {

    static CommandLine build(Terminal terminal) {
        return new CommandLine(new GroupsCommand())
                .addSubcommand("list", new GroupsListCommand(terminal))
                .addSubcommand("describe", new GroupsDescribeCommand(terminal))
                .addSubcommand("reset-offsets", new GroupsResetCommand(terminal))
                .addSubcommand("delete-offsets", new GroupsDeleteOffsetsCommand(terminal))
                .addSubcommand("delete", new GroupsDeleteCommand(terminal));
    }
}
