package compat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.common.utils.internals.Exit;

/** One of Kafka's own command-line tools, run inside this process against a broker, and what a person sees of it. */
final class ToolRun {
    private static final Pattern RANDOM_UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern KAFKA_UUID =
            Pattern.compile("(?<![A-Za-z0-9_-])(?!\\w+Exception)[A-Za-z0-9_-]{22}(?![A-Za-z0-9_-])");

    /** Empty lines, log lines and stack traces. */
    private static final Pattern NOISE =
            Pattern.compile("$|\\d\\d:\\d\\d:\\d\\d\\.\\d+ \\[|at |\\.\\.\\. \\d+ more|Caused by|"
                    + Pattern.quote(Ended.class.getName()));

    /** A broker's error: its kind counts, not its words. */
    private static final Pattern ERROR_WORDS = Pattern.compile("(org\\.apache\\.kafka\\.common\\.errors\\.\\w+).*");

    interface Main {
        void run(String[] arguments) throws Exception;
    }

    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private ToolRun() {}

    /**
     * Both streams and the exit code, without what differs from run to run: ids made at random are ID, the broker's port is PORT, runs of blanks are one, and
     * the lines are sorted, for tools print rows in any order.
     */
    static synchronized String of(TestBroker broker, Main tool, String... arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream printer = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        PrintStream out = System.out;
        PrintStream err = System.err;
        List<Integer> codes = new ArrayList<>();
        Exit.Procedure ends = (status, message) -> {
            codes.add(status);
            if (message != null) {
                printer.println(message);
            }
            throw new Ended();
        };
        try {
            System.setOut(printer);
            System.setErr(printer);
            Exit.setExitProcedure(ends);
            Exit.setHaltProcedure(ends);
            tool.run(arguments);
        } catch (Ended ended) {
            // The first code counts: some tools take what ends them for a failure of theirs and end once more.
        } catch (Exception problem) {
            printer.println("throws " + problem);
        } finally {
            System.setOut(out);
            System.setErr(err);
            Exit.resetExitProcedure();
            Exit.resetHaltProcedure();
        }
        return "exit " + (codes.isEmpty() ? 0 : codes.get(0)) + "\n"
                + readable(bytes.toString(StandardCharsets.UTF_8), broker.port());
    }

    private static String readable(String text, int port) {
        String steady = RANDOM_UUID.matcher(text).replaceAll("ID");
        steady = KAFKA_UUID.matcher(steady).replaceAll("ID");
        steady = ERROR_WORDS.matcher(steady).replaceAll("$1");
        steady = steady.replace(":" + port, ":PORT");
        return String.join(
                "\n",
                Arrays.stream(steady.split("\n"))
                        .map(line -> line.trim().replaceAll("\\s+", " "))
                        .filter(line -> !NOISE.matcher(line).lookingAt())
                        .sorted()
                        .toList());
    }
}
