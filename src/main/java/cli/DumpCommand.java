package cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code highwater dump}. */
@Command(name = "dump", description = "Verify the files of a partition, without a broker.")
final class DumpCommand extends HelpOption implements Callable<Integer> {

    DumpCommand(Terminal terminal) {}

    @Override
    public Integer call() {
        throw new CliFailure("not there yet", "");
    }
}
