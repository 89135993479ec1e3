package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.BeginQuorumEpochRequestData;
import org.apache.kafka.common.message.EndQuorumEpochRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchSnapshotRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.UpdateRaftVoterRequestData;
import org.apache.kafka.common.message.VoteRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;
import raft.Endpoint;
import raft.OffsetAndEpoch;
import raft.RaftError;
import raft.RaftRequest;
import raft.RaftResponse;
import raft.ReplicaKey;
import raft.VoterSet;

/** Raft's requests and answers through Kafka's messages and their bytes: nothing is lost on the way. */
class RaftMessagesPropertyTest {
    private static final int RUNS = 3_000;
    private static final String LISTENER = "CONTROLLER";

    private final RaftAnswers answers = new RaftAnswers(LISTENER);
    private final PeerAnswers parse = new PeerAnswers(LISTENER);
    private long seed;
    private Random random;

    private void times(Runnable check) {
        long first = new Random().nextLong();
        for (int run = 0; run < RUNS; run++) {
            seed = first + run;
            random = new Random(seed);
            check.run();
        }
    }

    @Test
    void requestsComeBackAsTheyWere() {
        times(() -> {
            RaftRequest request = request();
            ApiMessage message = RaftRequests.toKafka(request);
            short newest = ApiKeys.forId(message.apiKey()).latestVersion(true);
            ApiMessage received =
                    wire(message, ApiKeys.forId(message.apiKey()).messageType.newRequest(), newest);
            assertEquals(request, fromKafka(received), () -> "seed " + seed);
        });
    }

    @Test
    void answersComeBackAsTheyWere() {
        times(() -> {
            RaftResponse answer = answer();
            ApiKeys key = key(answer);
            ApiMessage received = wire(toKafka(key, answer), key.messageType.newResponse(), key.latestVersion(true));
            RaftResponse expected = answer.head().error() == RaftError.INCONSISTENT_CLUSTER_ID
                    ? new RaftResponse.Plain(
                            new RaftResponse.Head(RaftError.INCONSISTENT_CLUSTER_ID, -1, -1, List.of()))
                    : answer;
            assertEquals(expected, parse.fromKafka(received), () -> "seed " + seed);
        });
    }

    /** What fails before it is looked at is a plain answer, whatever was asked. */
    @Test
    void refusalsKeepTheirHead() {
        times(() -> {
            ApiKeys key = List.of(ApiKeys.VOTE, ApiKeys.FETCH, ApiKeys.FETCH_SNAPSHOT, ApiKeys.UPDATE_RAFT_VOTER)
                    .get(random.nextInt(4));
            RaftError[] errors = RaftError.values();
            RaftResponse.Head head = head(errors[2 + random.nextInt(errors.length - 2)]);
            ApiMessage message = toKafka(key, new RaftResponse.Plain(head));
            ApiMessage received = wire(message, key.messageType.newResponse(), key.latestVersion(true));
            assertEquals(head, parse.fromKafka(received).head(), () -> "seed " + seed + " " + key);
        });
    }

    @Test
    void changesOfVotersSayWhy() {
        RaftResponse.Head head = new RaftResponse.Head(RaftError.DUPLICATE_VOTER, 3, 1, List.of());
        RaftResponse refused = new RaftResponse.Plain(head);
        assertEquals(Errors.DUPLICATE_VOTER.code(), answers.add(refused).errorCode());
        assertTrue(answers.add(refused).errorMessage().contains("voter already"));
        assertEquals(Errors.DUPLICATE_VOTER.code(), answers.remove(refused).errorCode());
        assertEquals(
                RaftError.DUPLICATE_VOTER,
                parse.fromKafka(answers.add(refused)).head().error());
        assertEquals(
                RaftError.DUPLICATE_VOTER,
                parse.fromKafka(answers.remove(refused)).head().error());
        RaftResponse done = new RaftResponse.Plain(new RaftResponse.Head(RaftError.NONE, 3, 1, List.of()));
        assertEquals(0, answers.add(done).errorCode());
        assertNull(answers.add(done).errorMessage());
        assertNull(answers.remove(done).errorMessage());
    }

    /** The leader's address for the asker is that of the listener in common; of several it is not any. */
    @Test
    void theListenerInCommonIsTold() {
        List<Endpoint> two = List.of(new Endpoint("OTHER", "a", 1), new Endpoint(LISTENER, "b", 2));
        RaftResponse.Head head = new RaftResponse.Head(RaftError.NONE, 3, 1, two);
        RaftResponse received = parse.fromKafka(answers.vote(new RaftResponse.Vote(head, true)));
        assertEquals(List.of(new Endpoint(LISTENER, "b", 2)), received.head().endpoints());
    }

    @Test
    void otherPartitionsAndNonsenseAreMalformed() {
        assertNull(RaftRequests.fromKafka(new VoteRequestData()));
        assertNull(RaftRequests.fromKafka(new BeginQuorumEpochRequestData()));
        assertNull(RaftRequests.fromKafka(new EndQuorumEpochRequestData()));
        assertNull(RaftRequests.fromKafka(new FetchRequestData()));
        assertNull(RaftRequests.fromKafka(new FetchSnapshotRequestData()));
        assertNull(RaftRequests.fromKafka(new AddRaftVoterRequestData().setVoterId(1)));
        assertNull(RaftRequests.fromKafka(new UpdateRaftVoterRequestData().setVoterId(1)));
        assertNull(RaftRequests.fromKafka(new RemoveRaftVoterRequestData().setVoterId(-1)));
        random = new Random(1);
        FetchRequestData consumer = (FetchRequestData) RaftRequests.toKafka(fetch());
        consumer.replicaState().setReplicaId(-1);
        assertNull(RaftRequests.fromKafka(consumer));
        FetchRequestData other = (FetchRequestData) RaftRequests.toKafka(fetch());
        other.topics().get(0).setTopicId(new Uuid(5, 5));
        assertNull(RaftRequests.fromKafka(other));
        VoteRequestData ahead = (VoteRequestData) RaftRequests.toKafka(
                new RaftRequest.Vote("c", ReplicaKey.of(1), 4, new OffsetAndEpoch(9, 5), false, null));
        assertNull(RaftRequests.fromKafka(ahead), "a log with records of an epoch after the candidate's");
        assertEquals(
                RaftError.UNKNOWN_SERVER_ERROR,
                parse.fromKafka(new AddRaftVoterRequestData()).head().error());
    }

    private ApiMessage toKafka(ApiKeys key, RaftResponse answer) {
        Function<RaftResponse, ? extends ApiMessage> form = switch (key) {
            case VOTE -> answers::vote;
            case BEGIN_QUORUM_EPOCH -> answers::begin;
            case END_QUORUM_EPOCH -> answers::end;
            case FETCH -> answers::fetch;
            case FETCH_SNAPSHOT -> answers::fetchSnapshot;
            default -> answers::update;
        };
        return form.apply(answer);
    }

    private ApiKeys key(RaftResponse answer) {
        if (answer instanceof RaftResponse.Vote) {
            return ApiKeys.VOTE;
        } else if (answer instanceof RaftResponse.Fetch) {
            return ApiKeys.FETCH;
        } else if (answer instanceof RaftResponse.FetchSnapshot) {
            return ApiKeys.FETCH_SNAPSHOT;
        }
        return random.nextBoolean() ? ApiKeys.BEGIN_QUORUM_EPOCH : ApiKeys.END_QUORUM_EPOCH;
    }

    private static RaftRequest fromKafka(ApiMessage message) {
        if (message instanceof VoteRequestData vote) {
            return RaftRequests.fromKafka(vote);
        } else if (message instanceof BeginQuorumEpochRequestData begin) {
            return RaftRequests.fromKafka(begin);
        } else if (message instanceof EndQuorumEpochRequestData end) {
            return RaftRequests.fromKafka(end);
        } else if (message instanceof FetchRequestData fetch) {
            return RaftRequests.fromKafka(fetch);
        } else if (message instanceof FetchSnapshotRequestData piece) {
            return RaftRequests.fromKafka(piece);
        }
        if (message instanceof AddRaftVoterRequestData add) {
            return RaftRequests.fromKafka(add);
        } else if (message instanceof RemoveRaftVoterRequestData remove) {
            return RaftRequests.fromKafka(remove);
        }
        return RaftRequests.fromKafka((UpdateRaftVoterRequestData) message);
    }

    private static ApiMessage wire(ApiMessage message, ApiMessage empty, short version) {
        ByteBufferAccessor bytes = MessageUtil.toByteBufferAccessor(message, version);
        empty.read(bytes, version);
        assertEquals(0, bytes.remaining());
        return empty;
    }

    private RaftRequest request() {
        return switch (random.nextInt(8)) {
            case 0 -> vote();
            case 1 -> new RaftRequest.BeginEpoch(cluster(), epoch(), id(), endpoints(), voter());
            case 5 ->
                new RaftRequest.AddVoter(
                        cluster(),
                        new VoterSet.Voter(key(), someEndpoints()),
                        random.nextInt(9_000),
                        random.nextBoolean());
            case 6 -> new RaftRequest.RemoveVoter(cluster(), key());
            case 2 -> new RaftRequest.EndEpoch(cluster(), epoch(), id(), keys());
            case 3 -> fetch();
            case 4 -> new RaftRequest.FetchSnapshot(cluster(), key(), epoch(), end(epoch()), offset());
            default -> new RaftRequest.UpdateVoter(cluster(), epoch(), new VoterSet.Voter(key(), someEndpoints()));
        };
    }

    private RaftRequest.Vote vote() {
        int epoch = epoch();
        return new RaftRequest.Vote(cluster(), key(), epoch, end(epoch), random.nextBoolean(), voter());
    }

    private RaftRequest.Fetch fetch() {
        int epoch = epoch();
        return new RaftRequest.Fetch(cluster(), key(), epoch, end(epoch), offset() - 1, random.nextInt(1_000));
    }

    private RaftResponse answer() {
        RaftError[] errors = RaftError.values();
        RaftResponse.Head head = head(random.nextBoolean() ? RaftError.NONE : errors[random.nextInt(errors.length)]);
        return switch (random.nextInt(4)) {
            case 0 -> new RaftResponse.Vote(head, random.nextBoolean());
            case 1 -> new RaftResponse.Plain(head);
            case 2 ->
                new RaftResponse.Fetch(
                        head,
                        offset() - 1,
                        random.nextBoolean() ? null : end(epoch()),
                        random.nextBoolean() ? null : end(epoch()),
                        bytes());
            default -> new RaftResponse.FetchSnapshot(head, end(epoch()), offset(), offset(), bytes());
        };
    }

    private RaftResponse.Head head(RaftError error) {
        int leader = random.nextInt(4) - 1;
        List<Endpoint> known = leader < 0 || random.nextInt(4) == 0
                ? List.of()
                : List.of(new Endpoint(LISTENER, "h" + random.nextInt(9), random.nextInt(1 << 16)));
        return new RaftResponse.Head(error, epoch(), leader, known);
    }

    /** With room before and behind it, as a slice of something larger. */
    private ByteBuffer bytes() {
        byte[] all = new byte[20 + random.nextInt(200)];
        random.nextBytes(all);
        return ByteBuffer.wrap(all, random.nextInt(10), random.nextInt(all.length - 10));
    }

    private String cluster() {
        return random.nextInt(3) == 0 ? null : "cluster-" + random.nextInt(9);
    }

    private int id() {
        return random.nextInt(5);
    }

    private int epoch() {
        return random.nextInt(random.nextBoolean() ? 5 : Integer.MAX_VALUE);
    }

    private long offset() {
        return random.nextBoolean() ? random.nextInt(5) : random.nextLong() >>> 1;
    }

    private OffsetAndEpoch end(int mostEpoch) {
        return new OffsetAndEpoch(offset(), mostEpoch == 0 ? 0 : random.nextInt(mostEpoch));
    }

    private ReplicaKey key() {
        return random.nextInt(3) == 0
                ? ReplicaKey.of(id())
                : new ReplicaKey(id(), random.nextLong(), random.nextLong());
    }

    private ReplicaKey voter() {
        return random.nextInt(3) == 0 ? null : key();
    }

    private List<ReplicaKey> keys() {
        List<ReplicaKey> keys = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            keys.add(key());
        }
        return keys;
    }

    private List<Endpoint> endpoints() {
        return random.nextInt(3) == 0 ? List.of() : someEndpoints();
    }

    private List<Endpoint> someEndpoints() {
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            endpoints.add(new Endpoint("L" + i, "host-" + random.nextInt(9), random.nextInt(1 << 16)));
        }
        return endpoints;
    }
}
