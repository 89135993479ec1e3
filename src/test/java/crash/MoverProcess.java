package crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A {@link MoverMain} in a process of its own, which comes back under the same transactional id. */
final class MoverProcess implements AutoCloseable {
    private final Path home;
    private final String name;
    private final List<String> arguments;
    private int starts;
    private Process process;

    /** @param arguments of MoverMain, but for the seed */
    MoverProcess(Path home, String name, List<String> arguments) {
        this.home = home;
        this.name = name;
        this.arguments = arguments;
    }

    void start() throws IOException {
        starts++;
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                MoverMain.class.getName());
        builder.command().addAll(arguments);
        builder.command().add(Integer.toString(starts));
        process = builder.redirectErrorStream(true)
                .redirectOutput(outputFile().toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    private Path outputFile() {
        return home.resolve(name + "-" + starts);
    }

    /** The end of what the last process has printed. */
    String output() {
        try {
            String all = Files.readString(outputFile());
            return all.substring(Math.max(0, all.length() - 4_000));
        } catch (IOException e) {
            return e.toString();
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** kill -9. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }
}
