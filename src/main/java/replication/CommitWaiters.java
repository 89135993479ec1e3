package replication;

import common.Callback;
import common.Failure;
import java.util.ArrayDeque;

/**
 * Appends of one partition that wait until the high watermark has passed them (acks=all, rule I6), in the order of their offsets. Each is answered once.
 * Bounded by the requests' memory, which their records hold. Confined to the shard.
 */
final class CommitWaiters {
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>(2);

    /** @param deadlineNanos when its answer is REQUEST_TIMED_OUT */
    private record Waiter(long lastOffset, long deadlineNanos, Callback<Void> done) {}

    /** @param lastOffset above those that wait already */
    void await(long lastOffset, long deadlineNanos, Callback<Void> done) {
        waiting.add(new Waiter(lastOffset, deadlineNanos, done));
    }

    /** Until the earliest deadline, rounded up; -1 when nothing waits. */
    long millisLeft(long nowNanos) {
        long least = Long.MAX_VALUE;
        for (Waiter each : waiting) {
            least = Math.min(least, Math.max(0, each.deadlineNanos - nowNanos));
        }
        return waiting.isEmpty() ? -1 : (least + 999_999) / 1_000_000;
    }

    /** Answers what is below {@code highWatermark}; {@code failure} null: well. */
    void committed(long highWatermark, Failure failure) {
        while (!waiting.isEmpty() && waiting.peek().lastOffset < highWatermark) {
            waiting.poll().done.done(null, failure);
        }
    }

    /** Answers with {@code failure} all whose time is up. */
    void expire(long nowNanos, Failure failure) {
        ArrayDeque<Waiter> all = new ArrayDeque<>(waiting);
        for (Waiter each : all) {
            if (each.deadlineNanos - nowNanos <= 0 && waiting.remove(each)) {
                each.done.fail(failure);
            }
        }
    }

    /** The leadership is over: whether they commit is for others to say. */
    void failAll(Failure failure) {
        ArrayDeque<Waiter> all = new ArrayDeque<>(waiting);
        waiting.clear();
        all.forEach(each -> each.done.fail(failure));
    }
}
