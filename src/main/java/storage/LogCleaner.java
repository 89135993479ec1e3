package storage;

import common.Failure;
import common.FailureCode;
import common.Ports;
import common.Timers;
import config.CleanerConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans the compacted logs of one shard, one at a time, the dirtiest first; overdue ones (max.compaction.lag.ms) before the others. A log whose cleaning
 * fails is tried again later, and holds up no other. Confined to the shard.
 */
public final class LogCleaner {

    private static final Logger LOG = LoggerFactory.getLogger(LogCleaner.class);
    private static final long FIRST_RETRY_MILLIS = 15_000;
    private static final long LAST_RETRY_MILLIS = 600_000;

    private final Ports ports;
    private final Supplier<List<PartitionLog>> logs;
    private final CleanerTools tools;
    private final CleanerMetrics metrics;
    private final Map<PartitionLog, Uncleanable> failing = new LinkedHashMap<>();
    private Timers.Handle timer;
    private boolean running;
    private boolean stopped;

    /** A log whose last cleaning failed. */
    private record Uncleanable(long retryNanos, long waitMillis, long dirtyBytes) {}

    private record Choice(PartitionLog log, CleaningPlan plan) {}

    /** @param logs all logs of the shard at the moment, those that are not compacted too */
    public LogCleaner(Ports ports, Supplier<List<PartitionLog>> logs, CleanerTools tools, int shard) {
        this.ports = ports;
        this.logs = logs;
        this.tools = tools;
        this.metrics = new CleanerMetrics(ports.metrics(), shard);
    }

    public void start() {
        again(tools.config().backoffMillis());
    }

    /** Begins no cleaning any more; one under way ends when its log is closed. */
    public void stop() {
        stopped = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    /** In force from the next job on. */
    public void configure(CleanerConfig config) {
        tools.configure(config);
        if (!running && !stopped && timer != null) {
            timer.cancel();
            again(config.backoffMillis());
        }
    }

    private void again(long millis) {
        if (!stopped) {
            timer = ports.timers().after(millis, this::round);
        }
    }

    private void round() {
        timer = null;
        Choice choice = tools.config().enabled() ? choose() : null;
        if (choice == null) {
            again(Math.max(1, tools.config().backoffMillis()));
            return;
        }
        running = true;
        PartitionLog log = choice.log;
        log.clean(tools, (report, failure) -> {
            running = false;
            if (failure != null) {
                failed(choice, failure);
            } else {
                failing.remove(log);
                if (report != null) {
                    told(log, report);
                }
            }
            again(failure != null || report == null ? Math.max(1, tools.config().backoffMillis()) : 0);
        });
    }

    private Choice choose() {
        List<PartitionLog> all = logs.get();
        failing.keySet().retainAll(all);
        long now = ports.clock().monotonicNanos();
        long wallMillis = ports.clock().wallMillis();
        Choice best = null;
        double dirtiest = 0;
        long longestDelay = 0;
        long damagedBytes = 0;
        for (PartitionLog log : all) {
            CleaningPlan plan = log.cleaningPlan(wallMillis);
            if (plan == null) {
                continue;
            }
            dirtiest = Math.max(dirtiest, plan.dirtyRatio());
            longestDelay = Math.max(longestDelay, plan.overdueMillis());
            damagedBytes += plan.damagedBytes();
            Uncleanable waiting = failing.get(log);
            boolean may = waiting == null || now - waiting.retryNanos >= 0;
            if (may && plan.due(log.config().minDirtyRatio()) && (best == null || before(plan, best.plan))) {
                best = new Choice(log, plan);
            }
        }
        metrics.looked(dirtiest, longestDelay, damagedBytes);
        count();
        return best;
    }

    private static boolean before(CleaningPlan a, CleaningPlan b) {
        if (a.overdueMillis() != b.overdueMillis()) {
            return a.overdueMillis() > b.overdueMillis();
        }
        return a.dirtyRatio() > b.dirtyRatio();
    }

    private void count() {
        long bytes = 0;
        for (Uncleanable each : failing.values()) {
            bytes += each.dirtyBytes;
        }
        metrics.uncleanable(failing.size(), bytes);
    }

    private void failed(Choice choice, Failure failure) {
        boolean harmless = failure.code() == FailureCode.SHUTTING_DOWN || failure.code() == FailureCode.OVERLOADED;
        if (harmless) {
            return;
        }
        Uncleanable before = failing.get(choice.log);
        long wait = before == null ? FIRST_RETRY_MILLIS : Math.min(LAST_RETRY_MILLIS, before.waitMillis * 2);
        long retry = ports.clock().monotonicNanos() + wait * 1_000_000L;
        failing.put(choice.log, new Uncleanable(retry, wait, choice.plan.dirtyBytes()));
        count();
        metrics.failed();
        LOG.warn(
                "{} cannot be compacted: {}. Its records stay as they are; tried again in {} s.",
                choice.log.identity().directory(),
                failure.message(),
                wait / 1000);
    }

    private void told(PartitionLog log, CleaningReport report) {
        metrics.cleaned(report);
        count();
        LOG.info(
                "{}: compacted from offset {} to {} in {} ms: {} keys, {} bytes of segments became {}",
                log.identity().directory(),
                report.from(),
                report.end(),
                report.millis(),
                report.keys(),
                report.bytesBefore(),
                report.bytesAfter());
    }
}
