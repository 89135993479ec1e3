package replication;

import java.util.ArrayList;
import java.util.List;

/** The waiting fetches of one partition. Confined to the shard. */
final class FetchWaiters {
    private final List<WaitingFetch> waiting = new ArrayList<>(1);

    void add(WaitingFetch fetch) {
        waiting.add(fetch);
    }

    void remove(WaitingFetch fetch) {
        waiting.remove(fetch);
    }

    /** {@code bytes} more can be read. */
    void appended(long bytes) {
        if (waiting.isEmpty()) {
            return;
        }
        List<WaitingFetch> due = new ArrayList<>(waiting.size());
        for (WaitingFetch each : waiting) {
            if (each.appended(bytes)) {
                due.add(each);
            }
        }
        // Finishing removes from the list, and may start a new wait at once.
        due.forEach(WaitingFetch::finish);
    }

    /** What the waiters know has changed: all answer. */
    void finishAll() {
        List.copyOf(waiting).forEach(WaitingFetch::finish);
    }
}
