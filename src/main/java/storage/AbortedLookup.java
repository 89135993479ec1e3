package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the aborted transactions that overlap what a reader of committed records gets (rule T8): those of late in memory, others in the indexes of their
 * segments by jobs on the BLOCKING lane. Confined to the log's owner.
 */
final class AbortedLookup {

    /** An index that is made anew and damaged again at once is not made anew for ever. */
    private static final int MOST_REPAIRS = 16;

    private final LogState log;
    private final AbortedRepair repair;

    AbortedLookup(LogState log, AbortedRepair repair) {
        this.log = log;
        this.repair = repair;
    }

    /** One lookup on its way. */
    private record Request(long from, long to, int repairsLeft, Callback<List<ReadResult.AbortedTransaction>> done) {}

    /** What one file says: complete, nothing behind it counts; or why it cannot be believed, else null. */
    private record Looked(boolean complete, String damaged) {}

    /** Of all that end at or behind {@code from} and begin before {@code to}, which lies at or below the last stable offset. */
    void find(long from, long to, Callback<List<ReadResult.AbortedTransaction>> done) {
        find(new Request(from, to, MOST_REPAIRS, done));
    }

    private void find(Request request) {
        search(Math.max(0, log.segments.floorIndex(request.from())), request, List.of());
    }

    private void search(int first, Request request, List<ReadResult.AbortedTransaction> before) {
        List<ReadResult.AbortedTransaction> found = before;
        for (int i = first; i < log.segments.count(); i++) {
            TransactionTail tail = log.segments.get(i).aborted;
            if (tail == null) {
                continue;
            }
            found = found.isEmpty() ? new ArrayList<>() : found;
            if (tail.fileOverlaps(request.from(), request.to())) {
                readFile(log.segments.get(i), request, found);
                return;
            }
            if (tail.fileReachesTo(request.from(), request.to())
                    || tail.pending().collect(request.from(), request.to(), found)) {
                break;
            }
        }
        request.done().succeed(found);
    }

    private void readFile(Segment segment, Request request, List<ReadResult.AbortedTransaction> found) {
        log.whenNamed(segment, (none, failure) -> {
            if (failure != null) {
                request.done().fail(failure);
            } else if (log.segments.indexOf(segment) < 0) {
                find(request);
            } else {
                read(segment, request, found);
            }
        });
    }

    private void read(Segment segment, Request request, List<ReadResult.AbortedTransaction> found) {
        AbortedView view = AbortedView.of(log, segment);
        DiskJob<Looked> job = files -> {
            try {
                return new Looked(view.collect(files, request.from(), request.to(), found), null);
            } catch (DamagedIndexException e) {
                return new Looked(false, e.getMessage());
            }
        };
        log.readByName(segment);
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (looked, failure) -> {
            log.readByNameEnded(segment);
            int at = log.segments.indexOf(segment);
            if (at < 0) {
                // Deleted or compacted meanwhile.
                find(request);
            } else if (failure != null) {
                request.done().fail(failure);
            } else if (looked.damaged() != null) {
                repair(segment, looked.damaged(), request);
            } else if (looked.complete()) {
                request.done().succeed(found);
            } else {
                search(at + 1, request, found);
            }
        });
    }

    private void repair(Segment segment, String problem, Request request) {
        if (request.repairsLeft() == 0) {
            request.done().fail(Failure.of(FailureCode.STORAGE_ERROR, problem + ", again and again: check the disk"));
            return;
        }
        Request again = new Request(request.from(), request.to(), request.repairsLeft() - 1, request.done());
        repair.repair(segment, problem, (none, failure) -> {
            if (failure != null) {
                request.done().fail(failure);
            } else {
                find(again);
            }
        });
    }
}
