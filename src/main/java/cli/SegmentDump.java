package cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;

/** Checks one segment: its batches, and its indexes against them. */
final class SegmentDump {

    private final Path log;
    private final long baseOffset;
    private final boolean newest;
    private final Findings findings;
    private final BufferSupplier buffers = BufferSupplier.create();
    private final TreeSet<String> codecs = new TreeSet<>();

    private long nextOffset;
    private long batches;
    private long records;
    private long firstMillis = -1;
    private long lastMillis = -1;
    private boolean unreadable;

    /** {@code newest} is the segment that is written to: only it may end in the middle of a batch. */
    SegmentDump(Path log, long baseOffset, boolean newest, Findings findings) {
        this.log = log;
        this.baseOffset = baseOffset;
        this.newest = newest;
        this.findings = findings;
        this.nextOffset = baseOffset;
    }

    SegmentSummary run(boolean deep, List<BatchCheck> more, PrintStream lines) throws IOException {
        OffsetIndexCheck offsets = OffsetIndexCheck.load(sibling(".index"), baseOffset, findings);
        TimeIndexCheck times = TimeIndexCheck.load(sibling(".timeindex"), baseOffset, findings);
        List<BatchCheck> checks = new ArrayList<>(more);
        checks.add(offsets);
        checks.add(times);
        long size;
        try (FileRecords file = FileRecords.open(log.toFile(), false)) {
            size = file.sizeInBytes();
            walk(file, deep, checks, lines);
        } finally {
            buffers.close();
        }
        if (!unreadable) {
            offsets.end();
            times.end(nextOffset);
        }
        TransactionIndexCheck.check(sibling(".txnindex"), baseOffset, nextOffset, findings);
        return new SegmentSummary(
                baseOffset, nextOffset, batches, records, size, firstMillis, lastMillis, String.join(",", codecs));
    }

    private void walk(FileRecords file, boolean deep, List<BatchCheck> checks, PrintStream lines) {
        Iterator<FileChannelRecordBatch> iterator = file.batchIterator();
        long end = 0;
        while (true) {
            FileChannelRecordBatch batch;
            try {
                if (!iterator.hasNext()) {
                    break;
                }
                batch = iterator.next();
            } catch (KafkaException problem) {
                // What follows cannot be told apart into batches.
                findings.problem(log, "at position " + end + ": " + problem.getMessage());
                unreadable = true;
                return;
            }
            end = batch.position() + (long) batch.sizeInBytes();
            check(batch);
            boolean sound = isSound(batch);
            Integer count = batch.countOrNull();
            if (deep && sound) {
                checkRecords(batch);
            } else {
                records += count == null ? 0 : count;
            }
            checks.forEach(each -> each.batch(batch));
            if (lines != null) {
                print(batch, lines);
            }
        }
        if (end < file.sizeInBytes()) {
            String what =
                    "has " + (file.sizeInBytes() - end) + " byte(s) after its last whole batch, from position " + end;
            if (newest) {
                findings.note(log, what + ": a write that a crash cut short; the next start drops it");
            } else {
                findings.problem(log, what);
            }
        }
    }

    private boolean isSound(FileChannelRecordBatch batch) {
        try {
            batch.ensureValid();
            return true;
        } catch (KafkaException problem) {
            findings.problem(
                    log,
                    at(batch) + ", offsets " + batch.baseOffset() + " to " + batch.lastOffset() + ": "
                            + problem.getMessage());
            return false;
        }
    }

    private void check(FileChannelRecordBatch batch) {
        batches++;
        codecs.add(batch.compressionType().name);
        if (batch.baseOffset() < nextOffset) {
            findings.problem(
                    log,
                    at(batch) + " begins at offset " + batch.baseOffset() + "; at least " + nextOffset + " was due");
        }
        if (batch.lastOffset() < batch.baseOffset()) {
            findings.problem(log, at(batch) + " ends at offset " + batch.lastOffset() + " before it begins");
        }
        if (batch.lastOffset() - baseOffset > Integer.MAX_VALUE) {
            findings.problem(log, at(batch) + " is too far from the segment's first offset for its indexes");
        }
        nextOffset = Math.max(nextOffset, batch.lastOffset() + 1);
        if (batch.maxTimestamp() >= 0) {
            firstMillis = firstMillis < 0 ? batch.maxTimestamp() : Math.min(firstMillis, batch.maxTimestamp());
            lastMillis = Math.max(lastMillis, batch.maxTimestamp());
        }
    }

    private void checkRecords(FileChannelRecordBatch batch) {
        long offset = batch.baseOffset() - 1;
        long newestMillis = -1;
        int count = 0;
        try (CloseableIterator<Record> iterator = batch.streamingIterator(buffers)) {
            while (iterator.hasNext()) {
                Record record = iterator.next();
                count++;
                if (record.offset() <= offset || record.offset() > batch.lastOffset()) {
                    findings.problem(log, at(batch) + " has a record at offset " + record.offset() + ", out of order");
                }
                offset = record.offset();
                newestMillis = Math.max(newestMillis, record.timestamp());
            }
        } catch (KafkaException | IllegalArgumentException problem) {
            findings.problem(log, at(batch) + " has unreadable records: " + problem.getMessage());
        }
        Integer announced = batch.countOrNull();
        if (announced != null && announced != count) {
            findings.problem(log, at(batch) + " announces " + announced + " records and has " + count);
        }
        if (count > 0 && newestMillis > batch.maxTimestamp()) {
            findings.problem(log, at(batch) + " has a record newer than its max timestamp " + batch.maxTimestamp());
        }
        records += count;
    }

    private static void print(FileChannelRecordBatch batch, PrintStream lines) {
        lines.printf(
                "offsets %d-%d position %d size %d count %s epoch %d time %d codec %s producer %d/%d sequence %d-%d%s%s%n",
                batch.baseOffset(),
                batch.lastOffset(),
                batch.position(),
                batch.sizeInBytes(),
                batch.countOrNull(),
                batch.partitionLeaderEpoch(),
                batch.maxTimestamp(),
                batch.compressionType().name,
                batch.producerId(),
                batch.producerEpoch(),
                batch.baseSequence(),
                batch.lastSequence(),
                batch.isTransactional() ? " transactional" : "",
                batch.isControlBatch() ? " control" : "");
    }

    private static String at(FileChannelRecordBatch batch) {
        return "batch at position " + batch.position();
    }

    private Path sibling(String suffix) {
        String name = log.getFileName().toString();
        return log.resolveSibling(name.substring(0, name.length() - ".log".length()) + suffix);
    }
}
