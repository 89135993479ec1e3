package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.joran.spi.JoranException;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Clients choose the names that the log shows, and must not be able to write lines of it. */
class LogTextTest {
    private static final String FORGED = "g\n2026-12-01 00:00:00.000 ERROR node.NodeAssembly  all is lost";

    private final LoggerContext context = new LoggerContext();

    @Test
    void whatBreaksALineOrCommandsATerminalIsEscaped() {
        assertEquals("a\\nb\\r\\tc", LogText.escaped("a\nb\r\tc"));
        assertEquals("\\u001b[31mred\\u0000\\u007f\\u009b", LogText.escaped("\u001b[31mred\0\u007f\u009b"));
        assertEquals("\\u2028 \\u2029 \\u0085 \\u202e", LogText.escaped("\u2028 \u2029 \u0085 \u202e"));
        assertEquals("\\ud83d!", LogText.escaped("\ud83d!"), "half a character");
        assertEquals("\\ude00", LogText.escaped("\ude00"));
    }

    @Test
    void allElseStaysAsItIs() {
        String plain = "Group \u00fc\u00df\u4e2d \ud83d\ude00 C:\\data {}~";
        assertSame(plain, LogText.escaped(plain));
        assertEquals("", LogText.escaped(""));
    }

    @Test
    void theSetUpInCodeWritesOneLineForEachEvent() {
        check(ConsoleLogging.encoder(context));
    }

    @Test
    void theSetUpInTheFileWritesOneLineForEachEvent() throws JoranException {
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(new File("conf/logback.xml"));
        ConsoleAppender<ILoggingEvent> console = (ConsoleAppender<ILoggingEvent>)
                context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("console");
        check(console.getEncoder());
    }

    private void check(Encoder<ILoggingEvent> encoder) {
        Function<Throwable, List<String>> log = thrown -> new String(
                        encoder.encode(new LoggingEvent(
                                "test",
                                context.getLogger("group.JoinPhase"),
                                Level.INFO,
                                "group {} rebalances",
                                thrown,
                                new Object[] {FORGED})),
                        StandardCharsets.UTF_8)
                .lines()
                .toList();
        List<String> plain = log.apply(null);
        assertEquals(1, plain.size(), plain.toString());
        assertTrue(plain.get(0).contains("group.JoinPhase"), plain.toString());
        assertTrue(plain.get(0)
                .endsWith("group g\\n2026-12-01 00:00:00.000 ERROR node.NodeAssembly  all is lost rebalances"));

        IllegalStateException cause = new IllegalStateException(FORGED);
        IllegalStateException thrown = new IllegalStateException("about " + FORGED, cause);
        thrown.addSuppressed(new IllegalStateException(FORGED));
        List<String> lines = log.apply(thrown);
        assertEquals(1, count(lines, "IllegalStateException: about g\\n2026"), lines.toString());
        assertEquals(1, count(lines, "Suppressed: java.lang.IllegalStateException: g\\n2026"), lines.toString());
        assertEquals(1, count(lines, "Caused by: java.lang.IllegalStateException: g\\n2026"), lines.toString());
        assertTrue(count(lines, "\tat ") > 3, "the frames have lines of their own");
        assertEquals(
                0,
                lines.stream()
                        .filter(each -> each.startsWith("2026-12-01 00:00:00.000 ERROR"))
                        .count());
    }

    private static long count(List<String> lines, String part) {
        return lines.stream().filter(each -> each.contains(part)).count();
    }
}
