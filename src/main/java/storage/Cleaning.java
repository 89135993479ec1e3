package storage;

import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.BatchFilter;

/**
 * One cleaning of one log: reads keys, then writes and puts in place one cleaned segment after the other, in many small jobs. Segments of which some is damaged
 * stay as they are (rule K6): what can be read of their keys counts, and what may hide a value of theirs, tombstones and markers behind them, stays too. Confined
 * to the log's owner.
 */
final class Cleaning {

    private static final Logger LOG = LoggerFactory.getLogger(Cleaning.class);

    private final LogState log;
    private final LogRetention retention;
    private final CleanerTools tools;
    private final CleaningPlan plan;
    private final Ended ended;
    private final CleanerPause pause;
    private final long startNanos;
    private final OffsetMap map;
    private final KeyScan scan;
    /** Base of the first segment that stays as it is; MAX_VALUE: none. */
    private final long unsureFrom;
    /** What is in transactions below stays, since nobody knows how they ended. */
    private final long undecidedBelow;

    private boolean cancelled;
    private boolean swapping;
    /** Being read at the moment. */
    private List<Segment> reading = new ArrayList<>();

    private SegmentCleaner.Rules rules;
    private List<List<Segment>> groups;
    private int group;
    /** What must be cleared away if the cleaning ends now; or null. */
    private SegmentCleaner abandoned;

    private long bytesBefore;
    private long bytesAfter;

    /** Told once, when nothing of the cleaning is on its way. */
    @FunctionalInterface
    interface Ended {
        /** All null: there was nothing to be done. {@code damaged}: a CorruptSegmentException or DamagedIndexException, nothing else is wrong. */
        void done(CleaningReport report, Failure failure, IOException damaged);
    }

    /** What one job did: how many bytes it read and wrote, or what it met. */
    private record Step(int bytes, IOException damaged) {}

    /** @param plan with something dirty */
    Cleaning(LogState log, LogRetention retention, CleanerTools tools, CleaningPlan plan, Ended ended) {
        this.log = log;
        this.retention = retention;
        this.tools = tools;
        this.plan = plan;
        this.ended = ended;
        this.pause = new CleanerPause(log.context.ports().timers());
        this.startNanos = log.context.ports().clock().monotonicNanos();
        KeyHash hash = new KeyHash(
                log.context.ports().random().nextLong(),
                log.context.ports().random().nextLong());
        this.map = new OffsetMap(hash, tools.mapBytes(), tools.config().loadFactor());
        this.unsureFrom = firstLeftAlone();
        this.undecidedBelow = log.abortedUnsure
                ? log.damage.stream().mapToLong(DamagedRange::toOffset).max().orElse(0)
                : 0;
        List<BatchStream.Source> dirty = new ArrayList<>();
        for (int i = Math.max(0, log.segments.floorIndex(plan.from())); i < log.segments.count() - 1; i++) {
            if (log.segments.get(i).baseOffset < plan.end()) {
                reading.add(log.segments.get(i));
                for (SegmentView part : log.soundParts(log.segments.get(i), null)) {
                    dirty.add(new BatchStream.Source(part, log.segments.get(i + 1).baseOffset));
                }
            }
        }
        this.scan = new KeyScan(
                dirty,
                plan.from(),
                plan.end(),
                transactions(plan.from(), Long.MAX_VALUE),
                map,
                new BatchFilter(),
                tools.bufferBytes());
    }

    private TransactionPass transactions(long from, long end) {
        return new TransactionPass(new AbortedStream(AbortedView.of(log, from), from), end, unsureFrom, undecidedBelow);
    }

    private long firstLeftAlone() {
        long first = Long.MAX_VALUE;
        for (int i = 0; i < log.segments.count() - 1; i++) {
            Segment segment = log.segments.get(i);
            if (segment.baseOffset >= plan.end() || !log.isDamaged(segment)) {
                continue;
            }
            first = Math.min(first, segment.baseOffset);
            if (!segment.leftAlone) {
                segment.leftAlone = true;
                LOG.warn(
                        "{}: segment {} ({} bytes) is not compacted, since some of it is damaged on this disk (rule K6); the others are, but tombstones"
                                + " behind it stay",
                        log.identity.directory(),
                        segment.baseOffset,
                        segment.size);
            }
        }
        return first;
    }

    void run() {
        int bytes = tools.stepBytes();
        step(files -> scan.step(files, bytes), () -> {
            if (scan.finished()) {
                scanned();
            } else {
                run();
            }
        });
    }

    /** Ends it as soon as nothing of it is on its way. */
    void cancel() {
        cancelled = true;
        pause.hurry();
    }

    /** Segments are being replaced: nobody else may take any away, or look at files by their names. */
    boolean swapping() {
        return swapping;
    }

    private void scanned() {
        if (scan.end() <= plan.from() && !scan.full()) {
            ended.done(null, null, null);
            return;
        }
        if (scan.end() <= plan.from()) {
            fail(Failure.of(
                    FailureCode.STORAGE_ERROR,
                    "the keys of the batch at offset " + plan.from() + " do not fit in the cleaner's memory ("
                            + map.capacity() + " keys): raise log.cleaner.dedupe.buffer.size"));
            return;
        }
        rules = new SegmentCleaner.Rules(
                map,
                scan.end(),
                log.context.ports().clock().wallMillis(),
                log.config.deleteRetentionMillis(),
                log.producers.tails(scan.end()),
                transactions(log.segments.first().baseOffset, scan.end()),
                new BatchFilter(),
                unsureFrom,
                log.context.limits().reserveBytes());
        groups = SegmentGroups.of(log.segments, scan.end(), log.config, log::isDamaged);
        cleanGroup();
    }

    private void cleanGroup() {
        if (group == groups.size()) {
            finished();
            return;
        }
        List<Segment> sources = groups.get(group);
        reading = sources;
        List<BatchStream.Source> views = new ArrayList<>(sources.size());
        boolean transactions = false;
        for (Segment each : sources) {
            int index = log.segments.indexOf(each);
            if (index < 0) {
                fail(gone());
                return;
            }
            if (log.isDamaged(each)) {
                fail(rotten());
                return;
            }
            SegmentView view = new SegmentView(log.identity, each.baseOffset, each.size, null, 0);
            views.add(new BatchStream.Source(view, log.segments.get(index + 1).baseOffset));
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

    private static Failure rotten() {
        return Failure.of(FailureCode.OVERLOADED, "some of its segments were found to be damaged meanwhile");
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
        if (log.segments.indexOf(sources.get(0)) < 0 || unwanted()) {
            fail(gone());
            return;
        }
        if (sources.stream().anyMatch(log::isDamaged)) {
            fail(rotten());
            return;
        }
        swapping = true;
        abandoned = null;
        SegmentInstall install = new SegmentInstall(log, retention, pause, this::unwanted, sources, fresh, failure -> {
            swapping = false;
            if (failure == null) {
                sources.forEach(each -> bytesBefore += each.size);
                bytesAfter += fresh.size;
            }
            if (failure != null || unwanted()) {
                fail(failure != null ? failure : gone());
            } else {
                nextGroup();
            }
        });
        install.run(cleaner.takeSources());
    }

    private boolean unwanted() {
        return cancelled || log.unusable() != null;
    }

    private void finished() {
        log.cleanedTo = scan.end();
        if (unsureFrom == Long.MAX_VALUE && log.cleanedTo >= log.recleanTo) {
            log.recleanTo = -1;
        }
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
        ended.done(report, null, null);
    }

    private void fail(Failure failure) {
        abandon(() -> ended.done(null, failure, null));
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

    private static DiskJob<Step> watched(DiskJob<Integer> job) {
        return files -> {
            try {
                return new Step(job.run(files), null);
            } catch (CorruptSegmentException | DamagedIndexException damaged) {
                return new Step(0, damaged);
            }
        };
    }

    /** Runs a job, keeps to the rate, goes on with {@code next}; ends the cleaning when it failed or is not wanted any more. */
    private void step(DiskJob<Integer> job, Runnable next) {
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, watched(job), (done, failure) -> {
            boolean retained = reading.stream().allMatch(each -> log.segments.indexOf(each) >= 0);
            if (failure != null) {
                if (failure.code() == FailureCode.SYNC_FAILED) {
                    log.context.goOffline(failure);
                }
                fail(retained ? failure : gone());
                return;
            }
            if (done.damaged() != null) {
                abandon(() -> ended.done(null, retained ? null : gone(), retained ? done.damaged() : null));
                return;
            }
            pause.wait(tools.pauseMillis(done.bytes()), () -> {
                if (unwanted() || !log.config.cleanupCompact()) {
                    fail(Failure.of(FailureCode.SHUTTING_DOWN, "the log is closed, cut, deleted or not compacted now"));
                } else {
                    next.run();
                }
            });
        });
    }
}
