package cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code highwater cluster}: a group of verbs. */
@Command(
        name = "cluster",
        description = "Describe the nodes, find partitions in trouble, move replicas, drain a node.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  highwater cluster describe",
            "  highwater cluster partitions                     those in trouble",
            "  highwater cluster reassign --all-topics --to 1,2,3,4 --execute",
            "  highwater cluster drain 2 --execute --throttle 50MB",
            "  highwater cluster moves --wait"
        })
final class ClusterCommand extends HelpOption {

    static CommandLine build(Terminal terminal) {
        return new CommandLine(new ClusterCommand())
                .addSubcommand("describe", new ClusterDescribeCommand(terminal))
                .addSubcommand("partitions", new ClusterPartitionsCommand(terminal))
                .addSubcommand("reassign", new ClusterReassignCommand(terminal))
                .addSubcommand("drain", new ClusterDrainCommand(terminal))
                .addSubcommand("moves", new ClusterMovesCommand(terminal))
                .addSubcommand("elect", new ClusterElectCommand(terminal))
                .addSubcommand("unregister", new ClusterUnregisterCommand(terminal))
                .addSubcommand("demo", new ClusterDemoCommand(terminal));
    }
}
