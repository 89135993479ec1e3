package storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The aborted transactions that end in one segment as a job sees them: immutable.
 *
 * @param path of the {@code .txnindex} file
 * @param filed entries of the file that count
 * @param pending those behind them
 */
record AbortedView(String path, long baseOffset, FiledAborted.View filed, TransactionIndex pending) {

    /** Of all segments with some whose marker is at or above {@code from}. */
    static List<AbortedView> of(LogState log, long from) {
        List<AbortedView> views = new ArrayList<>(0);
        for (int i = 0; i < log.segments.count(); i++) {
            Segment segment = log.segments.get(i);
            if (segment.aborted != null && !segment.aborted.endsBefore(from)) {
                views.add(of(log, segment));
            }
        }
        return views;
    }

    static AbortedView of(LogState log, Segment segment) {
        String path = segment.path(log.identity, SegmentFiles.TRANSACTION_INDEX);
        return segment.aborted.view(path, segment.baseOffset);
    }

    int count() {
        return filed.count() + pending.count();
    }

    private FileHandle open(FileSystem files) throws IOException {
        if (!files.exists(path)) {
            throw new DamagedIndexException(path, baseOffset, "it is missing");
        }
        return files.open(path, FileSystem.Mode.READ);
    }

    /** As {@link TransactionIndex#collect}. Throws {@link DamagedIndexException}. */
    boolean collect(FileSystem files, long from, long to, List<ReadResult.AbortedTransaction> found)
            throws IOException {
        FileHandle file = open(files);
        try {
            TransactionScanner scanner = new TransactionScanner(file, baseOffset, filed).fromMarker(from);
            for (CompletedTransaction each = scanner.next(); each != null; each = scanner.next()) {
                if (each.firstOffset() < to) {
                    found.add(new ReadResult.AbortedTransaction(each.producerId(), each.firstOffset()));
                }
                if (each.lastStableOffset() >= to) {
                    return true;
                }
            }
        } finally {
            file.release();
        }
        return pending.collect(from, to, found);
    }

    /**
     * Adds the next entries from number {@code entry} on to {@code target}, one at least and {@code most} at most; there are some. Throws
     * {@link DamagedIndexException}.
     */
    void read(FileSystem files, int entry, int most, List<CompletedTransaction> target) throws IOException {
        int inFile = filed.count();
        if (entry >= inFile) {
            for (int i = entry - inFile; i < pending.count() && i < entry - inFile + most; i++) {
                target.add(pending.at(i));
            }
            return;
        }
        FileHandle file = open(files);
        try {
            TransactionScanner scanner = new TransactionScanner(file, baseOffset, filed).from(entry);
            for (int i = 0; i < most && entry + i < inFile; i++) {
                target.add(scanner.next());
            }
        } finally {
            file.release();
        }
    }
}
