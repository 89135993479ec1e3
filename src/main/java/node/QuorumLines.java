package node;

import common.Callback;
import common.FailureCode;
import common.Peers;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.ApiMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import raft.Endpoint;
import raft.Peer;
import raft.RaftError;
import raft.RaftOutput;
import raft.RaftRequest;
import raft.RaftResponse;

/**
 * Carries Raft's requests to other controllers: for each of them a line for what may wait there (Fetch, FetchSnapshot) and one for what must not. Confined to
 * the controller's owner.
 */
final class QuorumLines implements MetadataReplica.Wire {
    private static final Logger LOG = LoggerFactory.getLogger(QuorumLines.class);

    private final Peers peers;
    private final PeerAnswers answers;
    private final String listener;
    private final int timeoutMillis;
    private final TreeMap<Integer, Lines> lines = new TreeMap<>();
    /** Those of another cluster, by their last answer. */
    private final TreeSet<Integer> foreign = new TreeSet<>();

    /** To one node, or to one bootstrap server. */
    private record Lines(Peers.Address to, Peers.Peer waiting, Peers.Peer prompt) {
        void close() {
            waiting.close();
            prompt.close();
        }
    }

    /**
     * @param listener that controllers reach one another by (the first of controller.listener.names)
     * @param timeoutMillis after which a request has failed, the line with it; > 0
     */
    QuorumLines(Peers peers, String listener, int timeoutMillis) {
        this.peers = peers;
        this.listener = listener;
        this.answers = new PeerAnswers(listener);
        this.timeoutMillis = timeoutMillis;
    }

    /**
     * Sends a request. {@code done} runs once, never inside this call if the peer's address is known, with the answer or a failure of {@link Peers}. After
     * PEER_REFUSED the peer's process is gone (rule R4).
     */
    @Override
    public void send(RaftOutput.Send send, Callback<RaftResponse> done) {
        Lines to = lines(send.to());
        if (to == null) {
            done.fail(
                    FailureCode.PEER_UNREACHABLE,
                    "nobody has said where node " + send.to().id() + " listens");
            return;
        }
        ApiMessage message = RaftRequests.toKafka(send.request());
        boolean mayWait =
                send.request() instanceof RaftRequest.Fetch || send.request() instanceof RaftRequest.FetchSnapshot;
        Peers.Peer line = mayWait ? to.waiting : to.prompt;
        line.send(message, timeoutMillis, (answer, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else {
                RaftResponse told = answers.fromKafka(answer.message());
                watchCluster(send, told);
                done.succeed(told);
            }
        });
    }

    private void watchCluster(RaftOutput.Send send, RaftResponse told) {
        if (told.head().error() != RaftError.INCONSISTENT_CLUSTER_ID) {
            foreign.remove(send.to().id());
        } else if (foreign.add(send.to().id())) {
            LOG.error(
                    "the controller at {} is of another cluster than this node, whose cluster.id is {}: it is left alone. Correct"
                            + " controller.quorum.voters or controller.quorum.bootstrap.servers, or log.dirs",
                    lines.get(send.to().id()).to,
                    send.request().clusterId());
        }
    }

    /** Null when no address of the peer is known. A peer that has moved gets new lines; what the old ones carried fails. */
    private Lines lines(Peer peer) {
        Lines known = lines.get(peer.id());
        Peers.Address address = address(peer);
        if (address == null || (known != null && known.to.equals(address))) {
            return known;
        }
        Lines made = new Lines(address, peers.line(address), peers.line(address));
        lines.put(peer.id(), made);
        if (known != null) {
            known.close();
        }
        return made;
    }

    private Peers.Address address(Peer peer) {
        Endpoint found = null;
        for (Endpoint each : peer.endpoints()) {
            if (found == null || each.listener().equals(listener)) {
                found = each;
            }
        }
        return found == null ? null : new Peers.Address(found.host(), found.port());
    }

    /** Idempotent. */
    @Override
    public void close() {
        lines.values().forEach(Lines::close);
        lines.clear();
    }
}
