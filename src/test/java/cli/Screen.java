package cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** A terminal in memory: what a command reads and what it printed. */
public final class Screen {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** Runs one command with {@code input} on its standard input; the exit code. */
    public int run(String input, String... args) {
        out.reset();
        err.reset();
        PrintStream printer = new PrintStream(out, false, StandardCharsets.UTF_8);
        PrintStream complainer = new PrintStream(err, true, StandardCharsets.UTF_8);
        ByteArrayInputStream in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        int code = HighwaterCli.run(new Terminal(in, printer, complainer, false), args);
        printer.flush();
        return code;
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
