package storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds the file range of whole batches for a read that cannot be answered from memory, and touches it if it may be cold.
 *
 * @param hint where the batch of {@code offset}, or one before it, begins; -1 unknown
 * @param limitOffset only batches wholly below it
 * @param limitPosition only batches that end at or before it
 * @param endHint where a batch near the end of the range begins, -1 unknown
 */
record ReadJob(
        SegmentView segment,
        long offset,
        int hint,
        long limitOffset,
        int limitPosition,
        int endHint,
        int maxBytes,
        boolean wholeFirstBatch,
        boolean touch)
        implements DiskJob<ReadJob.Found> {

    static final int NONE = -1;
    static final int CORRUPT = -2;
    private static final int TOUCH_CHUNK = 1 << 16;

    /**
     * @param file the receiver's, if it is not the one it gave
     * @param length 0 when no batch fits; {@link #NONE} when the segment has no batch at or above the offset; {@link #CORRUPT} when it cannot be found, as there
     *     is no batch at {@code position}
     * @param nextOffset a reader's next offset after the range; it begins at position + length
     */
    record Found(FileHandle file, int position, int length, long nextOffset) {}

    @Override
    public Found run(FileSystem files) throws IOException {
        FileHandle opened = segment.open(files);
        boolean done = false;
        try {
            Found found = find(files, opened);
            if (touch && found.length() > 0) {
                touch(found);
            }
            done = true;
            return found;
        } catch (CorruptSegmentException e) {
            done = true;
            return new Found(opened, e.position(), CORRUPT, offset);
        } finally {
            if (!done) {
                segment.close(opened);
            }
        }
    }

    private Found find(FileSystem files, FileHandle opened) throws IOException {
        BatchScanner scanner = segment.find(files, opened, offset, hint);
        if (scanner == null) {
            return new Found(opened, 0, NONE, offset);
        }
        int start = scanner.position();
        if (scanner.lastOffset() >= limitOffset || scanner.endPosition() > limitPosition) {
            return new Found(opened, start, 0, offset);
        }
        if (scanner.size() > maxBytes) {
            return new Found(opened, start, wholeFirstBatch ? scanner.size() : 0, scanner.lastOffset() + 1);
        }
        int limit = (int) Math.min(limitPosition, (long) start + maxBytes);
        jump(files, scanner, limit);
        long next = offset;
        // What is no batch ends the range: whoever reads on from there meets it.
        while (scanner.load() == BatchScanner.Place.BATCH) {
            next = scanner.baseOffset();
            if (scanner.lastOffset() >= limitOffset || scanner.endPosition() > limit) {
                break;
            }
            next = scanner.lastOffset() + 1;
            scanner.skip();
        }
        return new Found(opened, start, scanner.position() - start, next);
    }

    /** Goes near the end of the range by the index instead of walking there batch by batch. */
    private void jump(FileSystem files, BatchScanner scanner, int limit) throws IOException {
        if (endHint > scanner.position() && endHint <= limit) {
            scanner.moveTo(endHint);
            return;
        }
        String index = segment.path(SegmentFiles.OFFSET_INDEX);
        int start = scanner.position();
        IndexSearch.OffsetEntry entry = IndexSearch.floorPosition(files, index, segment.baseOffset(), limit);
        if (entry != null && entry.lastOffset() >= limitOffset) {
            entry = IndexSearch.floorOffset(files, index, segment.baseOffset(), limitOffset - 1);
        }
        if (entry != null && entry.position() > start) {
            segment.moveTo(scanner, entry);
        }
    }

    /** Reads the range once, so that the pages are there when the response is sent. */
    private void touch(Found found) throws IOException {
        ByteBuffer sink = ByteBuffer.allocate(TOUCH_CHUNK);
        int end = found.position() + found.length();
        for (int at = found.position(); at < end; at += TOUCH_CHUNK) {
            sink.clear().limit(Math.min(TOUCH_CHUNK, end - at));
            PartitionFiles.readFully(found.file(), sink, at);
        }
    }
}
