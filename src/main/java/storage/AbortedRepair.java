package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes transaction indexes anew that somebody could not believe, while the log goes on (rules S9, T8): who needs one waits, other readers and appends do not.
 * Where batches are damaged as well, rule S8 stands: what is known to be damaged is passed over. Confined to the log's owner.
 */
final class AbortedRepair {

    private static final Logger LOG = LoggerFactory.getLogger(AbortedRepair.class);
    /** So much unknown rot is looked at for one index. */
    private static final int MOST_FINDINGS = 64;

    private final LogState log;
    private final LogFlusher flusher;
    private final LogScrub scrub;
    private final FileGate gate;
    /** Who waits, by the segment whose index is being made. */
    private final Map<Segment, List<Callback<Void>>> waiting = new LinkedHashMap<>(0);

    /**
     * @param flusher writes no index files meanwhile
     * @param scrub is told where a batch is damaged
     */
    AbortedRepair(LogState log, LogFlusher flusher, LogScrub scrub, FileGate gate) {
        this.log = log;
        this.flusher = flusher;
        this.scrub = scrub;
        this.gate = gate;
    }

    /**
     * Calls back when the index of {@code segment} can be read again, or the segment is gone.
     *
     * @param problem the file, and what is wrong with it
     */
    void repair(Segment segment, String problem, Callback<Void> done) {
        List<Callback<Void>> others = waiting.get(segment);
        if (others != null) {
            others.add(done);
            return;
        }
        List<Callback<Void>> all = new ArrayList<>(1);
        all.add(done);
        waiting.put(segment, all);
        attempt(segment, problem, MOST_FINDINGS);
    }

    private void attempt(Segment segment, String problem, int findingsLeft) {
        gate.whenFree(() -> flusher.turn(finished -> {
            Segment renamed = log.firstRenaming(segment.baseOffset);
            if (gate.held() || renamed != null) {
                finished.run();
                again(segment, renamed, problem, findingsLeft);
            } else {
                rebuild(segment, problem, findingsLeft, finished);
            }
        }));
    }

    private void again(Segment segment, Segment renamed, String problem, int findingsLeft) {
        if (renamed == null) {
            attempt(segment, problem, findingsLeft);
            return;
        }
        log.whenNamed(renamed, (none, failure) -> {
            if (failure != null) {
                fail(segment, problem, failure);
            } else {
                attempt(segment, problem, findingsLeft);
            }
        });
    }

    private void rebuild(Segment segment, String problem, int findingsLeft, Runnable finished) {
        int at = log.segments.indexOf(segment);
        Failure unusable = log.unusable();
        if (at < 0 || segment.aborted == null || unusable != null) {
            finished.run();
            if (unusable != null) {
                fail(segment, problem, unusable);
            } else {
                succeed(segment);
            }
            return;
        }
        List<Segment> read = new ArrayList<>(at + 1);
        for (int i = 0; i <= at; i++) {
            read.add(log.segments.get(i));
        }
        List<DamagedRange> known = new ArrayList<>(log.damage);
        AbortedRebuild job = new AbortedRebuild(
                log.identity,
                read.stream().map(Segment::forJob).toList(),
                segment.aborted.filedEnd(),
                known,
                segment.index == null);
        gate.enter();
        read.forEach(log::readByName);
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (outcome, failure) -> {
            boolean made = failure == null && outcome.rot() == null;
            if (made) {
                made(segment, outcome.tail(), known);
                told(segment, problem);
            } else if (failure != null && failure.code() == FailureCode.SYNC_FAILED) {
                log.context.goOffline(failure);
            }
            read.forEach(log::readByNameEnded);
            gate.left();
            finished.run();
            if (made) {
                flusher.noteIndexes();
                succeed(segment);
            } else if (read.stream().anyMatch(each -> log.segments.indexOf(each) < 0)) {
                // Retention was faster.
                attempt(segment, problem, findingsLeft);
            } else if (failure != null) {
                fail(segment, problem, failure);
            } else {
                examine(segment, problem, findingsLeft, outcome.rot());
            }
        });
    }

    private void made(Segment segment, TransactionTail tail, List<DamagedRange> passedOver) {
        tail.addPending(segment.aborted);
        segment.aborted = tail;
        log.abortedUnsure |= passedOver.stream().anyMatch(range -> range.segmentBase() <= segment.baseOffset);
        if (segment.index == null && !tail.isDurable()) {
            flusher.fileLater(segment);
        }
    }

    private void told(Segment segment, String problem) {
        LOG.warn(
                "{}. It was made anew from the segment's batches and has {} entries: nothing is lost. If this comes again, check the disk",
                problem,
                segment.aborted.count());
    }

    /** Rot that nobody knew of: once it is known, it can be passed over. */
    private void examine(Segment segment, String problem, int findingsLeft, CorruptSegmentException rot) {
        Segment rotten = log.segments.get(Math.max(0, log.segments.floorIndex(rot.segmentBase())));
        scrub.examine(rotten, rot.position(), (found, failure) -> {
            if (failure == null && found && findingsLeft > 0) {
                attempt(segment, problem, findingsLeft - 1);
            } else {
                fail(
                        segment,
                        problem,
                        failure != null ? failure : Failure.of(FailureCode.CORRUPT_BATCH, rot.getMessage()));
            }
        });
    }

    private void succeed(Segment segment) {
        waiting.remove(segment).forEach(each -> each.succeed(null));
    }

    private void fail(Segment segment, String problem, Failure failure) {
        if (segment.aborted.tellFailure()) {
            LOG.error(
                    "{}, and it cannot be made anew: {}. Readers of committed records get an error where they need it; each of them tries again",
                    problem,
                    failure.message());
        }
        Failure told = Failure.of(failure.code(), problem + "; it cannot be made anew: " + failure.message());
        waiting.remove(segment).forEach(each -> each.done(null, told));
    }
}
