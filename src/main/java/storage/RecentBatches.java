package storage;

/**
 * Where the last batches of a log begin: lets a read near the end find its file range without touching the disk. A bounded ring of (base offset,
 * position); small until a log is busy. Positions count within the segment that holds the base offset.
 */
final class RecentBatches {

    static final int NOT_FOUND = -1;
    private static final int FIRST_SIZE = 8;
    private static final long[] NONE = {};

    private final int bound;
    /** Offsets are kept from here on. */
    private long first;
    /** Offset from the first on, above; position, below: in one, since each append writes here, with thousands of partitions to memory that is in no cache. */
    private long[] batches = NONE;

    private int head;
    private int count;

    RecentBatches(int bound) {
        this.bound = Integer.highestOneBit(bound);
    }

    /** A batch was written. Offsets rise from call to call. */
    void add(long baseOffset, int position) {
        if (count == 0 || baseOffset - first > Integer.MAX_VALUE) {
            first = baseOffset;
            head = 0;
            count = 0;
        }
        if (count == batches.length) {
            if (count < bound) {
                grow();
            } else {
                head = (head + 1) & (batches.length - 1);
                count--;
            }
        }
        batches[(head + count) & (batches.length - 1)] = (baseOffset - first) << Integer.SIZE | position;
        count++;
    }

    private void grow() {
        long[] wider = new long[batches.length == 0 ? FIRST_SIZE : batches.length * 2];
        for (int i = 0; i < count; i++) {
            wider[i] = batches[(head + i) & (batches.length - 1)];
        }
        batches = wider;
        head = 0;
    }

    int count() {
        return count;
    }

    long offsetAt(int index) {
        return first + (batches[(head + index) & (batches.length - 1)] >>> Integer.SIZE);
    }

    int positionAt(int index) {
        return (int) batches[(head + index) & (batches.length - 1)];
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
        batches = NONE;
        head = 0;
        count = 0;
    }
}
