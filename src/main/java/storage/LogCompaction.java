package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The cleanings of one log, one at a time: whether one is due, its start and its end, and that nothing else changes the log's shape meanwhile. Appends and reads
 * go on; nothing of the log changes but its list of closed segments. Confined to the log's owner.
 */
final class LogCompaction {

    /** So much unknown rot is looked at in one go; more is for the next. */
    private static final int MOST_FINDINGS = 64;

    private final LogState log;
    private final LogRetention retention;
    private final LogScrub scrub;
    private final AbortedRepair repair;
    private boolean running;
    private boolean cancelled;
    private Cleaning cleaning;
    private Runnable whenIdle;

    /**
     * @param scrub is told where a cleaning met no valid batch
     * @param repair is told where it met a transaction index that cannot be believed
     */
    LogCompaction(LogState log, LogRetention retention, LogScrub scrub, AbortedRepair repair) {
        this.log = log;
        this.retention = retention;
        this.scrub = scrub;
        this.repair = repair;
    }

    /** Null when the log is not compacted, or is being cleaned. What has to be looked up first is looked up for the next time. */
    CleaningPlan plan(long wallMillis) {
        if (!log.config.cleanupCompact() || running || log.unusable() != null) {
            return null;
        }
        boolean timesMatter =
                log.config.minCompactionLagMillis() > 0 || log.config.maxCompactionLagMillis() < Long.MAX_VALUE;
        CleaningPlan now = CleaningPlan.of(log, wallMillis);
        if (timesMatter) {
            learnTimes();
        }
        return running ? null : now;
    }

    private void learnTimes() {
        List<Segment> unknown = new ArrayList<>();
        for (int i = 0; i < log.segments.count() - 1 && unknown.size() < SegmentGroups.MAX_SEGMENTS; i++) {
            Segment segment = log.segments.get(i);
            if (!segment.maxTimestampKnown && segment.index == null) {
                unknown.add(segment);
            }
        }
        if (!unknown.isEmpty()) {
            begin();
            SegmentTimes.learn(log, unknown, (none, failure) -> idle());
        }
    }

    private void begin() {
        running = true;
        cancelled = false;
    }

    /** As {@link Cleaning#swapping}. */
    boolean swapping() {
        return cleaning != null && cleaning.swapping();
    }

    /** One cleaning. The report is null when there was nothing to be done after all. */
    void run(CleanerTools tools, Callback<CleaningReport> done) {
        Failure unusable = log.unusable();
        if (running || unusable != null) {
            Failure busy = Failure.of(FailureCode.OVERLOADED, "the log is being cleaned already");
            done.fail(unusable != null ? unusable : busy);
            return;
        }
        begin();
        attempt(tools, MOST_FINDINGS, (report, failure) -> {
            cleaning = null;
            idle();
            done.done(report, failure);
        });
    }

    private void attempt(CleanerTools tools, int findingsLeft, Callback<CleaningReport> done) {
        CleaningPlan plan = CleaningPlan.of(log, log.context.ports().clock().wallMillis());
        if (!log.config.cleanupCompact() || plan.dirtyBytes() == 0) {
            done.succeed(null);
            return;
        }
        // What is gone around must be noted first: a later start, when it may be whole again, must not trust the
        // cleaner's checkpoint.
        scrub.note((none, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else if (cancelled || log.unusable() != null) {
                done.fail(stopped());
            } else {
                clean(plan, tools, findingsLeft, done);
            }
        });
    }

    private static Failure stopped() {
        return Failure.of(FailureCode.SHUTTING_DOWN, "the log is closed, cut or deleted now");
    }

    private void clean(CleaningPlan plan, CleanerTools tools, int findingsLeft, Callback<CleaningReport> done) {
        cleaning = new Cleaning(log, retention, tools, plan, (report, failure, damaged) -> {
            if (report != null) {
                scrub.note((none, again) -> done.succeed(report));
            } else if (damaged == null) {
                done.done(null, failure);
            } else {
                examine(damaged, tools, findingsLeft, done);
            }
        });
        cleaning.run();
    }

    /** Damage that nobody knew of. Once rot is known, its segment is left as it is; an index is made anew. */
    private void examine(IOException damaged, CleanerTools tools, int findingsLeft, Callback<CleaningReport> done) {
        cleaning = null;
        Callback<Boolean> goOn = (found, failure) -> {
            if (cancelled || log.unusable() != null) {
                done.fail(stopped());
            } else if (failure != null || !found || findingsLeft == 0) {
                done.fail(FailureCode.STORAGE_ERROR, damaged.getMessage());
            } else {
                attempt(tools, findingsLeft - 1, done);
            }
        };
        if (damaged instanceof DamagedIndexException index) {
            repair.repair(
                    segment(index.segmentBase()),
                    index.getMessage(),
                    (none, failure) -> goOn.done(failure == null, failure));
        } else if (damaged instanceof CorruptSegmentException rot) {
            scrub.examine(segment(rot.segmentBase()), rot.position(), goOn);
        }
    }

    private Segment segment(long base) {
        return log.segments.get(Math.max(0, log.segments.floorIndex(base)));
    }

    private void idle() {
        running = false;
        Runnable task = whenIdle;
        whenIdle = null;
        if (task != null) {
            task.run();
        }
    }

    /** Ends the cleaning under way, if any, and runs {@code task} once nothing of it is on its way. */
    void stop(Runnable task) {
        if (!running) {
            task.run();
            return;
        }
        cancelled = true;
        Runnable before = whenIdle;
        whenIdle = before == null
                ? task
                : () -> {
                    before.run();
                    task.run();
                };
        if (cleaning != null) {
            cleaning.cancel();
        }
    }
}
