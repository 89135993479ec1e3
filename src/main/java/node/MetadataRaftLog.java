package node;

import common.Check;
import common.Clock;
import java.util.TreeMap;
import raft.OffsetAndEpoch;
import raft.RaftLog;
import storage.EpochEnd;
import storage.PartitionLog;

/** The metadata log as consensus sees it. Confined to the controller's owner. */
final class MetadataRaftLog implements RaftLog {
    private final PartitionLog log;
    private final LogWork work;
    private final long cutAt;
    /** Epochs of the snapshots that the log may begin with, by their ends. */
    private final TreeMap<Long, Integer> epochsAt = new TreeMap<>();

    private OffsetAndEpoch snapshot;

    /**
     * @param snapshot the newest one; null for none
     * @param cutAt as if the log ended there: what is behind is to be cut before anything else (rule R15); Long.MAX_VALUE: nothing is
     */
    MetadataRaftLog(PartitionLog log, LogWork work, OffsetAndEpoch snapshot, long cutAt) {
        this.log = log;
        this.work = work;
        this.cutAt = cutAt;
        if (snapshot != null) {
            snapshotTaken(snapshot);
        }
    }

    /** The time that the machine is given. */
    static long now(Clock clock) {
        return clock.monotonicNanos() / 1_000_000;
    }

    /** It is durable, and the newest. */
    void snapshotTaken(OffsetAndEpoch taken) {
        snapshot = taken;
        mayBeginAt(taken);
    }

    /** The log may begin at the end of this snapshot. */
    void mayBeginAt(OffsetAndEpoch older) {
        epochsAt.put(older.offset(), older.epoch());
        epochsAt.headMap(log.logStartOffset(), false).clear();
    }

    @Override
    public OffsetAndEpoch end() {
        long end = Math.min(log.logEndOffset(), cutAt);
        return end == log.logStartOffset() ? start() : new OffsetAndEpoch(end, log.epochFor(end - 1));
    }

    @Override
    public long durableEnd() {
        return Math.min(log.durableEndOffset(), cutAt);
    }

    @Override
    public OffsetAndEpoch start() {
        long start = log.logStartOffset();
        if (start == 0) {
            return OffsetAndEpoch.START;
        }
        Integer epoch = epochsAt.get(start);
        Check.invariant(epoch != null, "the metadata log does not begin at a snapshot (R12)", start, start);
        return new OffsetAndEpoch(start, epoch);
    }

    @Override
    public OffsetAndEpoch endOfEpoch(int epoch) {
        EpochEnd found = log.endOfEpoch(Math.min(epoch, log.latestEpoch()));
        // Below all epochs that it knows the log gives back what was asked for.
        boolean known = found.epoch() >= 0 && found.epoch() >= log.epochFor(log.logStartOffset());
        return known && found.endOffset() > log.logStartOffset()
                ? new OffsetAndEpoch(found.endOffset(), found.epoch())
                : start();
    }

    @Override
    public OffsetAndEpoch snapshot() {
        return snapshot;
    }

    @Override
    public boolean writing() {
        return work.hasOwnRecords();
    }
}
