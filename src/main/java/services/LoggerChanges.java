package services;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/** Changes of log levels: all of a resource are checked first, then done. */
final class LoggerChanges {
    private static final List<String> LEVELS = List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL");
    /** Kafka's numbers of the operations (AlterConfigOp.OpType). */
    private static final byte SET = 0;

    private static final byte DELETE = 1;

    private final LogLevels levels;

    LoggerChanges(LogLevels levels) {
        this.levels = levels;
    }

    record Change(String logger, String level, byte operation) {}

    /** @param message null without an error */
    record Verdict(Errors error, String message) {
        static final Verdict FINE = new Verdict(Errors.NONE, null);
    }

    Verdict apply(List<Change> changes, boolean validateOnly) {
        for (Change change : changes) {
            Verdict verdict = check(change);
            if (verdict.error() != Errors.NONE) {
                return verdict;
            }
        }
        if (!validateOnly) {
            changes.forEach(change -> levels.set(change.logger(), change.operation() == SET ? change.level() : null));
        }
        return Verdict.FINE;
    }

    private Verdict check(Change change) {
        if (change.operation() != SET && change.operation() != DELETE) {
            return refused(Errors.INVALID_REQUEST, "a log level can be set or deleted, nothing else");
        }
        if (!levels.exists(change.logger())) {
            return refused(Errors.INVALID_CONFIG, "there is no logger " + change.logger());
        }
        if (change.operation() == SET && !LEVELS.contains(change.level())) {
            return refused(
                    Errors.INVALID_CONFIG,
                    "log level " + change.level() + " of logger " + change.logger() + " is none of " + LEVELS);
        }
        if (change.operation() == DELETE && change.logger().equals(LogLevels.ROOT)) {
            return refused(Errors.INVALID_REQUEST, "the root logger needs a level");
        }
        return Verdict.FINE;
    }

    private static Verdict refused(Errors error, String message) {
        return new Verdict(error, message);
    }
}
