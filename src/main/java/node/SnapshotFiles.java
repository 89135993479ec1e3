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
import records.BatchHeader;
import records.ControlBatches;
import storage.AtomicFile;
import storage.DiskJob;
import storage.FileSystem;

/**
 * Snapshots of the metadata (rule R12), beside the log they cut short: {@code <end offset>-<epoch>.checkpoint}, named as Kafka's. A file is a snapshot-header
 * batch, batches of records, a snapshot-footer batch; each batch has its checksum, so a file is whole or it is passed over.
 */
final class SnapshotFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotFiles.class);
    private static final Pattern NAME = Pattern.compile("(\\d{20})-(\\d{10})\\.checkpoint");
    private static final int RECORDS_PER_BATCH = 1_000;
    private static final int MAX_BYTES = 1 << 30;
    private static final int KEPT = 2;
    private static final int OFFSET_DIGITS = 20;

    private SnapshotFiles() {}

    /** The metadata as of {@code endOffset}, whose last record has {@code epoch}. */
    record Snapshot(long endOffset, int epoch, List<MetadataRecord> records) {}

    /** Encoded on the owner, so that the job gets bytes only. */
    private static ByteBuffer encode(MetadataImage image, int epoch, long wallMillis) {
        List<ByteBuffer> parts = new ArrayList<>();
        parts.add(ControlBatches.snapshotHeader(0, epoch, wallMillis));
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

    /** A snapshot by its end offset and its age on the wall clock. */
    record Older(long endOffset, long ageMillis) {}

    /**
     * Writes a snapshot durably and removes those older than the one before it.
     *
     * @return the older of the two that stay: the log may lose what is below it; null when there is but one
     */
    static DiskJob<Older> write(String directory, MetadataImage image, int epoch, long wallMillis) {
        return files -> {
            String name = String.format("%020d-%010d.checkpoint", image.version(), epoch);
            AtomicFile.replace(files, directory + "/" + name, encode(image, epoch, wallMillis));
            List<String> names = names(files, directory);
            int surplus = Math.max(0, names.size() - KEPT);
            for (String each : names.subList(0, surplus)) {
                files.delete(directory + "/" + each);
            }
            LOG.info("metadata snapshot {} is written", name);
            if (names.size() < KEPT) {
                return null;
            }
            String older = names.get(names.size() - KEPT);
            long age = wallMillis - files.lastModifiedMillis(directory + "/" + older);
            return new Older(Long.parseLong(older.substring(0, OFFSET_DIGITS)), age);
        };
    }

    /** The newest snapshot that can be read; null when there is none. */
    static DiskJob<Snapshot> newest(String directory) {
        return files -> {
            if (!files.exists(directory)) {
                return null;
            }
            List<String> names = names(files, directory);
            Collections.reverse(names);
            for (String name : names) {
                Matcher matcher = NAME.matcher(name);
                if (matcher.matches()) {
                    Snapshot snapshot = read(files, directory + "/" + name, matcher);
                    if (snapshot != null) {
                        return snapshot;
                    }
                }
            }
            return null;
        };
    }

    private static List<String> names(FileSystem files, String directory) throws IOException {
        List<String> names = new ArrayList<>();
        for (String name : files.list(directory)) {
            if (NAME.matcher(name).matches()) {
                names.add(name);
            }
        }
        return names;
    }

    private static Snapshot read(FileSystem files, String path, Matcher name) throws IOException {
        ByteBuffer content = AtomicFile.read(files, path, MAX_BYTES);
        Failure why = content == null ? Failure.of(FailureCode.INTERNAL, "it is missing or too large") : null;
        if (content != null) {
            MetadataBatch.Decoded decoded = MetadataBatch.decode(content);
            List<MetadataBatch> batches = decoded.batches();
            if (decoded.failure() != null) {
                why = decoded.failure();
            } else if (!whole(batches)) {
                why = Failure.of(FailureCode.CORRUPT_BATCH, "it has no header or no footer");
            } else {
                List<MetadataRecord> records = new ArrayList<>();
                batches.forEach(each -> records.addAll(each.records()));
                return new Snapshot(Long.parseLong(name.group(1)), Integer.parseInt(name.group(2)), records);
            }
        }
        LOG.error("metadata snapshot {} cannot be used and is passed over: {}", path, why.message());
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
}
