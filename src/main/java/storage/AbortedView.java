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
record AbortedView(String path, long baseOffset, int filed, TransactionIndex pending) {

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
        return filed + pending.count();
    }

    /** As {@link TransactionIndex#collect}. */
    boolean collect(FileSystem files, long from, long to, List<ReadResult.AbortedTransaction> found)
            throws IOException {
        FileHandle file = files.open(path, FileSystem.Mode.READ);
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

    /** Adds the next entries from number {@code entry} on to {@code target}, one at least and {@code most} at most; there are some. */
    void read(FileSystem files, int entry, int most, List<CompletedTransaction> target) throws IOException {
        if (entry >= filed) {
            for (int i = entry - filed; i < pending.count() && i < entry - filed + most; i++) {
                target.add(pending.at(i));
            }
            return;
        }
        FileHandle file = files.open(path, FileSystem.Mode.READ);
        try {
            TransactionScanner scanner = new TransactionScanner(file, baseOffset, filed).from(entry);
            for (int i = 0; i < most && entry + i < filed; i++) {
                target.add(scanner.next());
            }
        } finally {
            file.release();
        }
    }
}
