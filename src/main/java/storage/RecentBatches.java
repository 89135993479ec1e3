package storage;

/**
 * Where the last batches of a log begin: lets a read near the end find its file range without touching the disk. A bounded ring of (base offset,
 * position); small until a log is busy. Positions count within the segment that holds the base offset.
 */
final class RecentBatches {

    static final int NOT_FOUND = -1;
    private static final int FIRST_SIZE = 8;

    private final int bound;
    private long[] offsets = new long[0];
    private int[] positions = new int[0];
    private int head;
    private int count;

    RecentBatches(int bound) {
        this.bound = Integer.highestOneBit(bound);
    }

    /** A batch was written. Offsets rise from call to call. */
    void add(long baseOffset, int position) {
        if (count == offsets.length) {
            if (count < bound) {
                grow();
            } else {
                head = (head + 1) & (offsets.length - 1);
                count--;
            }
        }
        int slot = (head + count) & (offsets.length - 1);
        offsets[slot] = baseOffset;
        positions[slot] = position;
        count++;
    }

    private void grow() {
        int size = offsets.length == 0 ? FIRST_SIZE : offsets.length * 2;
        long[] widerOffsets = new long[size];
        int[] widerPositions = new int[size];
        for (int i = 0; i < count; i++) {
            widerOffsets[i] = offsetAt(i);
            widerPositions[i] = positionAt(i);
        }
        offsets = widerOffsets;
        positions = widerPositions;
        head = 0;
    }

    int count() {
        return count;
    }

    long offsetAt(int index) {
        return offsets[(head + index) & (offsets.length - 1)];
    }

    int positionAt(int index) {
        return positions[(head + index) & (offsets.length - 1)];
    }

    /** Index of the remembered batch with the largest base offset {@code <= offset}, or NOT_FOUND. */
    int floor(long offset) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (offsetAt(middle) <= offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** Forgets batches at or above {@code offset}. */
    void truncate(long offset) {
        count = floor(offset - 1) + 1;
    }

    /** Gives the memory back; the next reads go by the index. */
    void clear() {
        offsets = new long[0];
        positions = new int[0];
        head = 0;
        count = 0;
    }
}
