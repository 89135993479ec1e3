package verticles;

import common.Clock;
import common.Timers;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The deadlines of one owner's open calls, on a coarse wheel: adding and removing one costs a few writes, and there is one timer for all of them, which runs
 * only while calls are open. A call expires at most two ticks late and never early. Owner only.
 */
final class CallDeadlines {
    static final long TICK_MILLIS = 100;
    private static final long TICK_NANOS = TICK_MILLIS * 1_000_000;
    private static final int SLOTS = 512;

    private final Clock clock;
    private final Timers timers;
    private final PendingCall<?, ?>[] slots = new PendingCall<?, ?>[SLOTS];
    private final Queue<PendingCall<?, ?>> due = new ArrayDeque<>();
    private final long startNanos;
    private long sweptTick;
    private int open;
    private boolean ticking;

    CallDeadlines(Clock clock, Timers timers) {
        this.clock = clock;
        this.timers = timers;
        this.startNanos = clock.monotonicNanos();
    }

    int open() {
        return open;
    }

    long nowNanos() {
        return clock.monotonicNanos();
    }

    void add(PendingCall<?, ?> call) {
        int slot = (int) ((tickOf(call.deadlineNanos) + 1) % SLOTS);
        PendingCall<?, ?> first = slots[slot];
        call.slot = slot;
        call.laterDeadline = first;
        if (first != null) {
            first.earlierDeadline = call;
        }
        slots[slot] = call;
        open++;
        if (!ticking) {
            ticking = true;
            sweptTick = tickOf(clock.monotonicNanos());
            timers.after(TICK_MILLIS, this::tick);
        }
    }

    void remove(PendingCall<?, ?> call) {
        PendingCall<?, ?> before = call.earlierDeadline;
        PendingCall<?, ?> after = call.laterDeadline;
        if (before == null) {
            slots[call.slot] = after;
        } else {
            before.laterDeadline = after;
        }
        if (after != null) {
            after.earlierDeadline = before;
        }
        call.earlierDeadline = null;
        call.laterDeadline = null;
        open--;
    }

    private long tickOf(long nanos) {
        return (nanos - startNanos) / TICK_NANOS;
    }

    private void tick() {
        long now = clock.monotonicNanos();
        long nowTick = tickOf(now);
        long from = Math.max(sweptTick + 1, nowTick - SLOTS + 1);
        for (long tick = from; tick <= nowTick; tick++) {
            collectDue(slots[(int) (tick % SLOTS)], now);
        }
        sweptTick = nowTick;
        if (open > 0) {
            timers.after(TICK_MILLIS, this::tick);
        } else {
            ticking = false;
        }
        PendingCall<?, ?> call;
        while ((call = due.poll()) != null) {
            call.expire();
        }
    }

    private void collectDue(PendingCall<?, ?> first, long now) {
        PendingCall<?, ?> call = first;
        while (call != null) {
            PendingCall<?, ?> next = call.laterDeadline;
            if (call.deadlineNanos - now <= 0) {
                remove(call);
                due.add(call);
            }
            call = next;
        }
    }
}
