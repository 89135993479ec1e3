package protocol;

import java.util.ArrayDeque;

/**
 * The bytes of requests that the connections of one server instance hold together (queued.max.request.bytes): counted as they arrive, not as they
 * are announced. Past the bound connections wait in line. So that half-read requests cannot block each other for ever, the first in line may go on
 * beyond the bound until its request is whole; the overshoot is one request at most. On the instance's thread only.
 */
public final class RequestMemory {
    private final long limit;
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    private Waiter overdrawn;
    private long used;

    /** Someone who stopped reading for want of memory. */
    interface Waiter {
        /** It may go on; called once per {@link #await}, from within another connection's {@link #release}. */
        void memoryAvailable();
    }

    /** @param limit bytes, > 0 */
    public RequestMemory(long limit) {
        this.limit = limit;
    }

    /** Bytes held now. */
    public long used() {
        return used;
    }

    /** True if {@code who} may read on. */
    boolean mayRead(Waiter who) {
        return (used < limit && waiting.isEmpty()) || who == overdrawn;
    }

    void charge(int bytes) {
        used += bytes;
    }

    void release(int bytes) {
        used -= bytes;
        wake();
    }

    /** Puts {@code who} in line, unless it stands there. */
    void await(Waiter who) {
        if (!waiting.contains(who)) {
            waiting.add(who);
            wake();
        }
    }

    /** {@code who} has its request whole, or is gone: it needs no exception from the bound and no place in line. */
    void settle(Waiter who) {
        boolean changed = waiting.remove(who);
        if (overdrawn == who) {
            overdrawn = null;
            changed = true;
        }
        if (changed) {
            wake();
        }
    }

    /** True if {@code who} goes on beyond the bound while others wait. */
    boolean blocksOthers(Waiter who) {
        return overdrawn == who && !waiting.isEmpty();
    }

    private void wake() {
        while (!waiting.isEmpty() && (used < limit || overdrawn == null)) {
            Waiter first = waiting.poll();
            if (used >= limit) {
                overdrawn = first;
            }
            first.memoryAvailable();
        }
    }
}
