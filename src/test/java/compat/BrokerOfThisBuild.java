package compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The broker under test as its users run it: a process of its own, found by its ready line. */
final class BrokerOfThisBuild implements TestBroker {
    private static final Pattern READY = Pattern.compile("highwater ready: kafka=127\\.0\\.0\\.1:(\\d+)");

    /** As quick to start as can be. */
    static final List<String> OPTIONS =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED");

    private final BrokerProcess process;
    private final int port;

    private BrokerOfThisBuild(BrokerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    static BrokerOfThisBuild start(List<String> moreProperties) throws IOException {
        BrokerProcess process = new BrokerProcess("highwater", OPTIONS);
        int controller = FreePort.choose();
        List<String> lines = new ArrayList<>(List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:" + controller,
                "controller.listener.names=CONTROLLER",
                "controller.quorum.voters=1@127.0.0.1:" + controller,
                "log.dirs=" + process.directory().resolve("data")));
        lines.addAll(moreProperties);
        Path properties = Files.write(process.directory().resolve("server.properties"), lines);
        process.start(
                List.of("verticles.Main", "--config", properties.toString()), () -> readyPort(process.output()) > 0);
        return new BrokerOfThisBuild(process, readyPort(process.output()));
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public Path data() {
        return process.directory().resolve("data");
    }

    /** 0: it does not serve yet. */
    static int readyPort(Path output) {
        try {
            Matcher ready = READY.matcher(Files.readString(output));
            return ready.find() ? Integer.parseInt(ready.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
