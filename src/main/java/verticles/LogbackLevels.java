package verticles;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.LoggerFactory;
import services.LogLevels;

/** The loggers of logback. Its root has another name than Kafka's, and it has no FATAL: that is ERROR here. Thread safe. */
final class LogbackLevels implements LogLevels {
    private final LoggerContext context;

    private LogbackLevels(LoggerContext context) {
        this.context = context;
    }

    /** Those of this process; none if another logging library is in use. */
    static LogLevels ofProcess() {
        return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                ? new LogbackLevels(context)
                : LogLevels.NONE;
    }

    @Override
    public List<LogLevels.Level> all() {
        List<LogLevels.Level> levels = new ArrayList<>();
        for (Logger logger : context.getLoggerList()) {
            String name = logger.getName().equals(Logger.ROOT_LOGGER_NAME) ? ROOT : logger.getName();
            levels.add(new LogLevels.Level(name, text(logger.getEffectiveLevel())));
        }
        levels.sort(Comparator.comparing(LogLevels.Level::logger));
        return levels;
    }

    private static String text(ch.qos.logback.classic.Level level) {
        return switch (level.levelInt) {
            case ch.qos.logback.classic.Level.ALL_INT -> "TRACE";
            case ch.qos.logback.classic.Level.OFF_INT -> "FATAL";
            default -> level.toString();
        };
    }

    @Override
    public boolean exists(String logger) {
        return logger.equals(ROOT) || context.exists(logger) != null;
    }

    @Override
    public void set(String logger, String level) {
        Logger found = context.getLogger(logger.equals(ROOT) ? Logger.ROOT_LOGGER_NAME : logger);
        String known = "FATAL".equals(level) ? "ERROR" : level;
        found.setLevel(known == null ? null : ch.qos.logback.classic.Level.toLevel(known));
    }
}
