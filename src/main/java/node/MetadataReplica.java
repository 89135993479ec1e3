package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Ports;
import common.Timers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import raft.RaftNode;
import raft.RaftOutput;
import raft.RaftRequest;
import raft.RaftResponse;
import raft.VoteState;
import storage.PartitionLog;

/**
 * Hosts this node's replica of the metadata quorum: hands it what comes, and does what it says ({@link RaftOutput}), on the vote file, the log, the snapshots and
 * the lines to others. Whatever was committed thereby, and where the replica stands, is told on. Confined to the controller's owner.
 */
final class MetadataReplica implements MetadataJournal.Appends {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataReplica.class);
    private static final long VOTE_RETRY_MILLIS = 1_000;

    /** Requests of others that wait for an answer; more are refused. */
    private static final int MOST_ASKED = 10_000;

    private final Ports ports;
    private final RaftNode raft;
    private final PartitionLog log;
    private final QuorumTasks tasks;
    private final VoteFile votes;
    private final Wire wire;
    private final Listener listener;
    private final Deque<RaftOutput> outputs = new ArrayDeque<>();
    private final Map<Long, Callback<RaftResponse>> asked = new LinkedHashMap<>();
    private RaftOutput last;
    private long lastToken;
    private int sending;
    private Runnable whenSent;
    private boolean draining;
    private boolean closed;
    private Timers.Handle timer;
    private long timerAt = Long.MAX_VALUE;

    /** Carries requests to other controllers. */
    interface Wire {
        /** {@code done} runs once, with the answer or why there is none; PEER_REFUSED: the process of the peer is gone. */
        void send(RaftOutput.Send send, Callback<RaftResponse> done);

        void close();
    }

    /** Hears what consensus has come to. */
    interface Listener {
        /** The log is committed up to there; rises. Before a leadership that ends in the same step is told to have ended. */
        void committed(long highWatermark);

        /** After each step in which any of it has changed. */
        void stands(RaftOutput.Standing standing);

        /** All that came of a step has been begun. */
        void settled();

        /** What consensus asked for could not be written; it goes on as if that had not been asked. */
        void failed(Failure failure);
    }

    /**
     * What it is made of.
     *
     * @param raft not started
     */
    record Parts(Ports ports, RaftNode raft, PartitionLog log, QuorumTasks tasks, VoteFile votes, Wire wire) {}

    MetadataReplica(Parts parts, Listener listener) {
        this.ports = parts.ports;
        this.raft = parts.raft;
        this.log = parts.log;
        this.tasks = parts.tasks;
        this.votes = parts.votes;
        this.wire = parts.wire;
        this.listener = listener;
    }

    /** @param damagedFrom -1, or from where on the log has rotted (rule R15): it is cut there once the vote file says so */
    void start(long damagedFrom) {
        tasks.start(raft, this);
        if (damagedFrom >= 0) {
            votes.afterNextWrite(done -> tasks.cut(damagedFrom, done));
        }
        take(raft.start(now(), damagedFrom));
    }

    RaftNode raft() {
        return raft;
    }

    /** Of the last step. */
    RaftOutput.Standing standing() {
        return last.standing();
    }

    long logEnd() {
        return log.logEndOffset();
    }

    /** End of what is committed, -1 while that is unknown. */
    long highWatermark() {
        return last.highWatermark();
    }

    long now() {
        return MetadataRaftLog.now(ports.clock());
    }

    /** Not while what came of a step is being begun. */
    boolean isSettled() {
        return !draining && last != null;
    }

    /** Does what is due by the clock: whoever acts for the active controller after a pause asks first whether there is one (rule R5). */
    void tick() {
        take(raft.tick(now()));
    }

    /** A request of another replica, or of an operator. */
    void ask(RaftRequest request, Callback<RaftResponse> done) {
        if (closed) {
            done.fail(FailureCode.SHUTTING_DOWN, "this node is stopping");
        } else if (asked.size() >= MOST_ASKED) {
            done.fail(
                    FailureCode.OVERLOADED, MOST_ASKED + " requests to the metadata quorum wait already; retry later");
        } else {
            long token = ++lastToken;
            asked.put(token, done);
            take(raft.request(now(), token, request));
        }
    }

    /** Leads, votes and follows no more; {@code then} runs when others were told of it, as far as they can be reached. */
    void halt(Runnable then) {
        take(raft.halt(now()));
        whenSent = then;
        sent();
    }

    /** After {@link #halt}: nothing is sent or answered any more. */
    void close() {
        closed = true;
        wire.close();
        cancelTimer();
        List<Callback<RaftResponse>> open = new ArrayList<>(asked.values());
        asked.clear();
        open.forEach(each -> each.fail(FailureCode.SHUTTING_DOWN, "this node is stopping"));
    }

    @Override
    public void appended() {
        tasks.grown(List.of());
    }

    @Override
    public void nothingAppended() {
        tick();
    }

    @Override
    public void broken() {
        take(raft.halt(now()));
    }

    /** Could not be written; consensus has been told. */
    void failed(Failure failure) {
        listener.failed(failure);
    }

    /** Outputs are worked off in their order, whatever comes back while one is. */
    void take(RaftOutput output) {
        outputs.addLast(output);
        if (draining) {
            return;
        }
        draining = true;
        try {
            while (!outputs.isEmpty()) {
                work(outputs.removeFirst());
            }
        } finally {
            draining = false;
        }
        listener.settled();
    }

    private void work(RaftOutput output) {
        RaftOutput before = last;
        last = output;
        if (output.persist() != null) {
            persist(output.persist());
        }
        output.sends().forEach(this::send);
        output.tasks().forEach(tasks::run);
        if (output.highWatermark() > (before == null ? -1 : before.highWatermark())) {
            log.advanceHighWatermark(output.highWatermark());
            listener.committed(output.highWatermark());
        }
        if (before == null || !before.standing().equals(output.standing())) {
            listener.stands(output.standing());
        }
        output.replies().forEach(this::reply);
        wakeAt(output.wakeAt());
    }

    /** Until it is durable the machine holds back all that depends on it (rule R1). */
    private void persist(VoteState state) {
        votes.write(state, (written, failure) -> {
            if (failure == null) {
                take(raft.votePersisted(now(), state));
            } else if (failure.code() == FailureCode.SYNC_FAILED) {
                LOG.error("the vote file cannot be written, this node takes no part any more: {}", failure.message());
                listener.failed(failure);
                take(raft.halt(now()));
            } else {
                LOG.error("the vote file cannot be written, it is tried again: {}", failure.message());
                listener.failed(failure);
                ports.timers().after(VOTE_RETRY_MILLIS, () -> persist(state));
            }
        });
    }

    private void send(RaftOutput.Send send) {
        if (closed) {
            return;
        }
        sending++;
        wire.send(send, (answer, failure) -> {
            sending--;
            if (!closed) {
                answered(send, answer, failure);
            }
            sent();
        });
    }

    private void answered(RaftOutput.Send send, RaftResponse answer, Failure failure) {
        if (failure == null) {
            take(raft.response(now(), send.correlation(), answer));
            return;
        }
        take(raft.failed(now(), send.correlation()));
        if (failure.code() == FailureCode.PEER_REFUSED && send.to().id() >= 0) {
            take(raft.processGone(now(), send.to().id()));
        }
    }

    private void sent() {
        if (sending == 0 && whenSent != null) {
            Runnable then = whenSent;
            whenSent = null;
            then.run();
        }
    }

    private void reply(RaftOutput.Reply reply) {
        Callback<RaftResponse> done = asked.remove(reply.token());
        if (done != null) {
            done.succeed(reply.response());
        }
    }

    /** An earlier wake-up than needed does no harm. */
    private void wakeAt(long instant) {
        if (instant >= timerAt || closed) {
            return;
        }
        cancelTimer();
        timerAt = instant;
        timer = ports.timers().after(Math.max(0, instant - now()), () -> {
            timerAt = Long.MAX_VALUE;
            tick();
        });
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
        }
        timerAt = Long.MAX_VALUE;
    }
}
