package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import controller.ControllerMachine;
import java.io.IOException;
import java.nio.ByteBuffer;
import storage.DiskExecutor;
import storage.FileRange;
import storage.PartitionLog;
import storage.ReadBound;

/**
 * Brings a controller machine to the end of the metadata log: the newest snapshot, then what the log holds behind it. Gives the end offset of that snapshot, 0
 * for none. On the controller's owner.
 */
final class MetadataLoader {
    private static final int READ_BYTES = 1 << 20;

    private final PartitionLog log;
    private final DiskExecutor disk;
    private final ControllerMachine machine;
    private final Callback<Long> done;
    private long snapshotEnd;

    MetadataLoader(PartitionLog log, DiskExecutor disk, ControllerMachine machine, Callback<Long> done) {
        this.log = log;
        this.disk = disk;
        this.machine = machine;
        this.done = done;
    }

    void run() {
        disk.run(
                DiskExecutor.Lane.BLOCKING,
                SnapshotFiles.newest(LogDirectories.METADATA_DIRECTORY),
                (snapshot, failure) -> {
                    if (failure != null) {
                        done.fail(failure);
                    } else if (snapshot != null && snapshot.endOffset() > log.logEndOffset()) {
                        done.fail(
                                FailureCode.INTERNAL,
                                "the metadata log ends at offset " + log.logEndOffset() + ", before its snapshot at "
                                        + snapshot.endOffset()
                                        + ": records are missing, restore the log directory from a copy");
                    } else if (snapshot != null && snapshot.endOffset() >= log.logStartOffset()) {
                        snapshotEnd = snapshot.endOffset();
                        machine.load(snapshot.records(), snapshot.endOffset());
                        replayFrom(snapshot.endOffset());
                    } else if (log.logStartOffset() > 0) {
                        done.fail(
                                FailureCode.INTERNAL,
                                "the metadata log starts at offset " + log.logStartOffset()
                                        + " and no snapshot reaches it: restore the log directory from a copy, or start this node with an empty one");
                    } else {
                        replayFrom(0);
                    }
                });
    }

    private void replayFrom(long offset) {
        if (offset >= log.logEndOffset()) {
            machine.skipTo(log.logEndOffset());
            done.succeed(snapshotEnd);
            return;
        }
        log.read(offset, READ_BYTES, true, ReadBound.LOG_END, (result, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            FileRange range = result.range();
            disk.run(DiskExecutor.Lane.BLOCKING, files -> MetadataBatch.decode(bytes(range)), (decoded, unread) -> {
                range.release();
                replay(offset, decoded, unread);
            });
        });
    }

    private static ByteBuffer bytes(FileRange range) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(range.length());
        while (bytes.hasRemaining()) {
            if (range.file().read(bytes, range.position() + bytes.position()) < 0) {
                throw new IOException("the metadata log ended while it was read");
            }
        }
        return bytes.flip();
    }

    private void replay(long from, MetadataBatch.Decoded decoded, Failure unread) {
        Failure failure = unread != null ? unread : decoded.failure();
        if (failure != null) {
            done.fail(failure);
            return;
        }
        long next = from;
        for (MetadataBatch batch : decoded.batches()) {
            if (batch.baseOffset() >= from) {
                machine.replay(batch.records(), batch.baseOffset());
                machine.skipTo(batch.nextOffset());
            }
            next = batch.nextOffset();
        }
        if (next <= from) {
            done.fail(FailureCode.INTERNAL, "the metadata log has no whole batch at offset " + from);
            return;
        }
        replayFrom(next);
    }
}
