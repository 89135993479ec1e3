package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Timers;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.BatchFilter;

/**
 * Cleans one log: one job after the other reads keys, then writes and puts in place one cleaned segment after the other. Appends and reads go on meanwhile;
 * readers of what was replaced keep their files. Nothing of the log changes but its list of closed segments. Confined to the log's owner.
 */
final class LogCompaction {

    private static final Logger LOG = LoggerFactory.getLogger(LogCompaction.class);
    private static final long SWAP_RETRY_MILLIS = 5_000;

    private final LogState log;
    private final LogRetention retention;
    private boolean running;
    private boolean swapping;
    private boolean cancelled;
    private Timers.Handle pause;
    private Runnable paused;
    private Runnable whenIdle;

    // One cleaning:
    private CleanerTools tools;
    private Callback<CleaningReport> done;
    private CleaningPlan plan;
    private long startNanos;
    private OffsetMap map;
    private KeyScan scan;
    private SegmentCleaner.Rules rules;
    /** Being read at the moment. */
    private List<Segment> reading;

    private List<List<Segment>> groups;
    private int group;
    private long bytesBefore;
    private long bytesAfter;

    LogCompaction(LogState log, LogRetention retention) {
        this.log = log;
        this.retention = retention;
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

    /** Segments are being replaced: nobody else may take any away, or look at files by their names. */
    boolean swapping() {
        return swapping;
    }

    /** One cleaning. The report is null when there was nothing to be done after all. */
    void run(CleanerTools shared, Callback<CleaningReport> whenDone) {
        Failure unusable = log.unusable();
        if (running || unusable != null) {
            Failure busy = Failure.of(FailureCode.OVERLOADED, "the log is being cleaned already");
            whenDone.fail(unusable != null ? unusable : busy);
            return;
        }
        long wallMillis = log.context.ports().clock().wallMillis();
        plan = CleaningPlan.of(log, wallMillis);
        if (!log.config.cleanupCompact() || plan.dirtyBytes() == 0) {
            whenDone.succeed(null);
            return;
        }
        begin();
        tools = shared;
        done = whenDone;
        startNanos = log.context.ports().clock().monotonicNanos();
        bytesBefore = 0;
        bytesAfter = 0;
        KeyHash hash = new KeyHash(
                log.context.ports().random().nextLong(),
                log.context.ports().random().nextLong());
        map = new OffsetMap(hash, tools.mapBytes(), tools.config().loadFactor());
        reading = new ArrayList<>();
        List<SegmentView> dirty = new ArrayList<>();
        for (int i = Math.max(0, log.segments.floorIndex(plan.from())); i < log.segments.count() - 1; i++) {
            if (log.segments.get(i).baseOffset < plan.end()) {
                reading.add(log.segments.get(i));
                dirty.add(view(log.segments.get(i)));
            }
        }
        TransactionPass transactions = new TransactionPass(aborted(plan.from()), Long.MAX_VALUE);
        scan = new KeyScan(dirty, plan.from(), plan.end(), transactions, map, new BatchFilter(), tools.bufferBytes());
        scanNext();
    }

    private AbortedStream aborted(long from) {
        return new AbortedStream(AbortedView.of(log, from), from);
    }

    private SegmentView view(Segment segment) {
        return new SegmentView(log.identity, segment.baseOffset, segment.size, null, 0);
    }

    private void scanNext() {
        KeyScan now = scan;
        int bytes = tools.stepBytes();
        step(files -> now.step(files, bytes), () -> {
            if (now.finished()) {
                scanned();
            } else {
                scanNext();
            }
        });
    }

    private void scanned() {
        if (scan.end() <= plan.from() && !scan.full()) {
            end(null, null);
            return;
        }
        if (scan.end() <= plan.from()) {
            fail(Failure.of(
                    FailureCode.STORAGE_ERROR,
                    "the keys of the batch at offset " + plan.from() + " do not fit in the cleaner's memory ("
                            + map.capacity() + " keys): raise log.cleaner.dedupe.buffer.size"));
            return;
        }
        long first = log.segments.first().baseOffset;
        rules = new SegmentCleaner.Rules(
                map,
                scan.end(),
                log.context.ports().clock().wallMillis(),
                log.config.deleteRetentionMillis(),
                log.producers.tails(scan.end()),
                new TransactionPass(aborted(first), scan.end()),
                new BatchFilter(),
                log.context.limits().reserveBytes());
        groups = SegmentGroups.of(log.segments, scan.end(), log.config);
        group = 0;
        cleanGroup();
    }

    private void cleanGroup() {
        if (group == groups.size()) {
            finished();
            return;
        }
        List<Segment> sources = groups.get(group);
        reading = sources;
        List<SegmentView> views = new ArrayList<>(sources.size());
        boolean transactions = false;
        for (Segment each : sources) {
            if (log.segments.indexOf(each) < 0) {
                fail(gone());
                return;
            }
            views.add(view(each));
            transactions |= each.aborted != null;
        }
        CleanedSegment target = new CleanedSegment(
                log.identity,
                sources.get(0).baseOffset,
                sources.get(sources.size() - 1).createdMillis,
                log.config.indexIntervalBytes(),
                transactions,
                tools.bufferBytes());
        cleanNext(new SegmentCleaner(rules, views, target, tools.bufferBytes()));
    }

    private static Failure gone() {
        return Failure.of(FailureCode.OVERLOADED, "retention has deleted some of its segments meanwhile");
    }

    private void cleanNext(SegmentCleaner cleaner) {
        int bytes = tools.stepBytes();
        abandoned = cleaner;
        step(files -> cleaner.step(files, bytes), () -> {
            if (cleaner.finished()) {
                finishGroup(cleaner);
            } else {
                cleanNext(cleaner);
            }
        });
    }

    /** What must be cleared away if the cleaning ends now; or null. */
    private SegmentCleaner abandoned;

    private void finishGroup(SegmentCleaner cleaner) {
        if (!cleaner.changed()) {
            long size = groups.get(group).get(0).size;
            bytesBefore += size;
            bytesAfter += size;
            abandon(this::nextGroup);
            return;
        }
        step(cleaner::finish, () -> retention.whenIdle(() -> swap(cleaner, cleaner.cleaned())));
    }

    private void nextGroup() {
        group++;
        cleanGroup();
    }

    /** Retention is idle, and stays so while {@link #swapping}. */
    private void swap(SegmentCleaner cleaner, Segment fresh) {
        List<Segment> sources = groups.get(group);
        boolean there = log.segments.indexOf(sources.get(0)) >= 0;
        if (!there || cancelled || log.unusable() != null) {
            fail(gone());
            return;
        }
        swapping = true;
        abandoned = null;
        List<FileHandle> handles = cleaner.takeSources();
        for (int i = 0; i < sources.size(); i++) {
            log.context.openFiles().pin(sources.get(i), handles.get(i));
        }
        if (log.context.ports().mutations().active("swap-under-readers")) {
            sources.forEach(each -> each.readsByName = 0);
            sources.forEach(log.context.openFiles()::unpin);
        }
        log.onReadByName = () -> swapWhenUnread(fresh);
        swapWhenUnread(fresh);
    }

    /** Jobs that have yet to open a file by its name must not find another one there. */
    private void swapWhenUnread(Segment fresh) {
        List<Long> bases = new ArrayList<>();
        for (Segment each : groups.get(group)) {
            if (each.readsByName > 0) {
                return;
            }
            bases.add(each.baseOffset);
        }
        log.onReadByName = null;
        log.renaming(groups.get(group));
        swapFiles(fresh, bases);
    }

    private void swapFiles(Segment fresh, List<Long> bases) {
        String directory = log.identity.directory();
        log.context
                .disk()
                .run(
                        DiskExecutor.Lane.BLOCKING,
                        files -> new SegmentSwap(
                                        files, directory, log.context.ports().mutations())
                                .run(fresh.baseOffset, bases),
                        (old, failure) -> {
                            if (failure == null) {
                                install(fresh, old);
                            } else {
                                retrySwap(fresh, bases, failure);
                            }
                        });
    }

    /** A swap that has begun must end: the files are half renamed. Readers have the old ones open. */
    private void retrySwap(Segment fresh, List<Long> bases, Failure failure) {
        log.renamed(failure);
        if (failure.code() == FailureCode.SYNC_FAILED) {
            log.context.goOffline(failure);
        }
        if (cancelled || log.unusable() != null) {
            // The next start completes it.
            groups.get(group).forEach(log.context.openFiles()::unpin);
            fail(failure);
            return;
        }
        log.renaming(groups.get(group));
        LOG.warn(
                "{}: a cleaned segment could not be put in its place: {}. It is tried again.",
                log.identity.directory(),
                failure.message());
        wait(SWAP_RETRY_MILLIS, () -> swapFiles(fresh, bases));
    }

    private void install(Segment fresh, List<String> old) {
        List<Segment> sources = groups.get(group);
        int index = log.segments.indexOf(sources.get(0));
        log.segments.replace(index, sources.size(), fresh);
        log.recent.clear();
        for (Segment each : sources) {
            bytesBefore += each.size;
            log.context.openFiles().drop(each);
            log.forgetDamage(each);
        }
        bytesAfter += fresh.size;
        swapping = false;
        log.renamed(null);
        retention.unlinkLater(old);
        if (cancelled || log.unusable() != null) {
            fail(gone());
        } else {
            nextGroup();
        }
    }

    private void finished() {
        log.cleanedTo = scan.end();
        long millis = (log.context.ports().clock().monotonicNanos() - startNanos) / 1_000_000L;
        CleaningReport report = new CleaningReport(
                plan.from(),
                scan.end(),
                map.size(),
                (double) map.size() / map.capacity(),
                bytesBefore,
                bytesAfter,
                millis);
        log.context.segmentClosed();
        end(report, null);
    }

    private void fail(Failure failure) {
        abandon(() -> end(null, failure));
    }

    private void abandon(Runnable then) {
        SegmentCleaner left = abandoned;
        abandoned = null;
        if (left == null) {
            then.run();
            return;
        }
        DiskJob<Void> clear = files -> {
            left.abandon(files);
            return null;
        };
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, clear, (none, failure) -> then.run());
    }

    private void end(CleaningReport report, Failure failure) {
        Callback<CleaningReport> told = done;
        done = null;
        scan = null;
        map = null;
        rules = null;
        groups = null;
        reading = null;
        swapping = false;
        log.onReadByName = null;
        idle();
        told.done(report, failure);
    }

    private void idle() {
        running = false;
        Runnable task = whenIdle;
        whenIdle = null;
        if (task != null) {
            task.run();
        }
    }

    /** Runs a job, keeps to the rate, goes on with {@code next}; ends the cleaning when it failed or is not wanted any more. */
    private void step(DiskJob<Integer> job, Runnable next) {
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (bytes, failure) -> {
            if (failure != null) {
                if (failure.code() == FailureCode.SYNC_FAILED) {
                    log.context.goOffline(failure);
                }
                boolean retained = reading.stream().allMatch(each -> log.segments.indexOf(each) >= 0);
                fail(retained ? failure : gone());
                return;
            }
            wait(tools.pauseMillis(bytes), () -> {
                if (cancelled || log.unusable() != null || !log.config.cleanupCompact()) {
                    fail(Failure.of(FailureCode.SHUTTING_DOWN, "the log is closed, cut, deleted or not compacted now"));
                } else {
                    next.run();
                }
            });
        });
    }

    private void wait(long millis, Runnable then) {
        if (millis <= 0) {
            then.run();
            return;
        }
        paused = then;
        pause = log.context.ports().timers().after(millis, this::goOn);
    }

    private void goOn() {
        Runnable then = paused;
        pause = null;
        paused = null;
        then.run();
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
        if (pause != null) {
            pause.cancel();
            goOn();
        }
    }
}
