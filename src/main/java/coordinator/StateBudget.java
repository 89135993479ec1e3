package coordinator;

import common.Clock;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the shards of a runtime may keep in memory together: clients name what is kept (ids, groups, members, offsets), so without a bound one of them could fill
 * the heap. Near the bound nothing new is taken, and what is there goes on. Replaying a log is never refused: what it holds was taken once. Confined to the owner.
 */
final class StateBudget {
    private static final Logger LOG = LoggerFactory.getLogger(StateBudget.class);
    /** What exists may grow beyond the bound by one part of so many. */
    private static final int RESERVE_PART = 4;

    private static final long TOLD_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String topic;
    private final Clock clock;
    private final RuntimeStats stats;
    private final long most;
    private long bytes;
    private boolean told;
    private long toldNanos;

    /** @param most bytes, > 0 */
    StateBudget(String topic, Clock clock, RuntimeStats stats, long most) {
        this.topic = topic;
        this.clock = clock;
        this.stats = stats;
        this.most = most;
    }

    void add(long change) {
        bytes += change;
        stats.keeps(bytes);
    }

    boolean takesNew() {
        return takes(bytes < most);
    }

    boolean takesGrowth(long growth) {
        return takes(growth <= 0 || bytes + growth <= most + most / RESERVE_PART);
    }

    private boolean takes(boolean room) {
        if (!room) {
            stats.refused();
            tell();
        }
        return room;
    }

    private void tell() {
        long now = clock.monotonicNanos();
        if (told && now - toldNanos < TOLD_EVERY_NANOS) {
            return;
        }
        told = true;
        toldNanos = now;
        LOG.warn(
                "{}: what it keeps here takes {} of {} bytes, a share of the heap: new ids and groups are refused (COORDINATOR_NOT_AVAILABLE), those that are there go"
                        + " on. Find out who makes so many, delete or expire what nobody uses, or give the broker more heap.",
                topic,
                bytes,
                most);
    }
}
