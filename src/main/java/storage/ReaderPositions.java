package storage;

import java.util.Arrays;

/** Where readers that are behind go on: the next offset of the last few reads and the position of its batch. Bounded, oldest overwritten. */
final class ReaderPositions {

    private static final int SIZE = 8;

    private long[] offsets;
    private int[] positions;
    private Segment[] segments;
    private int next;

    void remember(long offset, Segment segment, int position) {
        if (offsets == null) {
            offsets = new long[SIZE];
            Arrays.fill(offsets, -1);
            positions = new int[SIZE];
            segments = new Segment[SIZE];
        }
        offsets[next] = offset;
        segments[next] = segment;
        positions[next] = position;
        next = (next + 1) % SIZE;
    }

    /** Position of the batch that begins with {@code offset}; -1 when not remembered. */
    int find(long offset, Segment segment) {
        if (offsets != null) {
            for (int i = 0; i < SIZE; i++) {
                if (offsets[i] == offset && segments[i] == segment) {
                    return positions[i];
                }
            }
        }
        return -1;
    }

    /** The log was cut, or rests. */
    void clear() {
        offsets = null;
        positions = null;
        segments = null;
        next = 0;
    }
}
