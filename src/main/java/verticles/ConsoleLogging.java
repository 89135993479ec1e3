package verticles;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.List;

/**
 * The logging set-up when no logback.configurationFile is given, and what makes patterns safe when there is one: one readable line per event on standard output, INFO and above; libraries from WARN. In
 * code, because reading it from XML costs a fifth of the broker's whole start-up CPU. Found by logback through META-INF/services.
 */
public final class ConsoleLogging extends ContextAwareBase implements Configurator {
    private static final String FILE_PROPERTY = "logback.configurationFile";
    private static final List<String> QUIET = List.of("io.netty", "io.vertx", "io.micrometer", "org.apache.kafka");

    /** It warns of each reconnection and each member that it does not find: what a node makes of it, its own log says. */
    private static final String HINTS = "com.hazelcast";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty(FILE_PROPERTY) != null) {
            SafePatterns.install(context);
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setEncoder(encoder(context));
        console.start();
        for (String library : QUIET) {
            context.getLogger(library).setLevel(Level.WARN);
        }
        context.getLogger(HINTS).setLevel(Level.ERROR);
        ch.qos.logback.classic.Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(console);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    static Encoder<ILoggingEvent> encoder(LoggerContext context) {
        PatternLayout layout = new PatternLayout();
        layout.setContext(context);
        layout.getInstanceConverterMap().put("msg", LogText.Message::new);
        layout.getInstanceConverterMap().put("ex", LogText.StackTrace::new);
        layout.setPattern("%d{yyyy-MM-dd HH:mm:ss.SSS} %-5level %-24logger{24} %msg%n%ex");
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        return encoder;
    }
}
