package records;

import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/**
 * Takes records out of batches, for log compaction. What stays is not decoded and coded anew but copied: offsets, times, keys, values and headers of the kept
 * records are those that were there, and so are base offset, last offset, producer, sequence and codec of the batch. Batches lie in buffers with arrays. Holds
 * scratch memory up to the largest batch, inflated: one instance per run of the cleaner, one thread at a time.
 */
public final class BatchFilter {

    private static final int NO_KEY = -1;

    /** Sees the records that have a key. */
    @FunctionalInterface
    public interface KeyVisitor {
        /** @return false to stop */
        boolean visit(long offset, byte[] bytes, int keyAt, int keyLength);
    }

    /** Decides on each record. */
    @FunctionalInterface
    public interface Choice {
        /** @param keyLength -1: the record has no key */
        boolean keep(long offset, byte[] bytes, int keyAt, int keyLength, boolean hasValue);
    }

    public enum Kind {
        /** Every record stays and nothing else changes: the batch as it lies. */
        AS_IT_IS,
        /** The new batch. */
        REWRITTEN,
        /** No record stays. */
        EMPTY
    }

    /**
     * @param batch of REWRITTEN, from position to limit; good until the next call
     * @param failure CORRUPT_BATCH: the records cannot be read; then the others are null
     */
    public record Outcome(Kind kind, ByteBuffer batch, Failure failure) {}

    public static final Outcome AS_IT_IS = new Outcome(Kind.AS_IT_IS, null, null);
    public static final Outcome EMPTY = new Outcome(Kind.EMPTY, null, null);

    private final RecordSpans spans = new RecordSpans();
    private final GrowingBytes inflatedBytes = new GrowingBytes();
    private final GrowingBytes kept = new GrowingBytes();
    private final GrowingBytes retimed = new GrowingBytes();
    private final Map<Codec, Compression> codecs = new EnumMap<>(Codec.class);
    private InflatedSource inflated;

    /** What the choice left of one batch. */
    private static final class Tally {
        int count;
        boolean tombstones;
        long maxTimestampDelta = Long.MIN_VALUE;
    }

    /** Shows the keys of the framed batch at {@code at}; null, or CORRUPT_BATCH when its records cannot be read. */
    public Failure visitKeys(ByteBuffer buffer, int at, KeyVisitor visitor) {
        try {
            openRecords(buffer, at);
            long base = BatchHeader.baseOffset(buffer, at);
            int count = BatchHeader.recordCount(buffer, at);
            for (int i = 0; i < count; i++) {
                spans.next();
                boolean goOn = spans.keyLength() <= NO_KEY
                        || visitor.visit(base + spans.offsetDelta(), spans.bytes(), spans.keyAt(), spans.keyLength());
                if (!goOn) {
                    return null;
                }
            }
            return null;
        } catch (MalformedRecordException e) {
            return corrupt(buffer, at, e);
        } finally {
            spans.clear();
        }
    }

    /**
     * The framed batch at {@code at} without the records that {@code choice} does not keep.
     *
     * @param horizonMillis delete horizon (KIP-534) to be set if a tombstone stays, or with {@code stamp} if any record does, in a batch that has none yet; -1: not to be set
     */
    public Outcome filter(ByteBuffer buffer, int at, long horizonMillis, boolean stamp, Choice choice) {
        try {
            openRecords(buffer, at);
            Tally tally = choose(buffer, at, choice);
            boolean all = tally.count == BatchHeader.recordCount(buffer, at);
            if (tally.count == 0) {
                return EMPTY;
            }
            boolean setHorizon =
                    horizonMillis >= 0 && (stamp || tally.tombstones) && !BatchHeader.hasDeleteHorizon(buffer, at);
            if (all && !setHorizon) {
                return AS_IT_IS;
            }
            GrowingBytes records = kept;
            if (setHorizon) {
                retime(BatchHeader.baseTimestamp(buffer, at) - horizonMillis, tally.count);
                records = retimed;
            }
            ByteBuffer batch = assemble(buffer, at, records);
            batch.putInt(BatchHeader.RECORD_COUNT, tally.count);
            if (!BatchHeader.isLogAppendTime(buffer, at)) {
                long max = BatchHeader.baseTimestamp(buffer, at) + tally.maxTimestampDelta;
                batch.putLong(BatchHeader.MAX_TIMESTAMP, max);
            }
            if (setHorizon) {
                int attributes = BatchHeader.attributes(buffer, at) | BatchHeader.DELETE_HORIZON_BIT;
                batch.putShort(BatchHeader.ATTRIBUTES, (short) attributes);
                batch.putLong(BatchHeader.BASE_TIMESTAMP, horizonMillis);
            }
            batch.putInt(BatchHeader.CRC, BatchHeader.computeCrc(batch, 0));
            return new Outcome(Kind.REWRITTEN, batch, null);
        } catch (MalformedRecordException e) {
            return new Outcome(null, null, corrupt(buffer, at, e));
        } finally {
            spans.clear();
        }
    }

    /** The batch at {@code at} without any record, which still tells the place of its offsets and its producer's sequence. A fresh buffer. */
    public static ByteBuffer emptied(ByteBuffer buffer, int at) {
        ByteBuffer batch = ByteBuffer.allocate(BatchHeader.SIZE);
        batch.put(0, buffer, at, BatchHeader.SIZE);
        int attributes =
                BatchHeader.attributes(buffer, at) & ~(BatchHeader.CODEC_MASK | BatchHeader.DELETE_HORIZON_BIT);
        batch.putShort(BatchHeader.ATTRIBUTES, (short) attributes);
        batch.putInt(BatchHeader.LENGTH, BatchHeader.MIN_LENGTH);
        batch.putLong(BatchHeader.BASE_TIMESTAMP, BatchHeader.NONE);
        batch.putInt(BatchHeader.RECORD_COUNT, 0);
        batch.putInt(BatchHeader.CRC, BatchHeader.computeCrc(batch, 0));
        return batch;
    }

    private void openRecords(ByteBuffer buffer, int at) {
        int size = BatchHeader.sizeInBytes(buffer, at);
        if (BatchHeader.recordCount(buffer, at) == 0) {
            spans.reset(buffer.array(), 0, 0);
        } else if (BatchHeader.isCompressed(buffer, at)) {
            if (inflated == null) {
                inflated = new InflatedSource();
            }
            if (Codec.forId(BatchHeader.codecId(buffer, at)) == null) {
                throw new MalformedRecordException("an unknown codec");
            }
            inflatedBytes.clear();
            inflated.use(buffer, at, in -> {
                inflated.copyRest(inflatedBytes);
                return null;
            });
            spans.reset(inflatedBytes.array(), 0, inflatedBytes.length());
        } else {
            int start = buffer.arrayOffset() + at;
            spans.reset(buffer.array(), start + BatchHeader.SIZE, start + size);
        }
    }

    /** Collects what stays in {@link #kept}, in runs of neighbours. */
    private Tally choose(ByteBuffer buffer, int at, Choice choice) {
        Tally tally = new Tally();
        kept.clear();
        long base = BatchHeader.baseOffset(buffer, at);
        int count = BatchHeader.recordCount(buffer, at);
        int runStart = -1;
        for (int i = 0; i < count; i++) {
            spans.next();
            boolean keeps = choice.keep(
                    base + spans.offsetDelta(), spans.bytes(), spans.keyAt(), spans.keyLength(), spans.hasValue());
            if (keeps) {
                tally.count++;
                tally.tombstones |= !spans.hasValue();
                tally.maxTimestampDelta = Math.max(tally.maxTimestampDelta, spans.timestampDelta());
                runStart = runStart < 0 ? spans.start() : runStart;
            } else if (runStart >= 0) {
                kept.append(spans.bytes(), runStart, spans.start() - runStart);
                runStart = -1;
            }
        }
        if (!spans.atEnd()) {
            throw new MalformedRecordException("bytes behind the last record");
        }
        if (runStart >= 0) {
            kept.append(spans.bytes(), runStart, spans.end() - runStart);
        }
        return tally;
    }

    /** The kept records for another base of their times. */
    private void retime(long baseDifference, int count) {
        retimed.clear();
        spans.reset(kept.array(), 0, kept.length());
        for (int i = 0; i < count; i++) {
            spans.next();
            long delta = spans.timestampDelta() + baseDifference;
            int rest = spans.end() - spans.afterTime();
            retimed.appendVarlong(1L + GrowingBytes.varlongBytes(delta) + rest);
            retimed.append(0);
            retimed.appendVarlong(delta);
            retimed.append(spans.bytes(), spans.afterTime(), rest);
        }
    }

    /** A fresh batch of these records with the header of the old one, length set. */
    private ByteBuffer assemble(ByteBuffer buffer, int at, GrowingBytes records) {
        ByteBuffer batch;
        if (BatchHeader.isCompressed(buffer, at)) {
            Codec codec = Codec.forId(BatchHeader.codecId(buffer, at));
            Compression compression = codecs.computeIfAbsent(codec, each -> BatchBuilder.compression(each, null));
            ByteBufferOutputStream bytes = new ByteBufferOutputStream(BatchHeader.SIZE + records.length() / 2 + 64);
            bytes.position(BatchHeader.SIZE);
            try (OutputStream out = compression.wrapForOutput(bytes, BatchHeader.MAGIC_V2)) {
                out.write(records.array(), 0, records.length());
            } catch (IOException e) {
                throw new UncheckedIOException("writing to memory failed", e);
            }
            batch = bytes.buffer().flip();
        } else {
            batch = ByteBuffer.allocate(BatchHeader.SIZE + records.length());
            batch.put(BatchHeader.SIZE, records.array(), 0, records.length());
        }
        batch.put(0, buffer, at, BatchHeader.SIZE);
        batch.putInt(BatchHeader.LENGTH, batch.limit() - BatchHeader.LENGTH_OVERHEAD);
        return batch;
    }

    private static Failure corrupt(ByteBuffer buffer, int at, MalformedRecordException why) {
        return Failure.of(
                FailureCode.CORRUPT_BATCH,
                "the records of the batch at offset " + BatchHeader.baseOffset(buffer, at) + " cannot be read: "
                        + why.getMessage());
    }
}
