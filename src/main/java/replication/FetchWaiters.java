package replication;

import java.util.ArrayList;
import java.util.List;
import storage.ReadBound;

/** The waiting fetches of one partition, and the sessions of those that follow it. Confined to the shard. */
final class FetchWaiters {
    /** Null while there were none yet, as in most partitions. */
    private List<WaitingFetch> waiting;

    /** Null while there were none yet. */
    private List<LeaderWatch> watches;

    /** Bytes that came since the last stable offset moved. */
    private long unstableBytes;

    void add(WaitingFetch fetch) {
        waiting = waiting == null ? new ArrayList<>(1) : waiting;
        waiting.add(fetch);
    }

    void remove(WaitingFetch fetch) {
        if (waiting != null) {
            waiting.remove(fetch);
        }
    }

    void watch(LeaderWatch watch) {
        watches = watches == null ? new ArrayList<>(2) : watches;
        watches.add(watch);
    }

    void unwatch(LeaderWatch watch) {
        if (watches != null) {
            watches.remove(watch);
        }
    }

    /** {@code bytes} more are in the log, for those who read to its end. */
    void written(long bytes) {
        if (watches != null) {
            watches.forEach(each -> each.written(bytes));
        }
        grown(bytes, 0, 0);
    }

    /**
     * {@code bytes} more are below the high watermark.
     *
     * @param stable the last stable offset has moved: also by who reads no open transactions
     */
    void committed(long bytes, boolean stable) {
        if (watches != null) {
            watches.forEach(LeaderWatch::highWatermarkMoved);
        }
        long stableBytes = stable ? unstableBytes + bytes : 0;
        unstableBytes = stable ? 0 : unstableBytes + bytes;
        grown(0, bytes, stableBytes);
    }

    private void grown(long written, long committed, long stable) {
        if (waiting == null || waiting.isEmpty()) {
            return;
        }
        List<WaitingFetch> due = new ArrayList<>(waiting.size());
        for (WaitingFetch each : waiting) {
            if (written == 0 && each.bound() == ReadBound.LOG_END) {
                each.highWatermarkMoved();
            }
            long bytes = switch (each.bound()) {
                case LOG_END -> written;
                case HIGH_WATERMARK -> committed;
                case LAST_STABLE_OFFSET -> stable;
            };
            if (bytes > 0 && each.appended(bytes)) {
                due.add(each);
            }
        }
        // Finishing removes from the list, and may start a new wait at once.
        due.forEach(WaitingFetch::finish);
    }

    /** What the waiters know has changed: all answer. */
    void finishAll() {
        if (watches != null) {
            watches.forEach(LeaderWatch::changed);
        }
        if (waiting != null) {
            List.copyOf(waiting).forEach(WaitingFetch::finish);
        }
    }
}
