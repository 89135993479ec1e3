package sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The warnings and errors that one class of the broker logs, for a test that says what people are told; until it is closed. */
public final class LoggedLines implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    public LoggedLines(String className) {
        logger = (Logger) LoggerFactory.getLogger(className);
        lines.start();
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        logger.addAppender(lines);
    }

    public List<String> lines() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(null);
    }
}
