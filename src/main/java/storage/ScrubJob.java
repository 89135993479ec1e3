package storage;

import java.io.IOException;
import storage.BatchScanner.Place;

/**
 * Checks batches of a segment that is written no more, from {@code position} on: their checksums, and that their offsets rise (rule S1).
 *
 * @param expectedOffset the batch at {@code position} begins at or above it
 * @param limit where to stop at the latest: the segment's end, or a part that is known to be damaged
 * @param endOffset all batches end below it
 * @param maxBytes about how much to read; one batch at least
 */
record ScrubJob(
        SegmentView segment,
        int position,
        long expectedOffset,
        int limit,
        long endOffset,
        int maxBytes,
        boolean compacted)
        implements DiskJob<ScrubJob.Checked> {

    /** Of a damaged part: no valid batch follows in the segment. */
    static final long UNKNOWN = -1;

    /**
     * @param position where to go on
     * @param bytes that were checked
     * @param damage null as a rule; its end offset is {@link #UNKNOWN} when no valid batch follows in this segment
     */
    record Checked(int position, long expectedOffset, int bytes, DamagedRange damage) {}

    @Override
    public Checked run(FileSystem files) throws IOException {
        FileHandle file = segment.open(files);
        try {
            BatchScanner scanner = new BatchScanner(file, position, limit);
            long expected = expectedOffset;
            while (scanner.position() < limit && scanner.position() - position < maxBytes) {
                if (!isValid(file, scanner, expected)) {
                    return damaged(file, scanner.position(), expected);
                }
                expected = scanner.lastOffset() + 1;
                scanner.skip();
            }
            return new Checked(scanner.position(), expected, scanner.position() - position, null);
        } finally {
            segment.close(file);
        }
    }

    /** A batch's offset is not under its checksum: where it jumps, the batch behind tells whether that is so. */
    private boolean isValid(FileHandle file, BatchScanner scanner, long expected) throws IOException {
        boolean plausible = scanner.load() == Place.BATCH
                && scanner.baseOffset() >= expected
                && scanner.lastOffset() < endOffset
                && scanner.crcValid();
        if (!plausible || scanner.baseOffset() == expected) {
            return plausible;
        }
        BatchScanner behind = new BatchScanner(file, scanner.endPosition(), limit);
        return behind.load() != Place.BATCH
                || behind.baseOffset() < expected
                || behind.baseOffset() > scanner.lastOffset()
                || !behind.crcValid();
    }

    private Checked damaged(FileHandle file, int bad, long expected) throws IOException {
        int next = new RotProbe(file, limit, expected, -1, compacted).validAfter(bad);
        int end = next < 0 ? limit : next;
        long endOffset = UNKNOWN;
        if (next >= 0) {
            BatchScanner behind = new BatchScanner(file, next, limit);
            behind.load();
            endOffset = behind.baseOffset();
        }
        DamagedRange damage = new DamagedRange(segment.baseOffset(), expected, endOffset, bad, end);
        return new Checked(end, Math.max(expected, endOffset), end - position, damage);
    }
}
