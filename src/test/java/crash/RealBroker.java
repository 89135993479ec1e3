package crash;

import compat.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A broker of this build in a process of its own, on a data directory and a port that stay over its restarts. */
final class RealBroker implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 180;

    private final Path home;
    private final int port;
    private int starts;
    private Process process;

    /** @param settings more lines of its properties */
    RealBroker(Path home, String... settings) throws IOException {
        this.home = home;
        this.port = FreePort.choose();
        Files.writeString(
                home.resolve("broker.properties"),
                "log.dirs=" + data() + "\nlisteners=PLAINTEXT://127.0.0.1:" + port
                        + "\nlog.initial.task.delay.ms=500\nlog.flush.offset.checkpoint.interval.ms=500\n"
                        + String.join("\n", settings) + "\n");
    }

    Path data() {
        return home.resolve("data");
    }

    String bootstrap() {
        return "127.0.0.1:" + port;
    }

    /** What the last process has printed. */
    String output() {
        try {
            return Files.readString(outputFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path outputFile() {
        return home.resolve("output" + starts);
    }

    /**
     * Starts a process and returns when it says that it is ready.
     *
     * @param overrides settings of this process, {@code key=value}
     */
    void start(String... overrides) throws IOException, InterruptedException {
        List<String> more = new ArrayList<>();
        for (String each : overrides) {
            more.addAll(List.of("--override", each));
        }
        process = launch(more);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!output().contains("highwater ready:")) {
            if (System.nanoTime() > end || process.waitFor(20, TimeUnit.MILLISECONDS)) {
                throw new IOException("not ready: " + output());
            }
        }
    }

    /** Starts a second process on the same directory, but another port, beside the running one; its exit code. */
    int startSecond() throws IOException, InterruptedException {
        Process second = launch(List.of("--override", "listeners=PLAINTEXT://127.0.0.1:0"));
        if (!second.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            second.destroyForcibly();
            throw new IOException("the second process runs: " + output());
        }
        return second.exitValue();
    }

    private Process launch(List<String> more) throws IOException {
        starts++;
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "verticles.Main",
                "--config",
                home.resolve("broker.properties").toString()));
        command.addAll(more);
        Process started = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(outputFile().toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
        return started;
    }

    /** kill -9. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** SIGTERM; returns when it has ended. */
    void terminate() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("does not end: " + output());
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }
}
