package compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A child JVM on this test's class path, with a directory of its own that goes with it. */
final class BrokerProcess implements AutoCloseable {
    private static final long READY_MILLIS = 180_000;

    private final Path directory;
    private final List<String> jvmOptions;
    private Process process;

    BrokerProcess(String name, List<String> jvmOptions) throws IOException {
        this.directory = Files.createTempDirectory("compat-" + name);
        this.jvmOptions = jvmOptions;
    }

    Path directory() {
        return directory;
    }

    Path output() {
        return directory.resolve("output");
    }

    /** Starts a main class and returns when {@code ready}. */
    void start(List<String> command, BooleanSupplier ready) throws IOException {
        launch(command);
        awaitReady(ready);
    }

    /** After {@link #launch}; when it ends instead, or takes too long, what it said is in the exception. */
    void awaitReady(BooleanSupplier ready) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_MILLIS);
        while (!ready.getAsBoolean()) {
            if (System.nanoTime() > end || !process.isAlive()) {
                String text = Files.readString(output());
                close();
                throw new IOException("not ready: " + text);
            }
            Await.briefly();
        }
    }

    /** SIGKILL, and waits until it is gone. */
    void kill() throws IOException {
        process.destroyForcibly();
        waitFor();
    }

    /** Starts a main class. What an earlier life of the process said is gone. */
    void launch(List<String> command) throws IOException {
        List<String> full = new ArrayList<>();
        full.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        full.addAll(jvmOptions);
        full.addAll(List.of("-cp", System.getProperty("java.class.path")));
        full.addAll(command);
        process = new ProcessBuilder(full)
                .redirectErrorStream(true)
                .redirectOutput(output().toFile())
                .start();
        // A test run that is broken off must not leave brokers behind.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    private void waitFor() throws IOException {
        try {
            if (!process.waitFor(READY_MILLIS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new IOException("does not end: " + Files.readString(output()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            kill();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
