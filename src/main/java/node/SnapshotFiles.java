package node;

import common.Failure;
import common.FailureCode;
import highwater.metadata.MetadataRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import metadata.ImageRecords;
import metadata.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import raft.OffsetAndEpoch;
import raft.VoterSet;
import raft.VotersAt;
import records.BatchHeader;
import records.ControlBatches;
import storage.AtomicFile;
import storage.DiskJob;
import storage.FileHandle;
import storage.FileSystem;

/**
 * Snapshots of the metadata (rule R12), beside the log they cut short: {@code <end offset>-<epoch>.checkpoint}, named as Kafka's. A file is a snapshot-header
 * batch, one with the voters if they stand in the log, batches of records, a snapshot-footer batch; each batch has its checksum, so a file is whole or it is
 * passed over. One that is fetched is a {@link #PART} until all of it is there, then {@link #INSTALLING} until the log begins at its end: a start that finds it so goes
 * on with that.
 */
final class SnapshotFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotFiles.class);
    private static final String SUFFIX = ".checkpoint";
    private static final String PART = SUFFIX + ".part";
    private static final String INSTALLING = SUFFIX + ".installing";
    private static final Pattern NAME = Pattern.compile("(\\d{20})-(\\d{10})\\.checkpoint");
    private static final Pattern UNFINISHED = Pattern.compile("(\\d{20})-(\\d{10})\\.checkpoint\\.installing");
    private static final int RECORDS_PER_BATCH = 1_000;
    private static final int MAX_BYTES = 1 << 30;
    private static final int PIECE_BYTES = 1 << 20;
    private static final int KEPT = 2;

    private final String directory;

    /** @param directory of the metadata log */
    SnapshotFiles(String directory) {
        this.directory = directory;
    }

    /**
     * The metadata as of its end.
     *
     * @param voters null: it says nothing of them
     */
    record Snapshot(OffsetAndEpoch id, List<MetadataRecord> records, VoterSet voters) {

        MetadataImage image(String clusterId) {
            return ImageRecords.read(records, id.offset(), clusterId);
        }

        /** As raft counts them: in force before its end. */
        VotersAt votersAt() {
            return voters == null ? null : new VotersAt(id.offset() - 1, voters);
        }
    }

    /** What a snapshot is made of. */
    record Content(MetadataImage image, int epoch, VoterSet voters) {
        OffsetAndEpoch id() {
            return new OffsetAndEpoch(image.version(), epoch);
        }

        private ByteBuffer encode(long wallMillis) {
            List<ByteBuffer> parts = new ArrayList<>();
            parts.add(ControlBatches.snapshotHeader(0, epoch, wallMillis));
            if (voters != null) {
                parts.add(VoterRecords.batch(voters, epoch, wallMillis));
            }
            List<MetadataRecord> batch = new ArrayList<>();
            ImageRecords.write(image, record -> {
                batch.add(record);
                if (batch.size() == RECORDS_PER_BATCH) {
                    parts.add(MetadataBatch.encode(batch, epoch, wallMillis));
                    batch.clear();
                }
            });
            if (!batch.isEmpty()) {
                parts.add(MetadataBatch.encode(batch, epoch, wallMillis));
            }
            parts.add(ControlBatches.snapshotFooter(0, epoch, wallMillis));
            int size = 0;
            long offset = 0;
            for (ByteBuffer part : parts) {
                BatchHeader.assign(part, part.position(), offset, epoch);
                offset = BatchHeader.nextOffset(part, part.position());
                size = Math.addExact(size, part.remaining());
            }
            ByteBuffer all = ByteBuffer.allocate(size);
            parts.forEach(all::put);
            return all.flip();
        }
    }

    private String path(OffsetAndEpoch id, String suffix) {
        return directory + "/" + String.format("%020d-%010d", id.offset(), id.epoch()) + suffix;
    }

    private static OffsetAndEpoch id(Matcher name) {
        return new OffsetAndEpoch(Long.parseLong(name.group(1)), Integer.parseInt(name.group(2)));
    }

    /** A snapshot by its end and its age on the wall clock. */
    record Older(OffsetAndEpoch id, long ageMillis) {}

    /**
     * Writes a snapshot durably and removes those older than the one before it, but for that which the log begins at.
     *
     * @return the older of the two that stay: the log may lose what is below it; null when there is but one
     */
    DiskJob<Older> write(Content content, long logStart, long wallMillis) {
        return files -> {
            OffsetAndEpoch id = content.id();
            AtomicFile.replace(files, path(id, SUFFIX), content.encode(wallMillis));
            List<OffsetAndEpoch> all = list(files, NAME);
            for (OffsetAndEpoch each : all.subList(0, Math.max(0, all.size() - KEPT))) {
                if (each.offset() != logStart) {
                    files.delete(path(each, SUFFIX));
                }
            }
            LOG.info("metadata snapshot {} is written", id);
            if (all.size() < KEPT) {
                return null;
            }
            OffsetAndEpoch older = all.get(all.size() - KEPT);
            return new Older(older, wallMillis - files.lastModifiedMillis(path(older, SUFFIX)));
        };
    }

    /** Removes the snapshots that end below the log's start: they have no log to go on with. */
    DiskJob<Void> deleteBelow(long logStart) {
        return files -> {
            for (OffsetAndEpoch each : list(files, NAME)) {
                if (each.offset() < logStart) {
                    files.delete(path(each, SUFFIX));
                }
            }
            return null;
        };
    }

    private List<OffsetAndEpoch> list(FileSystem files, Pattern pattern) throws IOException {
        List<OffsetAndEpoch> ids = new ArrayList<>();
        if (files.exists(directory)) {
            for (String name : files.list(directory)) {
                Matcher matcher = pattern.matcher(name);
                if (matcher.matches()) {
                    ids.add(id(matcher));
                }
            }
        }
        return ids;
    }

    /**
     * What a start finds.
     *
     * @param newest that can be read; null when there is none
     * @param all ids, rising, readable or not
     * @param unfinished that was being installed; null: none
     */
    record Found(Snapshot newest, List<OffsetAndEpoch> all, Snapshot unfinished) {}

    DiskJob<Found> find() {
        return files -> {
            List<OffsetAndEpoch> all = list(files, NAME);
            Snapshot newest = newest(files, all, SUFFIX);
            return new Found(newest, all, newest(files, list(files, UNFINISHED), INSTALLING));
        };
    }

    private Snapshot newest(FileSystem files, List<OffsetAndEpoch> ids, String suffix) throws IOException {
        List<OffsetAndEpoch> falling = new ArrayList<>(ids);
        Collections.reverse(falling);
        for (OffsetAndEpoch each : falling) {
            Snapshot snapshot = read(files, each, suffix);
            if (snapshot != null) {
                return snapshot;
            }
        }
        return null;
    }

    /** Null: it is not whole. */
    private Snapshot read(FileSystem files, OffsetAndEpoch id, String suffix) throws IOException {
        ByteBuffer content = AtomicFile.read(files, path(id, suffix), MAX_BYTES);
        Failure why = content == null ? Failure.of(FailureCode.INTERNAL, "it is missing or too large") : null;
        if (content != null) {
            MetadataBatch.Decoded decoded = MetadataBatch.decode(content);
            List<MetadataBatch> batches = decoded.batches();
            VoterRecords.Found voters = VoterRecords.in(batches);
            if (decoded.failure() != null) {
                why = decoded.failure();
            } else if (!whole(batches)) {
                why = Failure.of(FailureCode.CORRUPT_BATCH, "it has no header or no footer");
            } else if (voters.failure() != null) {
                why = voters.failure();
            } else {
                List<MetadataRecord> records = new ArrayList<>();
                batches.forEach(each -> records.addAll(each.records()));
                VoterSet last = voters.voters().isEmpty()
                        ? null
                        : voters.voters().get(voters.voters().size() - 1).voters();
                return new Snapshot(id, records, last);
            }
        }
        LOG.error("metadata snapshot {} cannot be used and is passed over: {}", path(id, suffix), why.message());
        return null;
    }

    private static boolean whole(List<MetadataBatch> batches) {
        if (batches.size() < 2) {
            return false;
        }
        MetadataBatch first = batches.get(0);
        MetadataBatch last = batches.get(batches.size() - 1);
        return first.controls().stream().anyMatch(ControlBatches::isSnapshotHeader)
                && last.controls().stream().anyMatch(ControlBatches::isSnapshotFooter);
    }

    /**
     * Part of a snapshot's bytes.
     *
     * @param size of all of it
     */
    record Piece(long size, ByteBuffer bytes) {}

    /** Some of the snapshot from {@code position} on; null: there is no such snapshot. */
    DiskJob<Piece> piece(OffsetAndEpoch id, long position) {
        return files -> {
            if (!files.exists(path(id, SUFFIX))) {
                return null;
            }
            FileHandle file = files.open(path(id, SUFFIX), FileSystem.Mode.READ);
            try {
                long size = file.size();
                int length = (int) Math.max(0, Math.min(PIECE_BYTES, size - position));
                ByteBuffer bytes = ByteBuffer.allocate(length);
                while (bytes.hasRemaining()) {
                    if (file.read(bytes, position + bytes.position()) < 0) {
                        throw new IOException("snapshot " + path(id, SUFFIX) + " ended while it was read");
                    }
                }
                return new Piece(size, bytes.flip());
            } finally {
                file.release();
            }
        };
    }

    /** Takes a piece that was fetched; the first one begins anew. Gives the position behind it. */
    DiskJob<Long> writePart(OffsetAndEpoch id, long position, ByteBuffer bytes) {
        return files -> {
            if (position == 0) {
                for (String name : files.list(directory)) {
                    if (name.endsWith(PART)) {
                        files.delete(directory + "/" + name);
                    }
                }
            }
            FileHandle file = files.open(path(id, PART), FileSystem.Mode.CREATE);
            try {
                file.truncate(position);
                file.write(new ByteBuffer[] {bytes.duplicate()}, 1, position);
            } finally {
                file.release();
            }
            return position + bytes.remaining();
        };
    }

    /** All of the snapshot is there: reads it, and makes it durable as one that is being installed; null, and the part is gone, when it is not whole. */
    DiskJob<Snapshot> complete(OffsetAndEpoch id) {
        return files -> {
            Snapshot snapshot = read(files, id, PART);
            if (snapshot == null) {
                files.delete(path(id, PART));
                return null;
            }
            FileHandle file = files.open(path(id, PART), FileSystem.Mode.READ_WRITE);
            try {
                file.sync();
            } finally {
                file.release();
            }
            files.rename(path(id, PART), path(id, INSTALLING));
            files.syncDirectory(directory);
            return snapshot;
        };
    }

    /** The log begins at the end of the snapshot that was being installed: it is the only one now. */
    DiskJob<Void> installed(OffsetAndEpoch id) {
        return files -> {
            files.rename(path(id, INSTALLING), path(id, SUFFIX));
            files.syncDirectory(directory);
            for (OffsetAndEpoch each : list(files, NAME)) {
                if (!each.equals(id)) {
                    files.delete(path(each, SUFFIX));
                }
            }
            return null;
        };
    }
}
