package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Metrics;
import common.PartitionId;
import common.Ports;
import common.Timers;
import config.LogConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import storage.LogIdentity;
import storage.LogStart;

/**
 * Partitions whose log could not be opened: tried again, ever more rarely, until they open, are deleted or the node stops (rule L6). Not those of a
 * directory that is offline: a failed sync is final (rule S3). Confined to the shard.
 */
final class UnopenedPartitions {
    private static final Logger LOG = LoggerFactory.getLogger(UnopenedPartitions.class);
    private static final long FIRST_RETRY_MILLIS = 1_000;
    private static final long MAX_RETRY_MILLIS = 30_000;

    private final Timers timers;
    private final Metrics.Counter failures;
    private final Retry retry;
    private final Map<PartitionId, Entry> entries = new LinkedHashMap<>();
    private Callback<Void> stopped;

    /** All that opening a partition's log takes. */
    record Opening(PartitionId id, ShardDirectory directory, LogIdentity identity, LogStart start, LogConfig config) {

        /** What an attempt that failed half-way has left is looked at as after a crash. */
        private Opening again() {
            return new Opening(id, directory, identity, start.unclean(), config);
        }
    }

    /** Opens a log and serves it; not called again for the same partition before {@code done}. */
    @FunctionalInterface
    interface Retry {
        void open(Opening opening, Callback<Void> done);
    }

    private static final class Entry {
        private Opening opening;
        private Failure why;
        private long retryMillis = FIRST_RETRY_MILLIS;
        private Timers.Handle timer;
        private boolean trying;
        private Consumer<Opening> withdrawn;
    }

    UnopenedPartitions(Ports ports, Retry retry) {
        this.timers = ports.timers();
        this.retry = retry;
        this.failures = ports.metrics()
                .counter("highwater_log_openfailures_total", "Attempts to open a partition's log that failed");
    }

    /** Null when the partition is not one of them. */
    Failure failureOf(PartitionId id) {
        Entry entry = entries.get(id);
        return entry == null ? null : entry.why;
    }

    /** The first attempt failed. */
    void failed(Opening opening, Failure why) {
        Entry entry = new Entry();
        entry.opening = opening.again();
        entries.put(opening.id(), entry);
        failedAgain(entry, why);
    }

    private void failedAgain(Entry entry, Failure why) {
        failures.add(1);
        Failure before = entry.why;
        entry.why = Failure.of(FailureCode.STORAGE_ERROR, why.message());
        boolean again = entry.opening.directory().failure() == null && stopped == null;
        if (!entry.why.equals(before) || !again) {
            LOG.error(
                    "partition {} in {} cannot be opened and is not served{}: {}",
                    entry.opening.identity().directory(),
                    entry.opening.directory().path(),
                    again ? "; tried again until it can, first in " + entry.retryMillis + " ms" : "",
                    why.message());
        }
        if (again) {
            entry.timer = timers.after(entry.retryMillis, () -> tryAgain(entry));
            entry.retryMillis = Math.min(2 * entry.retryMillis, MAX_RETRY_MILLIS);
        }
    }

    private void tryAgain(Entry entry) {
        entry.timer = null;
        if (entry.opening.directory().failure() != null) {
            return;
        }
        Opening tried = entry.opening;
        entry.trying = true;
        retry.open(tried, (none, failure) -> {
            entry.trying = false;
            if (failure == null) {
                entries.remove(tried.id());
                LOG.info(
                        "partition {} in {} is open and served now",
                        tried.identity().directory(),
                        tried.directory().path());
            }
            if (entry.withdrawn != null) {
                entry.withdrawn.accept(failure == null ? null : entry.opening);
            } else if (failure != null) {
                failedAgain(entry, failure);
            }
            endStop();
        });
    }

    /** The partition is deleted: no more attempts. {@code then} gets what was not opened, or null: it is open, or unknown here. */
    void withdraw(PartitionId id, Consumer<Opening> then) {
        Entry entry = entries.get(id);
        if (entry == null) {
            then.accept(null);
        } else if (entry.trying) {
            entry.withdrawn = opening -> {
                entries.remove(id);
                then.accept(opening);
            };
        } else {
            entries.remove(id);
            if (entry.timer != null) {
                entry.timer.cancel();
            }
            then.accept(entry.opening);
        }
    }

    /** No more attempts. Fails, when those under way have ended, if a log was never opened: nothing may call its directory clean (rule S6). */
    void stop(Callback<Void> done) {
        stopped = done;
        for (Entry each : entries.values()) {
            if (each.timer != null) {
                each.timer.cancel();
                each.timer = null;
            }
        }
        endStop();
    }

    private void endStop() {
        if (stopped == null || entries.values().stream().anyMatch(each -> each.trying)) {
            return;
        }
        Callback<Void> done = stopped;
        stopped = (none, failure) -> {};
        if (entries.isEmpty()) {
            done.succeed(null);
        } else {
            Entry first = entries.values().iterator().next();
            done.fail(
                    FailureCode.STORAGE_ERROR,
                    entries.size() + " partition(s) could not be opened, such as "
                            + first.opening.identity().directory() + ": " + first.why.message()
                            + ". The next start checks the logs as after a crash");
        }
    }
}
