package raft;

import common.Check;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Collects what an input causes, and holds back every message until the vote state that was true when it was written down is durable (rule R1). One write of
 * the vote file at a time; states that were overtaken while one was written are skipped: a message of an epoch that was left is as true after the newer
 * state is durable, since this replica can then do nothing more in the older one.
 */
final class Outbox {
    private final boolean holdsBack;
    private final Deque<Held> held = new ArrayDeque<>();
    private List<RaftOutput.Send> sends = new ArrayList<>();
    private List<RaftOutput.Reply> replies = new ArrayList<>();
    private List<RaftOutput.LogTask> tasks = new ArrayList<>();
    private VoteState wanted;
    private VoteState writing;
    private boolean handedOut = true;
    private long wantedVersion;
    private long writingVersion;
    private long durableVersion;
    private long lastCorrelation;

    /** One of the two is null. */
    private record Held(long version, RaftOutput.Send send, RaftOutput.Reply reply) {}

    /** @param holdsBack false only for a planted bug */
    Outbox(boolean holdsBack) {
        this.holdsBack = holdsBack;
    }

    /** Has {@code state} written. */
    void persist(VoteState state) {
        wanted = state;
        wantedVersion++;
        if (writing == null || !handedOut) {
            write();
        }
    }

    private void write() {
        writing = wanted;
        writingVersion = wantedVersion;
        handedOut = false;
    }

    void persisted(VoteState state) {
        Check.invariant(state.equals(writing) && handedOut, "a vote state is durable that was not asked for (R1)");
        durableVersion = writingVersion;
        writing = null;
        while (!held.isEmpty() && held.peekFirst().version <= durableVersion) {
            release(held.removeFirst());
        }
        if (wantedVersion > durableVersion) {
            write();
        }
    }

    /** Names what was last given to {@link #persist}. */
    long version() {
        return wantedVersion;
    }

    /** Whether that state, or one that overtook it, is durable. */
    boolean durable(long version) {
        return version <= durableVersion || !holdsBack;
    }

    /** Gives the correlation. */
    long send(Peer to, RaftRequest request) {
        long correlation = ++lastCorrelation;
        add(new Held(wantedVersion, new RaftOutput.Send(to, correlation, request), null));
        return correlation;
    }

    void reply(long token, RaftResponse response) {
        add(new Held(wantedVersion, null, new RaftOutput.Reply(token, response)));
    }

    void task(RaftOutput.LogTask task) {
        tasks.add(task);
    }

    private void add(Held message) {
        if (durable(message.version)) {
            release(message);
        } else {
            held.addLast(message);
        }
    }

    private void release(Held message) {
        if (message.send != null) {
            sends.add(message.send);
        } else {
            replies.add(message.reply);
        }
    }

    RaftOutput drain(long highWatermark, RaftOutput.Standing standing, long wakeAt) {
        RaftOutput output =
                new RaftOutput(handedOut ? null : writing, sends, replies, tasks, highWatermark, standing, wakeAt);
        handedOut = true;
        sends = new ArrayList<>();
        replies = new ArrayList<>();
        tasks = new ArrayList<>();
        return output;
    }
}
