package replication;

import common.Callback;
import common.Failure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Appends of one partition that wait until the high watermark has passed them (acks=all, rule I6). Each is answered once, those of lower offsets first. Bounded by
 * the requests' memory, which their records hold. Confined to the shard.
 */
final class CommitWaiters {
    private static final Comparator<Waiter> BY_OFFSET =
            Comparator.comparingLong(Waiter::lastOffset).thenComparingLong(Waiter::number);

    private PriorityQueue<Waiter> waiting = new PriorityQueue<>(2, BY_OFFSET);
    private long numbers;

    /** @param deadlineNanos when its answer is REQUEST_TIMED_OUT */
    private record Waiter(long lastOffset, long number, long deadlineNanos, Callback<Void> done) {}

    void await(long lastOffset, long deadlineNanos, Callback<Void> done) {
        waiting.add(new Waiter(lastOffset, numbers++, deadlineNanos, done));
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
        List<Waiter> due = new ArrayList<>();
        PriorityQueue<Waiter> rest = new PriorityQueue<>(Math.max(2, waiting.size()), BY_OFFSET);
        for (Waiter each : waiting) {
            if (each.deadlineNanos - nowNanos <= 0) {
                due.add(each);
            } else {
                rest.add(each);
            }
        }
        waiting = rest;
        fail(due, failure);
    }

    /** The leadership is over: whether they commit is for others to say. */
    void failAll(Failure failure) {
        List<Waiter> all = new ArrayList<>(waiting);
        waiting.clear();
        fail(all, failure);
    }

    private static void fail(List<Waiter> waiters, Failure failure) {
        waiters.sort(BY_OFFSET);
        waiters.forEach(each -> each.done.fail(failure));
    }
}
