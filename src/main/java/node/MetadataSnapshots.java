package node;

import common.Failure;
import common.FailureCode;
import common.Ports;
import config.ControllerConfig;
import java.util.function.LongFunction;
import metadata.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import raft.OffsetAndEpoch;
import raft.VotersAt;
import storage.DiskExecutor;
import storage.DiskExecutor.Lane;
import storage.LogContext;
import storage.PartitionLog;

/**
 * Takes snapshots of what is committed, on every node by itself, and lets the log lose what two of them stand for (rule R12). Confined to the controller's owner.
 */
final class MetadataSnapshots {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataSnapshots.class);

    private final Place place;
    private final CommittedMetadata committed;
    private final LongFunction<VotersAt> votersBefore;
    private long atBytes;
    private long atNanos;
    private boolean taking;
    private boolean closed;

    /** Where they are taken of what. */
    record Place(
            Ports ports,
            LogContext context,
            DiskExecutor disk,
            ControllerConfig config,
            PartitionLog log,
            SnapshotFiles files,
            MetadataRaftLog raftLog) {}

    /** @param votersBefore what a snapshot that ends there must say of the voters; null: nothing */
    MetadataSnapshots(Place place, CommittedMetadata committed, LongFunction<VotersAt> votersBefore) {
        this.place = place;
        this.committed = committed;
        this.votersBefore = votersBefore;
        this.atNanos = place.ports.clock().monotonicNanos();
    }

    void close() {
        closed = true;
    }

    /** Takes one if it is time. */
    void maybeTake() {
        MetadataImage image = committed.image();
        OffsetAndEpoch newest = place.raftLog.snapshot();
        boolean old = newest != null && image.version() <= newest.offset();
        if (taking || closed || old || !isDue()) {
            return;
        }
        taking = true;
        long bytes = committed.bytes();
        VotersAt voters = votersBefore.apply(image.version());
        SnapshotFiles.Content content = new SnapshotFiles.Content(
                image, place.log.epochFor(image.version() - 1), voters == null ? null : voters.voters());
        long wallMillis = place.ports.clock().wallMillis();
        place.disk.run(
                Lane.BLOCKING, place.files.write(content, place.log.logStartOffset(), wallMillis), (older, failure) -> {
                    taking = false;
                    atNanos = place.ports.clock().monotonicNanos();
                    if (failure != null) {
                        notTaken(failure);
                        return;
                    }
                    atBytes = bytes;
                    OffsetAndEpoch before = place.raftLog.snapshot();
                    if (before == null || before.offset() < content.id().offset()) {
                        place.raftLog.snapshotTaken(content.id());
                    }
                    if (!closed && older != null) {
                        shorten(older);
                    }
                });
    }

    private boolean isDue() {
        ControllerConfig config = place.config;
        long newBytes = committed.bytes() - atBytes;
        long age = (place.ports.clock().monotonicNanos() - atNanos) / 1_000_000;
        return newBytes >= config.snapshotBytes()
                || (config.snapshotMillis() > 0 && age >= config.snapshotMillis() && newBytes > 0)
                || (newBytes > 0 && place.ports.chance().rarely("controller.snapshot"));
    }

    private void notTaken(Failure failure) {
        if (failure.code() == FailureCode.SYNC_FAILED) {
            place.context.goOffline(failure);
        }
        LOG.warn("no metadata snapshot could be written, the log is kept: {}", failure.message());
    }

    /** The log may lose what two durable snapshots stand for; it does when it is larger or older than its retention allows. */
    private void shorten(SnapshotFiles.Older older) {
        ControllerConfig config = place.config;
        PartitionLog log = place.log;
        boolean tooLarge = config.retentionBytes() >= 0 && log.sizeBytes() > config.retentionBytes();
        boolean tooOld = config.retentionMillis() >= 0 && older.ageMillis() > config.retentionMillis();
        if (older.id().offset() <= log.logStartOffset() || !(tooLarge || tooOld)) {
            return;
        }
        place.raftLog.mayBeginAt(older.id());
        log.deleteBefore(older.id().offset(), (start, failure) -> {
            if (failure == null) {
                place.disk.run(Lane.BLOCKING, place.files.deleteBelow(start), (deleted, left) -> {});
            } else {
                LOG.warn(
                        "the metadata log could not be shortened to offset {}: {}",
                        older.id().offset(),
                        failure.message());
            }
        });
    }
}
