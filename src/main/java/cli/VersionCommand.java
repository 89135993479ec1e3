package cli;

import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.internals.AppInfoParser;
import picocli.CommandLine.Command;

/** {@code highwater version}. */
@Command(name = "version", description = "Print the versions of Highwater, of the Kafka protocol and of Java.")
final class VersionCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    VersionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        String version = HighwaterCli.class.getPackage().getImplementationVersion();
        terminal.out()
                .printf(
                        "highwater %s (Kafka protocol %s, Java %s)%n",
                        version == null ? "development" : version, AppInfoParser.getVersion(), Runtime.version());
        return HighwaterCli.OK;
    }
}
