package verticles;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens when an owner meets an exception that nobody expected: the process stops at once. Going on with a machine in an unknown state could lose or
 * spoil data; recovery after a crash cannot. Thread safe.
 */
interface FatalErrors {

    /** Does not return normally in production. */
    void report(Throwable error);

    /** Logs and halts the process, without shutdown hooks: they would use the broken machine. */
    static FatalErrors haltProcess() {
        return error -> {
            try {
                Logger log = LoggerFactory.getLogger(FatalErrors.class);
                log.error(
                        "broken invariant or unexpected error in the broker; stopping at once rather than going on with wrong state. "
                                + "A restart recovers from the logs. Please report this.",
                        error);
            } finally {
                Runtime.getRuntime().halt(70);
            }
        };
    }
}
