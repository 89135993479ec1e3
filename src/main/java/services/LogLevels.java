package services;

import java.util.List;

/** The loggers of this process, as kafka-configs shows and changes them (entity type broker-loggers). Safe on any thread. */
public interface LogLevels {

    /** A process whose loggers are out of reach: none is shown, none can be changed. */
    LogLevels NONE = new LogLevels() {
        @Override
        public List<Level> all() {
            return List.of();
        }

        @Override
        public boolean exists(String logger) {
            return false;
        }

        @Override
        public void set(String logger, String level) {
            throw new IllegalArgumentException("no such logger");
        }
    };

    /** Name of the logger above all others. */
    String ROOT = "root";

    /** @param level in force: TRACE, DEBUG, INFO, WARN, ERROR or FATAL */
    record Level(String logger, String level) {}

    /** By name. */
    List<Level> all();

    boolean exists(String logger);

    /**
     * Only for a logger that exists.
     *
     * @param level as in {@link Level}, or null: that of the logger above it
     */
    void set(String logger, String level);
}
