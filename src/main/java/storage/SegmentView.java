package storage;

import java.io.IOException;

/**
 * A segment as a job sees it: immutable. The job's owner holds a reference of {@code file} for the job.
 *
 * @param size bytes that were written when the view was made
 * @param file null when the segment is not open: the job opens it
 * @param fromPosition no batch that is looked for begins before it (it lies behind a damaged range), else 0
 */
record SegmentView(LogIdentity log, long baseOffset, int size, FileHandle file, int fromPosition) {

    /** The file: the given one, or one opened now that the job must hand on or release. */
    FileHandle open(FileSystem files) throws IOException {
        return file != null ? file : files.open(path(SegmentFiles.LOG), FileSystem.Mode.READ_WRITE);
    }

    /** Releases what {@link #open} gave if it was opened there. */
    void close(FileHandle opened) {
        if (opened != file) {
            opened.release();
        }
    }

    String path(String suffix) {
        return SegmentFiles.path(log.directory(), baseOffset, suffix);
    }

    /**
     * A scanner at the first batch whose last offset is at or above {@code offset}, loaded; null when there is none. Throws CorruptSegmentException when the way
     * there ends before the segment does.
     *
     * @param hint position of a batch at or before the wanted one, -1: ask the index
     */
    BatchScanner find(FileSystem files, FileHandle opened, long offset, int hint) throws IOException {
        BatchScanner scanner = new BatchScanner(opened, Math.max(hint, fromPosition), size);
        if (hint < 0) {
            moveTo(scanner, IndexSearch.floorOffset(files, path(SegmentFiles.OFFSET_INDEX), baseOffset, offset));
        }
        while (next(scanner)) {
            if (scanner.lastOffset() >= offset) {
                return scanner;
            }
            scanner.skip();
        }
        return null;
    }

    /**
     * Loads the batch at the scanner's position; false at the end of the segment. Throws where it goes on with something else: those behind it would be passed
     * over without a word.
     */
    boolean next(BatchScanner scanner) throws IOException {
        return switch (scanner.load()) {
            case BATCH -> true;
            case END -> false;
            case NO_BATCH -> throw new CorruptSegmentException(this, scanner.position());
        };
    }

    /** Moves forward to the batch that an index entry names, if it is really there (rule S9); true if so. */
    boolean moveTo(BatchScanner scanner, IndexSearch.OffsetEntry entry) throws IOException {
        if (entry == null || entry.position() <= scanner.position() || entry.position() >= size) {
            return false;
        }
        int before = scanner.position();
        scanner.moveTo(entry.position());
        if (scanner.load() == BatchScanner.Place.BATCH && scanner.lastOffset() == entry.lastOffset()) {
            return true;
        }
        scanner.moveTo(before);
        return false;
    }
}
