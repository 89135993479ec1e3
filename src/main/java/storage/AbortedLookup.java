package storage;

import common.Callback;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the aborted transactions that overlap what a reader of committed records gets (rule T8): those of late in memory, others in the indexes of their
 * segments by jobs on the BLOCKING lane. Confined to the log's owner.
 */
final class AbortedLookup {

    private final LogState log;

    AbortedLookup(LogState log) {
        this.log = log;
    }

    /** Of all that end at or behind {@code from} and begin before {@code to}, which lies at or below the last stable offset. */
    void find(long from, long to, Callback<List<ReadResult.AbortedTransaction>> done) {
        search(Math.max(0, log.segments.floorIndex(from)), from, to, List.of(), done);
    }

    private void search(
            int first,
            long from,
            long to,
            List<ReadResult.AbortedTransaction> before,
            Callback<List<ReadResult.AbortedTransaction>> done) {
        List<ReadResult.AbortedTransaction> found = before;
        for (int i = first; i < log.segments.count(); i++) {
            TransactionTail tail = log.segments.get(i).aborted;
            if (tail == null) {
                continue;
            }
            found = found.isEmpty() ? new ArrayList<>() : found;
            if (tail.fileOverlaps(from, to)) {
                readFile(log.segments.get(i), from, to, found, done);
                return;
            }
            if (tail.fileReachesTo(from, to) || tail.pending().collect(from, to, found)) {
                break;
            }
        }
        done.succeed(found);
    }

    private void readFile(
            Segment segment,
            long from,
            long to,
            List<ReadResult.AbortedTransaction> found,
            Callback<List<ReadResult.AbortedTransaction>> done) {
        log.whenNamed(segment, (none, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else if (log.segments.indexOf(segment) < 0) {
                find(from, to, done);
            } else {
                read(segment, from, to, found, done);
            }
        });
    }

    private void read(
            Segment segment,
            long from,
            long to,
            List<ReadResult.AbortedTransaction> found,
            Callback<List<ReadResult.AbortedTransaction>> done) {
        AbortedView view = AbortedView.of(log, segment);
        DiskJob<Boolean> job = files -> view.collect(files, from, to, found);
        log.readByName(segment);
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (complete, failure) -> {
            log.readByNameEnded(segment);
            int at = log.segments.indexOf(segment);
            if (at < 0) {
                // Deleted or compacted meanwhile.
                find(from, to, done);
            } else if (failure != null) {
                done.fail(failure);
            } else if (complete) {
                done.succeed(found);
            } else {
                search(at + 1, from, to, found, done);
            }
        });
    }
}
