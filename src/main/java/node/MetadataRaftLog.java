package node;

import common.Clock;
import raft.OffsetAndEpoch;
import raft.RaftLog;
import storage.EpochEnd;
import storage.PartitionLog;

/** The metadata log as consensus sees it, while the quorum is this node alone. Confined to the controller's owner. */
final class MetadataRaftLog implements RaftLog {
    private final PartitionLog log;
    private final long snapshotEnd;

    /** @param snapshotEnd of the newest snapshot, 0 for none */
    MetadataRaftLog(PartitionLog log, long snapshotEnd) {
        this.log = log;
        this.snapshotEnd = snapshotEnd;
    }

    /** The time that the machine is given. */
    static long now(Clock clock) {
        return clock.monotonicNanos() / 1_000_000;
    }

    @Override
    public OffsetAndEpoch end() {
        return new OffsetAndEpoch(log.logEndOffset(), Math.max(0, log.latestEpoch()));
    }

    @Override
    public long durableEnd() {
        return log.durableEndOffset();
    }

    /** Epochs below the log's start are not kept: that of the first record stands for the one before it, which only another replica would ask for. */
    @Override
    public OffsetAndEpoch start() {
        long start = log.logStartOffset();
        return start == 0 ? OffsetAndEpoch.START : new OffsetAndEpoch(start, Math.max(0, log.epochFor(start)));
    }

    @Override
    public OffsetAndEpoch endOfEpoch(int epoch) {
        EpochEnd found = log.endOfEpoch(epoch);
        return found.epoch() < 0 ? start() : new OffsetAndEpoch(found.endOffset(), found.epoch());
    }

    @Override
    public OffsetAndEpoch snapshot() {
        return snapshotEnd == 0 ? null : new OffsetAndEpoch(snapshotEnd, Math.max(0, log.epochFor(snapshotEnd - 1)));
    }

    /** The leader is the only writer, and this node leads until it ends. */
    @Override
    public boolean writing() {
        return false;
    }
}
