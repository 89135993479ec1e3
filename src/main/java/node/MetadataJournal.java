package node;

import common.Callback;
import common.Check;
import common.Clock;
import common.Failure;
import common.FailureCode;
import controller.ControllerMachine;
import highwater.metadata.MetadataRecord;
import java.nio.ByteBuffer;
import java.util.List;
import metadata.MetadataImage;
import raft.RaftNode;
import records.BatchHeader;
import storage.PartitionLog;

/**
 * Turns decisions into committed records: each is one batch, so all or nothing of it is committed; batches that arrive while one is written share the next
 * write and sync. When a batch cannot be written the machine goes back to what is committed, and so do all decisions that were built on it (rule R10). On the
 * controller's owner.
 */
final class MetadataJournal {
    private final PartitionLog log;
    private final ControllerMachine machine;
    private final RaftNode raft;
    private final Clock clock;
    private final int maxBatchBytes;
    private MetadataImage committed;
    private long nextOffset;
    private int pending;
    private boolean reverting;

    MetadataJournal(PartitionLog log, ControllerMachine machine, RaftNode raft, Clock clock, int maxBatchBytes) {
        this.log = log;
        this.machine = machine;
        this.raft = raft;
        this.clock = clock;
        this.maxBatchBytes = maxBatchBytes;
        this.committed = machine.latest();
        this.nextOffset = log.logEndOffset();
    }

    MetadataImage committed() {
        return committed;
    }

    /** Decisions on their way. */
    int pending() {
        return pending;
    }

    /** Null when a decision may be taken now. */
    Failure notNow() {
        if (!raft.leads()) {
            return Failure.of(FailureCode.NOT_LEADER, "this node is not the active controller");
        }
        return reverting ? Failure.of(FailureCode.OVERLOADED, "the controller is going back to its last committed state; try again") : null;
    }

    /** Appends the leader's first batch (rule R6). */
    void leaderChange(ByteBuffer batch, Callback<MetadataImage> done) {
        raft.leaderChangeAppended(nextOffset);
        machine.skipTo(nextOffset + 1);
        append(batch, 1, done);
    }

    /** Replays {@code records} (not empty) at once and calls back with the image that holds them when they are committed. */
    void append(List<MetadataRecord> records, Callback<MetadataImage> done) {
        ByteBuffer batch = MetadataBatch.encode(records, raft.epoch(), clock.wallMillis());
        if (batch.remaining() > maxBatchBytes) {
            done.fail(
                    FailureCode.RECORD_LIST_TOO_LARGE,
                    "the change needs " + batch.remaining() + " bytes of metadata, more than the " + maxBatchBytes
                            + " that one change may have: split it");
            return;
        }
        machine.replay(records, nextOffset);
        append(batch, records.size(), done);
    }

    private void append(ByteBuffer batch, int count, Callback<MetadataImage> done) {
        long expected = nextOffset;
        nextOffset += count;
        pending++;
        MetadataImage image = machine.latest();
        Check.invariant(BatchHeader.recordCount(batch, batch.position()) == count, "a batch holds its records");
        log.append(batch, raft.epoch(), (appended, failure) -> {
            pending--;
            if (failure != null) {
                revert();
                done.fail(failure);
                return;
            }
            Check.invariant(appended.baseOffset() == expected, "metadata offset", appended.baseOffset(), expected);
            log.advanceHighWatermark(raft.persisted(log.durableEndOffset()).committed());
            committed = image;
            if (reverting) {
                revert();
            }
            done.succeed(image);
        });
    }

    /** Batches before the failed one may still be on their way: only when the last has answered is it known what is committed. */
    private void revert() {
        reverting = pending > 0;
        machine.revertTo(committed);
        nextOffset = log.logEndOffset();
    }
}
