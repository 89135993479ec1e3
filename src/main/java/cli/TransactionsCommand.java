package cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code highwater transactions}: a group of verbs. */
@Command(
        name = "transactions",
        description = "List, describe or abort transactions; an open one holds back readers of committed records.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  highwater transactions list                    the open ones, oldest first",
            "  highwater transactions list --all",
            "  highwater transactions describe billing-1",
            "  highwater transactions abort billing-1         its producer is fenced",
            "  highwater transactions abort --partition orders:0 --start-offset 17"
        })
final class TransactionsCommand extends HelpOption {

    static CommandLine build(Terminal terminal) {
        return new CommandLine(new TransactionsCommand())
                .addSubcommand("list", new TransactionsListCommand(terminal))
                .addSubcommand("describe", new TransactionsDescribeCommand(terminal))
                .addSubcommand("abort", new TransactionsAbortCommand(terminal));
    }
}
