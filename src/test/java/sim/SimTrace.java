package sim;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/**
 * What happened in a run, one JSON object a line: each event and note ({@code at} in virtual nanoseconds, {@code event} its number, {@code what},
 * {@code value}) and each message of a client ({@code who}, {@code what}, {@code text}). Two traces of one seed can be compared with diff.
 */
final class SimTrace implements AutoCloseable {
    private final Writer out;
    private final List<String> only;

    /**
     * @param file compressed if its name ends in .gz
     * @param only words one of which a line must contain; empty: all lines
     */
    SimTrace(Path file, List<String> only) {
        this.only = only;
        try {
            OutputStream bytes = Files.newOutputStream(file);
            OutputStream packed = file.toString().endsWith(".gz") ? new GZIPOutputStream(bytes) : bytes;
            out = new BufferedWriter(new OutputStreamWriter(packed, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void event(long atNanos, long event, String what, long value) {
        line("{\"at\":" + atNanos + ",\"event\":" + event + ",\"what\":" + quote(what) + ",\"value\":" + value + "}");
    }

    void message(long atNanos, long event, String who, String what, String text) {
        line("{\"at\":" + atNanos + ",\"event\":" + event + ",\"who\":" + quote(who) + ",\"what\":" + quote(what)
                + ",\"text\":" + quote(text) + "}");
    }

    private void line(String line) {
        if (!only.isEmpty() && only.stream().noneMatch(line::contains)) {
            return;
        }
        try {
            out.write(line);
            out.write('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a JSON string. */
    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
