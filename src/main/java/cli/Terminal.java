package cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Where a command reads and writes. {@code out} carries the answer and is buffered: commands flush it when they wait or
 * end. {@code err} carries what a person should know but a pipe should not.
 *
 * @param interactive whether a person types the input; the launcher tells, as Java 17 and 22 answer differently
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive) {

    private static final int OUT_BUFFER_BYTES = 64 * 1024;

    static Terminal system() {
        PrintStream out = new PrintStream(
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), OUT_BUFFER_BYTES),
                false,
                StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        return new Terminal(System.in, out, err, Boolean.getBoolean("highwater.interactive"));
    }

    /** Whether the reader of {@code out} has gone, as {@code head} does: time to end, without a complaint. */
    boolean readerGone() {
        return out.checkError();
    }
}
