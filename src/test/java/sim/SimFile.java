package sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * A file apart from its name: what the page cache shows, what is durable, and the changes in between, in order. At a power cut each 4 KiB piece
 * independently gets the first k of the changes that touch it (usually all or none), maybe torn at a byte; the length goes its own way.
 */
final class SimFile {
    static final int PIECE = 4096;
    private static final int MAX_UNSYNCED = 96;

    private byte[] cache = new byte[0];
    private int size;
    private byte[] durable = new byte[0];
    private int durableSize;
    private final List<Change> unsynced = new ArrayList<>();
    private final TreeMap<Integer, Integer> lostPieces = new TreeMap<>();
    long modifiedMillis;

    /** Bytes written at a position or, with null bytes, everything in [position, end) turned to zero; then the file has a new size. */
    private record Change(int position, int end, byte[] bytes, int sizeAfter) {
        boolean touches(int piece) {
            return position < (piece + 1) * PIECE && end > piece * PIECE;
        }

        /** Applies the part that lies in [from, to) to {@code target}, whose first byte is the file's byte {@code base}. */
        void apply(byte[] target, int base, int from, int to) {
            int low = Math.max(from, position);
            int high = Math.min(to, end);
            if (low >= high) {
                return;
            }
            if (bytes == null) {
                Arrays.fill(target, low - base, high - base, (byte) 0);
            } else {
                System.arraycopy(bytes, low - position, target, low - base, high - low);
            }
        }
    }

    int size() {
        return size;
    }

    boolean hasUnsynced() {
        return !unsynced.isEmpty() || size != durableSize;
    }

    int read(ByteBuffer target, int position) {
        if (position >= size) {
            return -1;
        }
        int count = Math.min(target.remaining(), size - position);
        target.put(cache, position, count);
        return count;
    }

    byte[] content() {
        return Arrays.copyOf(cache, size);
    }

    byte[] durableContent() {
        return Arrays.copyOf(durable, durableSize);
    }

    void write(byte[] bytes, int position) {
        if (bytes.length > 0) {
            change(new Change(position, position + bytes.length, bytes, Math.max(size, position + bytes.length)));
        }
    }

    /** Cuts, or extends with zeroes. */
    void resize(int newSize) {
        change(new Change(Math.min(newSize, size), Math.max(newSize, size), null, newSize));
    }

    private void change(Change change) {
        cache = grown(cache, Math.max(change.end, change.sizeAfter));
        change.apply(cache, 0, 0, change.end);
        size = change.sizeAfter;
        unsynced.add(change);
        if (unsynced.size() > MAX_UNSYNCED) {
            writeBack(MAX_UNSYNCED / 2);
        }
    }

    /** The kernel's own idea to write the oldest changes. */
    private void writeBack(int count) {
        for (Change change : unsynced.subList(0, count)) {
            durable = grown(durable, Math.max(change.end, change.sizeAfter));
            change.apply(durable, 0, 0, change.end);
            durableSize = change.sizeAfter;
        }
        unsynced.subList(0, count).clear();
    }

    void sync() {
        writeBack(unsynced.size());
        durableSize = size;
        durable = grown(durable, size);
    }

    /** A sync that failed: its pages count as clean from now on but never reached the disk (fsyncgate). */
    void loseUnsynced() {
        for (Change change : unsynced) {
            for (int piece = change.position / PIECE; piece * PIECE < change.end; piece++) {
                lostPieces.put(piece, piece);
            }
        }
        unsynced.clear();
    }

    /** The process died, the machine lives: all writes stay, but pages of a failed sync may be re-read from the disk, as they are there. */
    void evictLost() {
        durable = grown(durable, size);
        for (int piece : lostPieces.keySet()) {
            int from = Math.min(piece * PIECE, size);
            int to = Math.min(from + PIECE, size);
            System.arraycopy(durable, from, cache, from, to - from);
            for (Change change : unsynced) {
                change.apply(cache, 0, from, to);
            }
        }
        lostPieces.clear();
    }

    void powerCut(SimRandom random) {
        TreeMap<Integer, Integer> pieces = new TreeMap<>();
        for (Change change : unsynced) {
            for (int piece = change.position / PIECE; piece * PIECE < change.end; piece++) {
                pieces.merge(piece, 1, Integer::sum);
            }
            durable = grown(durable, Math.max(change.end, change.sizeAfter));
        }
        for (var entry : pieces.entrySet()) {
            settlePiece(entry.getKey(), prefix(entry.getValue(), random), random);
        }
        int changes = prefix(unsynced.size(), random);
        if (changes > 0) {
            durableSize = unsynced.get(changes - 1).sizeAfter;
        }
        durable = grown(durable, durableSize);
        Arrays.fill(durable, durableSize, durable.length, (byte) 0);
        unsynced.clear();
        lostPieces.clear();
        cache = Arrays.copyOf(durable, durableSize);
        size = durableSize;
    }

    private void settlePiece(int piece, int keep, SimRandom random) {
        int from = piece * PIECE;
        int to = Math.min(from + PIECE, durable.length);
        byte[] settled = Arrays.copyOfRange(durable, from, to);
        int left = keep;
        for (Change change : unsynced) {
            if (left > 0 && change.touches(piece)) {
                change.apply(settled, from, from, to);
                left--;
            }
        }
        int length = keep > 0 && random.chance(0.25) ? random.below(to - from) : to - from;
        System.arraycopy(settled, 0, durable, from, length);
    }

    /** How many of {@code count} changes survive: mostly all or none. */
    private static int prefix(int count, SimRandom random) {
        if (count == 0) {
            return 0;
        }
        int choice = random.below(20);
        return choice < 9 ? count : choice < 16 ? 0 : random.below(count + 1);
    }

    /** A bit of what is durable turns, and the cache has it read again. */
    void rot(int position, int bit) {
        if (position < durableSize) {
            durable[position] ^= (byte) (1 << bit);
        }
        if (position < size) {
            cache[position] ^= (byte) (1 << bit);
        }
    }

    SimFile copy() {
        SimFile copy = new SimFile();
        copy.cache = cache.clone();
        copy.size = size;
        copy.durable = durable.clone();
        copy.durableSize = durableSize;
        copy.unsynced.addAll(unsynced);
        copy.lostPieces.putAll(lostPieces);
        copy.modifiedMillis = modifiedMillis;
        return copy;
    }

    private static byte[] grown(byte[] bytes, int length) {
        return bytes.length >= length ? bytes : Arrays.copyOf(bytes, Math.max(length, bytes.length * 2));
    }
}
