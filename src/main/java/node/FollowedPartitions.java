package node;

import common.Callback;
import common.PartitionId;
import java.util.List;
import replication.FollowerReplica.Fetched;
import replication.FollowerReplica.Wish;
import storage.PartitionLog;

/**
 * The partitions of one shard that follow leaders on other nodes, for the fetchers that serve them. Confined to the shard; implemented by the partition table.
 */
interface FollowedPartitions {

    /** One, at the assembly; told of everything that comes after. */
    void listen(Listener listener);

    /** Those that follow {@code leader} now, in the order in which they began to. */
    List<Followed> of(int leader);

    /** Called on the shard, never from within a call of {@link Followed}. */
    interface Listener {

        /** It follows {@code followed.leader()} in {@code followed.leaderEpoch()} from now on; ask for it as soon as may be. */
        void began(Followed followed);

        /**
         * It does not any more: another leader or epoch ({@link #began} comes with a new object), led here, deleted, its log directory offline, or the shard
         * stops. Answers that are still under way do nothing; buffers given to {@code take} stay used until its callback, which still comes.
         */
        void ended(Followed followed);
    }

    /** A partition that follows one leader in one leader epoch. */
    interface Followed {
        PartitionId id();

        /** Node id, never this node. */
        int leader();

        /** The current leader epoch that goes into the fetch. */
        int leaderEpoch();

        /** For settings and the name; not to be written to. */
        PartitionLog log();

        /** Whether this node is in the committed ISR: one that is not may be throttled. */
        boolean inSync();

        /**
         * From where to fetch next; null while nothing may be asked: a flush, an append or a cut is under way (its callback comes), or it has ended. What must
         * be durable before it is promised (rule I7) is: see {@link #mustFlush}.
         */
        Wish wish();

        /** True as long as {@link #wish} would promise what is not durable yet: {@link #flush} first. */
        boolean mustFlush();

        void flush(Callback<Void> done);

        /**
         * Takes the answer to {@code wish} (records, divergence, high watermark, log start). {@code answer.records()} is used until {@code done}. An answer that is
         * out of date does nothing and succeeds. Failures: CORRUPT_BATCH (count, fetch again), DISK_FULL and other retriable ones of the log (ask again after a
         * back-off), INTERNAL (the leader's answer makes no sense; ask again after a back-off). Nothing need be done when the directory is offline: ended comes.
         */
        void take(Wish wish, Fetched answer, Callback<Void> done);

        /**
         * The leader has answered {@code wish} with OFFSET_OUT_OF_RANGE, and its log starts at {@code leaderLogStart}: gives up what the log has and goes on there.
         * Failures as {@link #take}; nothing when {@code wish} is out of date.
         */
        void restartAt(Wish wish, long leaderLogStart, Callback<Void> done);
    }
}
