package node;

import common.PartitionId;
import common.Timers;
import node.FollowedPartitions.Followed;
import replication.FollowerReplica.Wish;

/** A partition of this shard as the fetcher from its leader sees it. Confined to the shard. */
final class FetchedPartition {
    private final Followed followed;
    /** What the leader's session has of it; null: nothing. */
    private Wish asked;
    /** Number of the request that said so. */
    private int askedIn;
    /** It waits in the session's queue to be looked at. */
    private boolean queued;

    private boolean gone;
    private Timers.Handle pause;
    private int failures;
    private int damaged;

    FetchedPartition(Followed followed) {
        this.followed = followed;
    }

    Followed followed() {
        return followed;
    }

    PartitionId id() {
        return followed.id();
    }

    /** From where it is to be fetched; null while it is not to be. */
    Wish wish() {
        return gone || pause != null || followed.mustFlush() ? null : followed.wish();
    }

    Wish asked() {
        return asked;
    }

    /** True if an answer to request {@code number} is one to {@link #asked}. */
    boolean isAskedIn(int number) {
        return asked != null && askedIn - number <= 0;
    }

    void ask(Wish wish, int number) {
        asked = wish;
        askedIn = number;
    }

    void forgotten() {
        asked = null;
    }

    boolean queued() {
        return queued;
    }

    void queued(boolean now) {
        queued = now;
    }

    /** It is not this fetcher's any more. */
    void leave() {
        gone = true;
        resume();
    }

    boolean gone() {
        return gone;
    }

    /** Not to be asked for until {@link #resume}. */
    void pause(Timers.Handle end) {
        pause = end;
    }

    void resume() {
        if (pause != null) {
            pause.cancel();
            pause = null;
        }
    }

    /** What the leader answered was taken. */
    void succeeded() {
        failures = 0;
        damaged = 0;
    }

    /** Counts a failure; how many there were in a row. */
    int failed() {
        return ++failures;
    }

    /** Counts damaged records; how often they came in a row. */
    int damaged() {
        return ++damaged;
    }
}
