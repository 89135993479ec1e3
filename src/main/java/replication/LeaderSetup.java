package replication;

import common.Clock;
import common.Mutations;
import common.Timers;

/**
 * What all partitions of a shard share that this node leads among others.
 *
 * @param self id of this node
 * @param lagNanos replica.lag.time.max.ms
 */
public record LeaderSetup(
        int self, Brokers brokers, IsrChanges changes, Clock clock, Timers timers, long lagNanos, Mutations mutations) {

    /** The brokers of the metadata that this node has applied. */
    @FunctionalInterface
    public interface Brokers {
        /** The broker epoch of {@code id} if it may be in an ISR; -1 when it is fenced, shutting down or unknown. */
        long eligibleEpoch(int id);

        /** Null when it has none. */
        default String rack(int id) {
            return null;
        }
    }
}
