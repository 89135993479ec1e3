package protocol;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Peers;
import common.Timers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A line to one address: opens a connection when there is something to send, opens the next one when that ended, keeps the deadlines.
 *
 * <pre>
 *   nothing --send--> dialling --connected--> greeting --ready--> open --ended--> nothing
 *                        '--failed: what waits fails--> nothing
 * </pre>
 */
final class PeerLine implements Peers.Peer {
    /** Requests waiting and unanswered together. */
    private static final int MAX_CALLS = 128;
    /** Less than a server reads ahead (see {@link ConnectionLimits}). */
    private static final int MAX_IN_FLIGHT = 32;
    /** Rule L7: a line that is refused at once tries no more often than this; its user backs off longer. */
    private static final long REDIAL_MILLIS = 20;

    private static final int GREET_MILLIS = 5_000;

    private final PeerConnections shared;
    private final Peers.Address to;
    private final ArrayDeque<PeerCall> waiting = new ArrayDeque<>();
    private Opening opening;
    private PeerConnection connection;
    private Timers.Handle pause;
    private boolean closed;

    PeerLine(PeerConnections shared, Peers.Address to) {
        this.shared = shared;
        this.to = to;
    }

    @Override
    public void send(ApiMessage request, int timeoutMillis, Callback<Peers.Answer> done) {
        PeerCall call = new PeerCall(request, done);
        if (closed) {
            call.fail(FailureCode.SHUTTING_DOWN, "the line to " + to + " is closed");
            return;
        }
        if (waiting.size() + (connection == null ? 0 : connection.inFlight()) >= MAX_CALLS) {
            call.fail(FailureCode.OVERLOADED, MAX_CALLS + " requests to " + to + " wait already; retry later");
            return;
        }
        call.deadline(shared.timers().after(timeoutMillis, () -> expired(call, timeoutMillis)));
        waiting.add(call);
        proceed();
    }

    private void expired(PeerCall call, int timeoutMillis) {
        boolean unanswered = !waiting.remove(call);
        call.fail(FailureCode.TIMED_OUT, to + " did not answer " + call.key() + " within " + timeoutMillis + " ms");
        if (unanswered && connection != null) {
            connection.close("no answer in time");
        }
    }

    @Override
    public void close() {
        closed = true;
        if (pause != null) {
            pause.cancel();
        }
        if (opening != null) {
            opening.abandon();
            opening = null;
        }
        if (connection != null) {
            connection.close("no longer needed");
        }
        failWaiting(new Failure(FailureCode.SHUTTING_DOWN, "the line to " + to + " was closed"));
    }

    private void proceed() {
        if (connection != null) {
            while (!waiting.isEmpty()
                    && connection != null
                    && connection.mayWrite()
                    && connection.inFlight() < MAX_IN_FLIGHT) {
                connection.write(waiting.poll());
            }
        } else if (opening == null && pause == null && !closed && !waiting.isEmpty()) {
            opening = new Opening();
            shared.dialer().dial(to, opening);
        }
    }

    /** A connection that could not be made or has ended: the next attempt waits a little. */
    private void rest() {
        opening = null;
        connection = null;
        if (!closed) {
            pause = shared.timers().after(REDIAL_MILLIS, () -> {
                pause = null;
                proceed();
            });
        }
    }

    private void failWaiting(Failure why) {
        List<PeerCall> failed = new ArrayList<>(waiting);
        waiting.clear();
        failed.forEach(each -> each.fail(why));
    }

    /** One attempt to get a connection, up to its greeting. */
    private final class Opening implements PeerDialer.Attempt, PeerConnection.Events {
        private PeerConnection made;
        private Timers.Handle deadline;
        private boolean ready;
        private boolean abandoned;

        void abandon() {
            abandoned = true;
            if (made != null) {
                made.close("no longer needed");
            }
        }

        @Override
        public TransportListener connected(Transport transport) {
            made = new PeerConnection(to.toString(), transport, shared.buffers(), shared.encoder(), this);
            if (abandoned) {
                made.close("no longer needed");
            } else {
                deadline = shared.timers().after(GREET_MILLIS, () -> made.close("it did not greet in time"));
                made.greet();
            }
            return made;
        }

        @Override
        public void failed(Failure why) {
            if (!abandoned) {
                rest();
                failWaiting(new Failure(why.code(), "no connection to " + to + ": " + why.message()));
            }
        }

        @Override
        public void ready() {
            ready = true;
            deadline.cancel();
            opening = null;
            connection = made;
            proceed();
        }

        @Override
        public void writable() {
            proceed();
        }

        @Override
        public void ended() {
            if (deadline != null) {
                deadline.cancel();
            }
            if (abandoned) {
                return;
            }
            rest();
            if (!ready) {
                failWaiting(
                        new Failure(FailureCode.PEER_UNREACHABLE, to + " accepted a connection and did not serve it"));
            }
        }
    }
}
