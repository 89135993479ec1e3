package raft;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;

/**
 * A role's requests that have no answer yet, at most one per peer. With the role they are forgotten, and so are answers that come later (rule R14).
 */
final class Calls {
    private final Outbox out;
    private final RaftTimeouts timeouts;
    private final TreeMap<Integer, Call> open = new TreeMap<>();
    private final TreeMap<Integer, Long> notBefore = new TreeMap<>();

    record Call(long correlation, Peer peer, RaftRequest request, long deadline) {}

    Calls(Outbox out, RaftTimeouts timeouts) {
        this.out = out;
        this.timeouts = timeouts;
    }

    /** Whether a request may go to the peer now. */
    boolean ready(int peer, long now) {
        return readyAt(peer) <= now;
    }

    /** When one may; Long.MAX_VALUE: only after the answer to that under way. */
    long readyAt(int peer) {
        return open.containsKey(peer) ? Long.MAX_VALUE : notBefore.getOrDefault(peer, Long.MIN_VALUE);
    }

    boolean idle() {
        return open.isEmpty();
    }

    void send(long now, Peer to, RaftRequest request) {
        open.put(to.id(), new Call(out.send(to, request), to, request, now + timeouts.request()));
    }

    /** The request that is answered, no longer open; null for one that is not waited for. */
    Call answered(long correlation) {
        Iterator<Call> calls = open.values().iterator();
        while (calls.hasNext()) {
            Call call = calls.next();
            if (call.correlation == correlation) {
                calls.remove();
                return call;
            }
        }
        return null;
    }

    /** No request to the peer before {@code instant}. */
    void pause(int peer, long instant) {
        notBefore.put(peer, instant);
    }

    /** Those that wait for longer than is allowed; no longer open. */
    List<Call> expired(long now) {
        List<Call> found = new ArrayList<>();
        for (Call call : open.values()) {
            if (call.deadline <= now) {
                found.add(call);
            }
        }
        found.forEach(each -> open.remove(each.peer.id()));
        return found;
    }

    /** When the next one expires. */
    long deadline() {
        long first = Long.MAX_VALUE;
        for (Call call : open.values()) {
            first = Math.min(first, call.deadline);
        }
        return first;
    }
}
