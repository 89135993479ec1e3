package coordinator;

import common.InvariantViolation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the bugs of one shard from ending the process: they are logged, and whoever calls goes on without. Broken invariants do end it. */
final class ShardGuard {
    private static final Logger LOG = LoggerFactory.getLogger(ShardGuard.class);

    private final String name;

    /** @param name of the partition */
    ShardGuard(String name) {
        this.name = name;
    }

    /**
     * Runs {@code action}; false when it threw.
     *
     * @param what "the coordinator failed to {what}"
     */
    boolean run(String what, Runnable action) {
        try {
            action.run();
            return true;
        } catch (InvariantViolation e) {
            throw e;
        } catch (RuntimeException e) {
            failed(what, e);
            return false;
        }
    }

    void failed(String what, RuntimeException cause) {
        LOG.error("{}: the coordinator failed to {}. Please report this.", name, what, cause);
    }
}
