package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import records.BatchHeader;

/**
 * Tells a torn tail from rot (rules S7, S8): is there any valid batch behind an invalid place? First where the invalid batch says it ends, then at each
 * byte. Blocking, bounded memory; runs only when something is wrong.
 */
final class RotProbe {

    private static final int WINDOW = 1 << 18;

    private final FileHandle file;
    private final int size;
    private final long expectedOffset;
    private final int minEpoch;
    private final boolean compacted;
    /** Where the zeroes begin with which the file ends; -1: not looked for yet. */
    private int zeroesFrom = -1;

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
    }

    /** Whether there are only zeroes from {@code position} on: room that was made in advance, or pages that a power cut took. */
    boolean onlyZeroesFrom(int position) throws IOException {
        if (zeroesFrom < 0) {
            zeroesFrom = position;
            ByteBuffer window = window(position);
            for (int start = position; start < size; start += WINDOW) {
                load(window, start);
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
        if (onlyZeroesFrom(bad)) {
            return -1;
        }
        BatchScanner scanner = new BatchScanner(file, bad, size);
        if (scanner.load()) {
            int next = scanner.endPosition();
            if (isValid(scanner, next) && (!hasValidBehind(scanner) || continues(scanner, next))) {
                return next;
            }
        }
        return search(scanner, bad + 1);
    }

    private int search(BatchScanner scanner, int from) throws IOException {
        ByteBuffer window = window(from);
        for (int start = from; start + BatchHeader.SIZE <= size; start += WINDOW - BatchHeader.SIZE + 1) {
            load(window, start);
            for (int at = 0; at + BatchHeader.SIZE <= window.limit(); at++) {
                if (window.get(at + BatchHeader.MAGIC) == BatchHeader.MAGIC_V2
                        && BatchHeader.isPlausible(window, at)
                        && isValid(scanner, start + at)
                        && continues(scanner, start + at)) {
                    return start + at;
                }
            }
        }
        return -1;
    }

    private ByteBuffer window(int from) {
        return ByteBuffer.allocate(Math.max(0, Math.min(WINDOW, size - from)));
    }

    private void load(ByteBuffer window, int start) throws IOException {
        window.clear().limit(Math.min(window.capacity(), size - start));
        PartitionFiles.readFully(file, window, start);
        window.flip();
    }

    private boolean isValid(BatchScanner scanner, int position) throws IOException {
        scanner.moveTo(position);
        return scanner.load()
                && scanner.baseOffset() > expectedOffset
                && scanner.baseOffset() - expectedOffset <= Integer.MAX_VALUE
                && scanner.leaderEpoch() >= minEpoch
                && scanner.crcValid();
    }

    private boolean hasValidBehind(BatchScanner scanner) throws IOException {
        scanner.moveTo(scanner.endPosition());
        return scanner.load() && scanner.crcValid();
    }

    /**
     * Whether the log goes on behind the valid batch at {@code position}, or ends there. One found at any byte may be the value of a record in a torn
     * batch. And its offset is not under its checksum: where a lost page ends inside of a header, only the batch behind tells.
     */
    private boolean continues(BatchScanner scanner, int position) throws IOException {
        scanner.moveTo(position);
        scanner.load();
        int end = scanner.endPosition();
        long next = scanner.lastOffset() + 1;
        if (end == size) {
            return true;
        }
        scanner.moveTo(end);
        return scanner.load()
                && (compacted ? scanner.baseOffset() >= next : scanner.baseOffset() == next)
                && scanner.crcValid();
    }
}
