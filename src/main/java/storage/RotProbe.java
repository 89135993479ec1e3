package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import records.BatchHeader;
import storage.BatchScanner.Place;

/**
 * Tells a torn tail from rot (rules S7, S8): is there any valid batch of the log behind an invalid place? Blocking, bounded memory; runs only when something is
 * wrong. From the surest to the least sure:
 *
 * <ol>
 *   <li>the invalid batch's length leads to a valid batch that has the next offset
 *   <li>its checksum is right for the bytes up to a valid batch: it was the length that is wrong
 *   <li>its length leads to a valid batch at least
 *   <li>a valid batch begins at any byte, and the log goes on from it, or ends with it: at the end of the file or before zeroes that reach there. Not inside of a
 *       batch whose header is whole, and not where the bytes before say that it is the value of a record: a torn batch may hold batches as values.
 * </ol>
 *
 * So one wrong byte is always told from a torn write, whatever lies behind. Where whole headers are lost, only a batch that goes on to the end counts.
 */
final class RotProbe {

    private static final int WINDOW = 1 << 18;
    /** Of the length of a record's value. */
    private static final int MAX_VARINT = 5;

    private final FileHandle file;
    private final int size;
    private final long expectedOffset;
    private final int minEpoch;
    private final boolean compacted;
    private final BatchScanner scanner;
    /** Where the zeroes begin with which the file ends; -1: not looked for yet. */
    private int zeroesFrom = -1;

    private ByteBuffer window;
    private int windowStart;

    /**
     * @param expectedOffset of the first batch of the invalid part: what is valid behind it begins above; {@code minEpoch}: and is of that epoch or later
     * @param compacted whether offsets may be missing between two batches
     */
    RotProbe(FileHandle file, int size, long expectedOffset, int minEpoch, boolean compacted) {
        this.file = file;
        this.size = size;
        this.expectedOffset = expectedOffset;
        this.minEpoch = minEpoch;
        this.compacted = compacted;
        this.scanner = new BatchScanner(file, 0, size);
    }

    /** Whether there are only zeroes from {@code position} on: room that was made in advance, or pages that a power cut took. */
    boolean onlyZeroesFrom(int position) throws IOException {
        if (zeroesFrom < 0) {
            zeroesFrom = position;
            for (int start = position; start < size; start += WINDOW) {
                load(start);
                for (int at = window.limit() - 1; at >= 0; at--) {
                    if (window.get(at) != 0) {
                        zeroesFrom = start + at + 1;
                        break;
                    }
                }
            }
        }
        return zeroesFrom <= position;
    }

    /** Position of the first valid batch behind {@code bad}; -1 when there is none. */
    int validAfter(int bad) throws IOException {
        if (onlyZeroesFrom(bad) || size - bad < BatchHeader.SIZE) {
            return -1;
        }
        load(bad);
        int length = BatchHeader.length(window, 0);
        boolean framed = length >= BatchHeader.MIN_LENGTH && length <= size - bad - BatchHeader.LENGTH_OVERHEAD;
        int next = framed ? bad + BatchHeader.LENGTH_OVERHEAD + length : size;
        boolean header = isHeaderExpected();
        long nextOffset = BatchHeader.nextOffset(window, 0);
        boolean led = framed && isValid(next);
        if (led && header && scanner.baseOffset() == nextOffset) {
            return next;
        }
        int proven = behindRightChecksum(bad);
        if (proven >= 0) {
            return proven;
        }
        if (led && (!hasValidBehind(next) || continues(next))) {
            return next;
        }
        return search(header || isIntact(bad) ? next : bad + 1);
    }

    /** Whether the batch at {@code bad} is right but for what its checksum does not cover. */
    private boolean isIntact(int bad) throws IOException {
        scanner.moveTo(bad);
        return scanner.load() == Place.BATCH && scanner.crcValid();
    }

    /** Whether what the window begins with looks whole, and is what must come here: then its length is what was written. */
    private boolean isHeaderExpected() {
        return BatchHeader.isPlausible(window, 0)
                && BatchHeader.baseOffset(window, 0) == expectedOffset
                && BatchHeader.leaderEpoch(window, 0) >= minEpoch
                && BatchHeader.recordCount(window, 0) - 1 <= BatchHeader.lastOffsetDelta(window, 0);
    }

    /** The first valid batch up to which the checksum of the batch at {@code bad} is right; -1: none. */
    private int behindRightChecksum(int bad) throws IOException {
        int stored = BatchHeader.crc(window, 0);
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = ByteBuffer.allocate(Math.min(WINDOW, size - bad));
        int done = bad + BatchHeader.ATTRIBUTES;
        int at = candidate(bad + BatchHeader.SIZE);
        while (at >= 0) {
            while (done < at) {
                bytes.clear().limit(Math.min(bytes.capacity(), at - done));
                int got = PartitionFiles.readFully(file, bytes, done);
                if (got <= 0) {
                    return -1;
                }
                crc.update(bytes.flip());
                done += got;
            }
            if ((int) crc.getValue() == stored && isValid(at)) {
                return at;
            }
            at = candidate(at + 1);
        }
        return -1;
    }

    private int search(int from) throws IOException {
        int at = candidate(from);
        while (at >= 0) {
            int value = valueBytes(at);
            if (value == 0 && isValid(at) && continues(at)) {
                return at;
            }
            at = candidate(at + Math.max(1, value));
        }
        return -1;
    }

    /** The first position from {@code from} on where a header is plausible, and room for its batch; -1: none. */
    private int candidate(int from) throws IOException {
        for (int at = from; size - at >= BatchHeader.SIZE; at++) {
            if (at < windowStart || at + BatchHeader.SIZE > windowStart + window.limit()) {
                load(at);
            }
            int inside = at - windowStart;
            if (window.get(inside + BatchHeader.MAGIC) == BatchHeader.MAGIC_V2
                    && BatchHeader.isPlausible(window, inside)
                    && BatchHeader.sizeInBytes(window, inside) <= size - at) {
                return at;
            }
        }
        return -1;
    }

    private void load(int start) throws IOException {
        int length = Math.min(WINDOW, size - start);
        if (window == null || window.capacity() < length) {
            window = ByteBuffer.allocate(length);
        }
        window.clear().limit(length);
        PartitionFiles.readFully(file, window, start);
        window.flip();
        windowStart = start;
    }

    private boolean isValid(int position) throws IOException {
        scanner.moveTo(position);
        return scanner.load() == Place.BATCH
                && scanner.baseOffset() > expectedOffset
                && scanner.baseOffset() - expectedOffset <= Integer.MAX_VALUE
                && scanner.leaderEpoch() >= minEpoch
                && scanner.crcValid();
    }

    private boolean hasValidBehind(int position) throws IOException {
        scanner.moveTo(position);
        scanner.load();
        scanner.skip();
        return scanner.load() == Place.BATCH && scanner.crcValid();
    }

    /**
     * Whether the log goes on behind the valid batch at {@code position}, or ends there. Its offset is not under its checksum: where a lost page ends inside of a
     * header, only the batch behind tells.
     */
    private boolean continues(int position) throws IOException {
        scanner.moveTo(position);
        scanner.load();
        long next = scanner.lastOffset() + 1;
        scanner.skip();
        if (onlyZeroesFrom(scanner.position())) {
            return true;
        }
        return scanner.load() == Place.BATCH
                && (compacted ? scanner.baseOffset() >= next : scanner.baseOffset() == next)
                && scanner.crcValid();
    }

    /**
     * Length of the record's value that begins at {@code position}, if the bytes before say so, and if it ends with the batch there or with one of those behind; else
     * 0.
     */
    private int valueBytes(int position) throws IOException {
        ByteBuffer before = ByteBuffer.allocate(Math.min(MAX_VARINT, position));
        PartitionFiles.readFully(file, before, position - before.capacity());
        long varint = 0;
        for (int i = before.capacity() - 1; i >= 0; i--) {
            boolean lastByte = i == before.capacity() - 1;
            if (before.get(i) < 0 == lastByte) {
                return 0;
            }
            varint = (varint << 7) | (before.get(i) & 0x7f);
            // Zigzag: lengths are even.
            if ((varint & 1) == 0 && endsBatch(position, varint >> 1)) {
                return (int) (varint >> 1);
            }
        }
        return 0;
    }

    private boolean endsBatch(int position, long length) throws IOException {
        if (length == 0 || length > size - position) {
            return false;
        }
        int end = (int) (position + length);
        scanner.moveTo(position);
        while (scanner.position() < end && scanner.load() == Place.BATCH) {
            scanner.skip();
        }
        return scanner.position() == end;
    }
}
