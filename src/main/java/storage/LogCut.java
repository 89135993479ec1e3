package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Cuts the files of a log to {@code target} or, if that lies inside a batch or in something damaged, before that. A crash at any moment leaves the log as it was
 * or the cut to be repeated ({@link TruncationNote}). Goes by what the batches say, checksums included: rot on the way must not be taken for the place.
 *
 * @param compacted whether offsets may be missing between two batches
 */
record LogCut(LogIdentity log, long target, boolean compacted) {

    /** Where the batches that stay end: in the file, and the offset behind them. */
    private record Place(int position, long end) {}

    /**
     * All of it, durable when this returns.
     *
     * @param keep base of the last segment that stays, and {@code bases} of those behind it
     * @param epochs content of leader-epoch-checkpoint from now on
     * @return the log's end
     */
    long run(FileSystem files, long keep, List<Long> behind, ByteBuffer epochs) throws IOException {
        TruncationNote.write(files, log.directory(), target);
        AtomicFile.replace(files, log.directory() + '/' + LeaderEpochCache.FILE_NAME, epochs);
        for (long base : behind) {
            for (String suffix : SegmentFiles.ALL) {
                files.delete(SegmentFiles.path(log.directory(), base, suffix));
            }
        }
        files.syncDirectory(log.directory());
        long end = cut(files, keep, true);
        TruncationNote.remove(files, log.directory());
        return end;
    }

    /** At a start that found the note; {@code names} of the files in the directory. Indexes and epochs follow the batches later in the start. */
    void repeat(FileSystem files, List<String> names) throws IOException {
        long keep = -1;
        for (String name : names) {
            long base = SegmentFiles.baseOffset(name, SegmentFiles.LOG);
            if (base > target) {
                SegmentFiles.delete(files, log.directory(), base, names);
            } else {
                keep = Math.max(keep, base);
            }
        }
        files.syncDirectory(log.directory());
        if (keep >= 0) {
            cut(files, keep, false);
        }
        TruncationNote.remove(files, log.directory());
    }

    private long cut(FileSystem files, long base, boolean indexed) throws IOException {
        FileHandle file =
                files.open(SegmentFiles.path(log.directory(), base, SegmentFiles.LOG), FileSystem.Mode.READ_WRITE);
        try {
            int size = (int) Math.min(Integer.MAX_VALUE, file.size());
            Place place = find(files, file, size, base, indexed);
            if (place.position < file.size()) {
                file.truncate(place.position);
                file.sync();
            }
            return place.end;
        } finally {
            file.release();
        }
    }

    private Place find(FileSystem files, FileHandle file, int size, long base, boolean indexed) throws IOException {
        BatchScanner scanner = new BatchScanner(file, 0, size);
        long expected = indexed ? skipByIndex(files, scanner, size, base) : base;
        while (true) {
            BatchScanner.Place here = scanner.load();
            if (here == BatchScanner.Place.END) {
                return new Place(scanner.position(), Math.min(target, expected));
            }
            boolean valid = here == BatchScanner.Place.BATCH
                    && (compacted ? scanner.baseOffset() >= expected : scanner.baseOffset() == expected)
                    && scanner.crcValid();
            if (valid && scanner.lastOffset() >= target) {
                return new Place(scanner.position(), Math.min(target, scanner.baseOffset()));
            }
            if (valid) {
                expected = scanner.lastOffset() + 1;
                scanner.skip();
                continue;
            }
            int bad = scanner.position();
            int next = new RotProbe(file, size, expected, -1, compacted).validAfter(bad);
            scanner.moveTo(Math.max(bad, next));
            boolean below = next >= 0 && scanner.load() == BatchScanner.Place.BATCH && scanner.baseOffset() <= target;
            if (!below) {
                return new Place(bad, Math.min(target, expected));
            }
            expected = scanner.baseOffset();
        }
    }

    /** To the batch behind the last one that the index tells of and that stays; gives the offset that is expected there. */
    private long skipByIndex(FileSystem files, BatchScanner scanner, int size, long base) throws IOException {
        SegmentView view = new SegmentView(log, base, size, null, 0);
        IndexSearch.OffsetEntry entry =
                IndexSearch.floorOffset(files, view.path(SegmentFiles.OFFSET_INDEX), base, target - 1);
        if (!view.moveTo(scanner, entry)) {
            return base;
        }
        long next = scanner.lastOffset() + 1;
        scanner.skip();
        return next;
    }
}
