package cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One broker process of the demo; what it prints goes to a file. */
final class DemoNode {
    private static final String READY = "highwater ready";
    private static final int TOLD_LINES = 8;

    private final int id;
    private final List<String> command;
    private final Path output;
    private Process process;

    DemoNode(int id, List<String> command, Path output) {
        this.id = id;
        this.command = List.copyOf(command);
        this.output = output;
    }

    int id() {
        return id;
    }

    long pid() {
        return process.pid();
    }

    Path output() {
        return output;
    }

    boolean alive() {
        return process != null && process.isAlive();
    }

    /** Begins it; what an earlier life printed is gone. */
    void start() {
        try {
            Files.deleteIfExists(output);
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
        } catch (IOException problem) {
            throw new CliFailure("cannot start node " + id + ": " + problem.getMessage(), "");
        }
    }

    /** Whether it serves; fails when it has ended. */
    boolean ready() {
        List<String> lines = lines();
        if (lines.stream().anyMatch(line -> line.startsWith(READY))) {
            return true;
        }
        if (!alive()) {
            throw new CliFailure(
                    "node " + id + " ended before it was ready:\n  "
                            + String.join("\n  ", lines.subList(Math.max(0, lines.size() - TOLD_LINES), lines.size())),
                    "All that it printed is in " + output + ".");
        }
        return false;
    }

    private List<String> lines() {
        try {
            return new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    void terminate() {
        if (process != null) {
            process.destroy();
        }
    }

    /** After {@link #terminate}: until it has ended; one that takes longer than {@code seconds} is killed. */
    void awaitEnd(long seconds) throws InterruptedException {
        if (process != null && !process.waitFor(seconds, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
