package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.joran.spi.JoranException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void theSetUpInTheFileWritesOneLineForEachEvent() throws IOException, JoranException {
        checkFile(Files.readString(Path.of("conf/logback.xml")));
    }

    /** Whoever writes a file of their own need not know. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "%logger{24} %m%n%xEx",
                "%logger{24} %message%n%throwable",
                "%logger{24} %highlight(%msg)%n%ex{full}"
            })
    void otherFilesDoSoToo(String pattern) throws IOException, JoranException {
        String file = Files.readString(Path.of("conf/logback.xml"));
        int from = file.indexOf("<pattern>") + "<pattern>".length();
        checkFile(file.substring(0, from) + pattern + file.substring(file.indexOf("</pattern>")));
    }

    @Test
    void rootCausesFirstAreEscapedToo() {
        LogText.RootCauseFirst converter = new LogText.RootCauseFirst();
        converter.start();
        IllegalStateException thrown = new IllegalStateException("outer", new IllegalStateException(FORGED));
        String text = converter.convert(event("", thrown));
        assertTrue(text.contains("IllegalStateException: g\\n2026"), text);
    }

    private void checkFile(String content) throws JoranException {
        // Set, as with HIGHWATER_LOG_CONFIG, for all tests.
        assertNotNull(System.getProperty("logback.configurationFile"));
        ConsoleLogging logging = new ConsoleLogging();
        logging.setContext(context);
        assertEquals(Configurator.ExecutionStatus.INVOKE_NEXT_IF_ANY, logging.configure(context));
        for (int i = 0; i < 2; i++) {
            JoranConfigurator configurator = new JoranConfigurator();
            configurator.setContext(context);
            configurator.doConfigure(new ByteArrayInputStream(content.getBytes(StandardCharsets.UTF_8)));
            ConsoleAppender<ILoggingEvent> console = (ConsoleAppender<ILoggingEvent>)
                    context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("console");
            check(console.getEncoder());
            // As when logback finds that the file has changed.
            context.reset();
        }
    }

    private ILoggingEvent event(String format, Throwable thrown, Object... arguments) {
        return new LoggingEvent("test", context.getLogger("group.JoinPhase"), Level.INFO, format, thrown, arguments);
    }

    private void check(Encoder<ILoggingEvent> encoder) {
        Function<Throwable, List<String>> log = thrown -> new String(
                        encoder.encode(event("group {} rebalances", thrown, FORGED)), StandardCharsets.UTF_8)
                .lines()
                .toList();
        List<String> plain = log.apply(null);
        assertEquals(1, plain.size(), plain.toString());
        assertTrue(plain.get(0).contains("group.JoinPhase"), plain.toString());
        assertTrue(plain.get(0)
                .contains("group g\\n2026-12-01 00:00:00.000 ERROR node.NodeAssembly  all is lost rebalances"));

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
