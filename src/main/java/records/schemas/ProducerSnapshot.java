package records.schemas;

import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Kafka's producer snapshot file ({@code <offset>.snapshot}), version 1, big endian: what idempotent and transactional producers had written below an offset.
 *
 * <pre>
 *   0         2            6            10
 *   +---------+------------+------------+-----------
 *   | version | CRC-32C of | number of  | entries of
 *   | (int16) | what       | entries    | 46 bytes
 *   |  = 1    | follows    | (int32)    | ...
 *   +---------+------------+------------+-----------
 *   entry: producer id int64, epoch int16, last sequence int32, last offset int64, offset delta int32, timestamp int64,
 *          coordinator epoch int32, first offset of the open transaction int64
 * </pre>
 *
 * Written by hand: the layout is fixed, and a snapshot is read at each start of each partition.
 */
public final class ProducerSnapshot {

    public static final short VERSION = 1;
    private static final int CRC_AT = 2;
    private static final int COUNT_AT = 6;
    private static final int ENTRIES_AT = 10;
    private static final int ENTRY_BYTES = 46;

    /**
     * One batch of a producer, the producer's last unless a later entry has the same id.
     *
     * @param lastSequence of the batch; -1 when the producer has no batch here (only a marker)
     * @param lastOffset of the batch; -1 when there is none
     * @param offsetDelta last minus first offset (and sequence) of the batch
     * @param timestamp milliseconds, of the producer's last batch or marker
     * @param coordinatorEpoch of the last marker; -1 for none
     * @param currentTxnFirstOffset -1 when no transaction is open
     */
    public record Entry(
            long producerId,
            short epoch,
            int lastSequence,
            long lastOffset,
            int offsetDelta,
            long timestamp,
            int coordinatorEpoch,
            long currentTxnFirstOffset) {}

    /** Exactly one is null. Unreadable: take an older snapshot or replay the log (rule S5). */
    public record Loaded(List<Entry> entries, Failure failure) {}

    private ProducerSnapshot() {}

    /** The file's content; a fresh buffer. */
    public static ByteBuffer encode(List<Entry> entries) {
        ByteBuffer file = ByteBuffer.allocate(ENTRIES_AT + entries.size() * ENTRY_BYTES);
        file.putShort(VERSION).putInt(0).putInt(entries.size());
        for (Entry entry : entries) {
            file.putLong(entry.producerId()).putShort(entry.epoch());
            file.putInt(entry.lastSequence()).putLong(entry.lastOffset()).putInt(entry.offsetDelta());
            file.putLong(entry.timestamp()).putInt(entry.coordinatorEpoch()).putLong(entry.currentTxnFirstOffset());
        }
        file.flip();
        file.putInt(CRC_AT, crc(file, 0));
        return file;
    }

    /** Reads a file's content, from position to limit. UNSUPPORTED_FORMAT: another version; CORRUPT_BATCH: anything else that does not fit. */
    public static Loaded decode(ByteBuffer file) {
        int at = file.position();
        if (file.remaining() < ENTRIES_AT) {
            return corrupt("it is cut");
        }
        if (file.getShort(at) != VERSION) {
            return new Loaded(
                    null, Failure.of(FailureCode.UNSUPPORTED_FORMAT, "producer snapshot version " + file.getShort(at)));
        }
        if (file.getInt(at + CRC_AT) != crc(file, at)) {
            return corrupt("its checksum does not match");
        }
        int count = file.getInt(at + COUNT_AT);
        if (count < 0 || (long) count * ENTRY_BYTES != file.remaining() - ENTRIES_AT) {
            return corrupt("it announces " + count + " entries in " + file.remaining() + " bytes");
        }
        List<Entry> entries = new ArrayList<>(count);
        ByteBuffer in = file.slice(at + ENTRIES_AT, count * ENTRY_BYTES);
        for (int i = 0; i < count; i++) {
            entries.add(new Entry(
                    in.getLong(),
                    in.getShort(),
                    in.getInt(),
                    in.getLong(),
                    in.getInt(),
                    in.getLong(),
                    in.getInt(),
                    in.getLong()));
        }
        return new Loaded(entries, null);
    }

    private static Loaded corrupt(String what) {
        return new Loaded(null, Failure.of(FailureCode.CORRUPT_BATCH, "unreadable producer snapshot: " + what));
    }

    private static int crc(ByteBuffer file, int at) {
        CRC32C crc = new CRC32C();
        crc.update(file.slice(at + COUNT_AT, file.limit() - at - COUNT_AT));
        return (int) crc.getValue();
    }
}
