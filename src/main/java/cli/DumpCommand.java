package cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code highwater dump}: reads only, so it may also run beside a broker; the end of the log is then a moving target. */
@Command(
        name = "dump",
        description = {
            "Verify the files of partitions without a broker: batches and their checksums, records, indexes, producer",
            "snapshots, leader epochs. Exit code 0: all is well, 1: there are problems. Nothing is changed."
        },
        footer = {
            "",
            "Examples:",
            "  highwater dump data/orders-0              one partition",
            "  highwater dump data                       all partitions of a log directory",
            "  highwater dump --batches data/orders-0    with a line for each batch"
        })
final class DumpCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(arity = "1..*", paramLabel = "DIRECTORY", description = "Partitions, or directories that hold some.")
    private List<Path> roots = new ArrayList<>();

    @Option(names = "--batches", description = "Print a line for each batch.")
    private boolean batches;

    @Option(names = "--shallow", description = "Check batches as a whole, not the records in them.")
    private boolean shallow;

    DumpCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        int partitions = 0;
        int problems = 0;
        for (Path root : roots) {
            List<Path> found = partitionsIn(root);
            if (found.isEmpty()) {
                throw new CliFailure(
                        "no partition in " + root + ": neither it nor a directory in it has a .log file",
                        "Give a directory such as LOGDIR/orders-0, or LOGDIR itself (the broker's log.dirs).");
            }
            for (Path directory : found) {
                PartitionDump dump = new PartitionDump(directory, !shallow, batches ? terminal.out() : null);
                dump.run();
                dump.print(terminal.out());
                partitions++;
                problems += dump.problems();
            }
        }
        terminal.out()
                .printf("%d partition(s), %s%n", partitions, problems == 0 ? "no problem" : problems + " problem(s)");
        terminal.out().flush();
        return problems == 0 ? HighwaterCli.OK : HighwaterCli.FAILED;
    }

    private static List<Path> partitionsIn(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            throw new CliFailure(root + " is no directory", "Give a partition's directory or a broker's log.dirs.");
        }
        if (hasLog(root)) {
            return List.of(root);
        }
        List<Path> found = new ArrayList<>();
        try (Stream<Path> children = Files.list(root)) {
            for (Path child : children.filter(Files::isDirectory).sorted().toList()) {
                if (hasLog(child)) {
                    found.add(child);
                }
            }
        }
        return found;
    }

    private static boolean hasLog(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.anyMatch(file -> file.toString().endsWith(".log"));
        }
    }
}
