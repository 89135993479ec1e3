package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.FailureCode;
import common.Lease;
import common.Peers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.VoteRequestData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import raft.Endpoint;
import raft.OffsetAndEpoch;
import raft.Peer;
import raft.RaftError;
import raft.RaftOutput;
import raft.RaftRequest;
import raft.RaftResponse;
import raft.ReplicaKey;

class QuorumLinesTest {
    private static final String LISTENER = "CONTROLLER";
    private static final RaftRequest VOTE =
            new RaftRequest.Vote("c", ReplicaKey.of(1), 3, OffsetAndEpoch.START, true, null);
    private static final RaftRequest FETCH =
            new RaftRequest.Fetch("c", ReplicaKey.of(1), 3, OffsetAndEpoch.START, -1, 100);

    private final List<FakeLine> made = new ArrayList<>();
    private final QuorumLines lines = new QuorumLines(FakeLine::new, LISTENER, 2_000);
    private final List<String> outcomes = new ArrayList<>();

    private static final class Sent {
        private final ApiMessage request;
        private final Callback<Peers.Answer> done;

        Sent(ApiMessage request, Callback<Peers.Answer> done) {
            this.request = request;
            this.done = done;
        }
    }

    private final class FakeLine implements Peers.Peer {
        private final Peers.Address to;
        private final List<Sent> sent = new ArrayList<>();
        private boolean closed;

        FakeLine(Peers.Address to) {
            this.to = to;
            made.add(this);
        }

        @Override
        public void send(ApiMessage request, int timeoutMillis, Callback<Peers.Answer> done) {
            assertEquals(2_000, timeoutMillis);
            sent.add(new Sent(request, done));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static final class NoLease implements Lease {
        @Override
        public void retain() {}

        @Override
        public void release() {}
    }

    private static Peer at(int id, int port) {
        return new Peer(id, List.of(new Endpoint("OTHER", "elsewhere", 1), new Endpoint(LISTENER, "h", port)));
    }

    private void send(Peer to, RaftRequest request) {
        lines.send(
                new RaftOutput.Send(to, 7, request),
                (answer, failure) -> outcomes.add(
                        failure == null ? answer.toString() : failure.code().name()));
    }

    /** A vote must not wait behind a Fetch that the leader keeps until there is news. */
    @Test
    void whatMayWaitHasALineOfItsOwn() {
        send(at(2, 90), FETCH);
        send(at(2, 90), VOTE);
        send(at(2, 90), FETCH);
        assertEquals(2, made.size());
        List<FakeLine> used = made.stream().filter(each -> !each.sent.isEmpty()).toList();
        assertEquals(2, used.size());
        FakeLine fetching =
                made.stream().filter(each -> each.sent.size() == 2).findFirst().orElseThrow();
        FakeLine voting =
                made.stream().filter(each -> each.sent.size() == 1).findFirst().orElseThrow();
        assertTrue(fetching.sent.get(0).request instanceof FetchRequestData);
        assertTrue(fetching.sent.get(1).request instanceof FetchRequestData);
        assertTrue(voting.sent.get(0).request instanceof VoteRequestData);
        assertEquals(new Peers.Address("h", 90), voting.to, "the address of the listener in common");
    }

    @Test
    void nodesHaveLinesOfTheirOwn() {
        send(at(2, 90), VOTE);
        send(at(3, 90), VOTE);
        send(at(-2, 90), VOTE);
        assertEquals(6, made.size());
    }

    @Test
    void aNodeThatMovedGetsNewLines() {
        send(at(2, 90), VOTE);
        send(at(2, 91), VOTE);
        assertEquals(4, made.size());
        assertTrue(made.get(0).closed && made.get(1).closed);
        assertFalse(made.get(2).closed || made.get(3).closed);
        assertEquals(91, made.get(3).to.port());
    }

    @Test
    void withoutAnAddressTheLastOneKnownServes() {
        send(new Peer(2, List.of()), VOTE);
        assertEquals(List.of("PEER_UNREACHABLE"), outcomes);
        send(at(2, 90), VOTE);
        send(new Peer(2, List.of()), VOTE);
        assertEquals(2, made.size());
        assertEquals(1, outcomes.size());
    }

    @Test
    void failuresComeAsTheyAre() {
        send(at(2, 90), VOTE);
        made.get(1).sent.get(0).done.fail(FailureCode.PEER_REFUSED, "nobody listens");
        assertEquals(List.of("PEER_REFUSED"), outcomes);
    }

    /** The message's memory is used again as soon as the callback has returned. */
    @Test
    void answersKeepTheirBytes() {
        RaftResponse.Head head = new RaftResponse.Head(RaftError.NONE, 3, 2, List.of(new Endpoint(LISTENER, "h", 90)));
        ByteBuffer memory = ByteBuffer.wrap(new byte[] {1, 2, 3});
        FetchResponseData message =
                new RaftAnswers(LISTENER).fetch(new RaftResponse.Fetch(head, 5, null, null, memory));
        List<RaftResponse> received = new ArrayList<>();
        lines.send(new RaftOutput.Send(at(2, 90), 7, FETCH), (answer, failure) -> received.add(answer));
        made.get(0).sent.get(0).done.succeed(new Peers.Answer(message, (short) 18, new NoLease()));
        memory.put(0, (byte) 9);
        ByteBuffer expected = ByteBuffer.wrap(new byte[] {1, 2, 3});
        assertEquals(List.of(new RaftResponse.Fetch(head, 5, null, null, expected)), received);
    }

    @Test
    void closes() {
        send(at(2, 90), VOTE);
        lines.close();
        lines.close();
        assertTrue(made.stream().allMatch(each -> each.closed));
    }
}
