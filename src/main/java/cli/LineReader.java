package cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Lines of bytes, without their line end and without decoding: what goes in comes out again. */
final class LineReader {

    private static final int BUFFER_BYTES = 64 * 1024;

    private final InputStream in;
    private final int maxLineBytes;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int at;
    private int end;

    LineReader(InputStream in, int maxLineBytes) {
        this.in = in;
        this.maxLineBytes = maxLineBytes;
    }

    /** The next line; null at the end of the input. A last line needs no line end. */
    byte[] next() throws IOException {
        ByteArrayOutputStream line = null;
        while (true) {
            if (at == end && !fill()) {
                return line == null ? null : line.toByteArray();
            }
            if (line == null) {
                line = new ByteArrayOutputStream(128);
            }
            int from = at;
            while (at < end && buffer[at] != '\n') {
                at++;
            }
            line.write(buffer, from, at - from);
            if (line.size() > maxLineBytes) {
                throw new CliFailure("a line is longer than " + maxLineBytes + " bytes", "Split it.");
            }
            if (at < end) {
                at++;
                return line.toByteArray();
            }
        }
    }

    private boolean fill() throws IOException {
        at = 0;
        end = Math.max(0, in.read(buffer));
        return end > 0;
    }
}
