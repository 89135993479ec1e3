package protocol;

import java.util.ArrayDeque;

/**
 * The bytes of requests that the connections of one server instance hold together (queued.max.request.bytes): counted as they arrive, not as they
 * are announced. Past the bound connections wait in line. So that half-read requests cannot block each other for ever, the first in line may go on
 * beyond the bound until its request is whole, as long as whole requests hold less than half of the bound; the total therefore stays below one and a half
 * times the bound plus one request. By the same measure small requests, which come in one piece, never stand behind half-read ones. On the instance's thread only.
 */
public final class RequestMemory {
    private final long limit;
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    private Waiter overdrawn;
    private long partial;
    private long whole;
    private boolean waking;

    /** Someone who stopped reading for want of memory. */
    interface Waiter {
        /** It may go on; once per {@link #await}, from within a call of someone else. */
        void memoryAvailable();

        /** True if a request was begun, or its bytes are there: only then is it worth an exception from the bound. */
        boolean hasBegun();

        /** True if no request was begun, or all bytes of the next are there: going on takes no memory that is not taken already. */
        boolean needsNoMore();
    }

    /** @param limit bytes, > 0 */
    public RequestMemory(long limit) {
        this.limit = limit;
    }

    /** Bytes held now. */
    public long used() {
        return partial + whole;
    }

    /** True if {@code who} may read on. */
    boolean mayRead(Waiter who) {
        return used() < limit || who == overdrawn || (mayExceed() && who.needsNoMore());
    }

    /** A request that is not whole yet holds {@code bytes} more (or less). */
    void partial(int bytes) {
        partial += bytes;
        if (bytes < 0) {
            wake();
        }
    }

    /** A request came whole: {@code before} bytes were counted as partial, {@code now} are held. */
    void whole(Waiter who, int before, int now) {
        partial -= before;
        whole += now;
        if (overdrawn == who) {
            overdrawn = null;
        }
        wake();
    }

    /** A whole request was answered. */
    void release(int bytes) {
        whole -= bytes;
        wake();
    }

    /** Puts {@code who} in line, unless it stands there. */
    void await(Waiter who) {
        if (!waiting.contains(who)) {
            waiting.add(who);
            wake();
        }
    }

    /** {@code who} is gone. */
    void leave(Waiter who) {
        waiting.remove(who);
        if (overdrawn == who) {
            overdrawn = null;
        }
        wake();
    }

    /** True while someone waits. */
    boolean contended() {
        return !waiting.isEmpty();
    }

    private boolean mayExceed() {
        return whole < limit / 2;
    }

    private void wake() {
        if (waking) {
            return;
        }
        waking = true;
        Waiter next = next();
        while (next != null) {
            waiting.remove(next);
            next.memoryAvailable();
            next = next();
        }
        waking = false;
    }

    private Waiter next() {
        if (used() < limit) {
            return waiting.peek();
        }
        if (!mayExceed()) {
            return null;
        }
        for (Waiter each : waiting) {
            if (each.needsNoMore()) {
                return each;
            }
            if (overdrawn == null && each.hasBegun()) {
                overdrawn = each;
                return each;
            }
        }
        return null;
    }
}
