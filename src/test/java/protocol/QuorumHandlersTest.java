package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Failure;
import common.FailureCode;
import controller.MetadataQuorum;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.BeginQuorumEpochResponseData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.EndQuorumEpochResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchSnapshotResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.UpdateRaftVoterResponseData;
import org.apache.kafka.common.message.VoteResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import services.HeldMailboxes;
import services.QuorumService;

/** The listeners of controllers, over a replica whose answers say all that the newest versions can. */
class QuorumHandlersTest {
    private static final long TIMEOUT = 2_000;
    private static final Uuid DIRECTORY = new Uuid(3, 4);

    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final List<Integer> ended = new ArrayList<>();
    private final List<ApiHandler> handlers =
            QuorumHandlers.ofController(new QuorumService(mailboxes, TIMEOUT), ended::add);
    private final Set<String> asked = new LinkedHashSet<>();
    private final List<String> listeners = new ArrayList<>();

    private final MetadataQuorum quorum = (MetadataQuorum) Proxy.newProxyInstance(
            MetadataQuorum.class.getClassLoader(),
            new Class<?>[] {MetadataQuorum.class},
            (proxy, method, arguments) -> {
                asked.add(method.getName());
                if (arguments[0] instanceof String listener) {
                    listeners.add(listener);
                }
                @SuppressWarnings("unchecked")
                Callback<ApiMessage> done = (Callback<ApiMessage>) arguments[1];
                done.succeed(
                        arguments[0] instanceof ApiMessage message
                                ? full(message.apiKey())
                                : new DescribeClusterResponseData().setControllerId(2));
                return null;
            });

    private ApiHandler handler(ApiKeys key) {
        return handlers.stream().filter(each -> each.key() == key).findFirst().orElseThrow();
    }

    private HandlerCall call(ApiHandler handler, int version, ApiMessage request) {
        return HandlerCall.of(handler, version, () -> MetadataImage.empty("c"), request);
    }

    /** What an older version has no field for is left out; a message that says it could not be written. */
    @Test
    void answersFitEachVersion() {
        for (ApiHandler handler : handlers) {
            if (handler.key() == ApiKeys.DESCRIBE_CLUSTER) {
                continue;
            }
            for (short version : handler.key().allVersions()) {
                HandlerCall call =
                        call(handler, version, handler.key().messageType.newRequest());
                mailboxes.deliver(quorum);
                ApiMessage answer = call.answer(ApiMessage.class);
                ByteBufferAccessor bytes = MessageUtil.toByteBufferAccessor(answer, version);
                ApiMessage read = handler.key().messageType.newResponse();
                read.read(bytes, version);
                assertEquals(0, bytes.remaining(), handler.key() + " " + version);
            }
            short newest = handler.key().latestVersion();
            HandlerCall call = call(handler, newest, handler.key().messageType.newRequest());
            mailboxes.deliver(quorum);
            assertEquals(full(handler.key().id), call.answer(ApiMessage.class), "the newest version has room for all");
        }
    }

    /** L1: the end of its connection is the first that is known of a process that is gone. */
    @Test
    void theEndOfANodesConnectionIsTold() {
        FetchRequestData operators = new FetchRequestData();
        call(handler(ApiKeys.FETCH), 17, operators).closeByClient();
        assertEquals(List.of(), ended, "no node");
        FetchRequestData nodes =
                new FetchRequestData().setReplicaState(new FetchRequestData.ReplicaState().setReplicaId(3));
        call(handler(ApiKeys.FETCH), 17, nodes).closeByClient();
        call(handler(ApiKeys.FETCH), 12, new FetchRequestData().setReplicaId(2)).closeByClient();
        assertEquals(List.of(3, 2), ended);
    }

    @Test
    void eachAsksItsOwn() {
        handlers.forEach(each -> {
            call(each, each.maxVersion(), request(each.key()));
            mailboxes.deliver(quorum);
        });
        assertEquals(handlers.size(), asked.size(), () -> asked.toString());
        assertEquals(MetadataQuorum.class.getMethods().length, asked.size());
    }

    @Test
    void controllersAreDescribedToWhoAsksForThem() {
        ApiHandler handler = handler(ApiKeys.DESCRIBE_CLUSTER);
        HandlerCall brokers = call(handler, 2, new DescribeClusterRequestData());
        assertEquals(
                Errors.MISMATCHED_ENDPOINT_TYPE.code(),
                brokers.answer(DescribeClusterResponseData.class).errorCode());
        DescribeClusterRequestData request =
                new DescribeClusterRequestData().setEndpointType((byte) 2).setIncludeClusterAuthorizedOperations(true);
        HandlerCall controllers = call(handler, 2, request);
        mailboxes.deliver(quorum);
        DescribeClusterResponseData answer = controllers.answer(DescribeClusterResponseData.class);
        assertEquals(0, answer.errorCode());
        assertEquals("c", answer.clusterId());
        assertEquals(2, answer.controllerId());
        assertEquals(2, answer.endpointType());
        assertEquals(8096, answer.clusterAuthorizedOperations());
        assertEquals(List.of(HandlerCall.CONNECTION.listener()), listeners);
    }

    @Test
    void whatMayWaitHasTimeForIt() {
        call(handler(ApiKeys.FETCH), 18, new FetchRequestData().setMaxWaitMs(500));
        call(handler(ApiKeys.FETCH), 18, new FetchRequestData().setMaxWaitMs(Integer.MAX_VALUE));
        call(handler(ApiKeys.ADD_RAFT_VOTER), 1, new AddRaftVoterRequestData().setTimeoutMs(30_000));
        call(handler(ApiKeys.ADD_RAFT_VOTER), 1, new AddRaftVoterRequestData().setTimeoutMs(-5));
        assertEquals(List.of(TIMEOUT + 500, TIMEOUT + 60_000, TIMEOUT + 30_000, TIMEOUT), mailboxes.timeouts());
    }

    @Test
    void failuresArePassedOn() {
        HandlerCall call = call(handler(ApiKeys.VOTE), 2, ApiKeys.VOTE.messageType.newRequest());
        Failure stopping = Failure.of(FailureCode.SHUTTING_DOWN, "this node is stopping");
        mailboxes.deliver(Proxy.newProxyInstance(
                MetadataQuorum.class.getClassLoader(),
                new Class<?>[] {MetadataQuorum.class},
                (proxy, method, arguments) -> {
                    ((Callback<?>) arguments[1]).fail(stopping);
                    return null;
                }));
        assertEquals(stopping, call.failure());
    }

    /** Kafka's own keys of listeners of controllers: what decides about the quorum is all there. */
    @Test
    void nothingOfTheQuorumIsMissing() {
        Set<ApiKeys> ours = new LinkedHashSet<>();
        handlers.forEach(each -> ours.add(each.key()));
        assertTrue(ours.containsAll(List.of(
                ApiKeys.VOTE,
                ApiKeys.BEGIN_QUORUM_EPOCH,
                ApiKeys.END_QUORUM_EPOCH,
                ApiKeys.FETCH,
                ApiKeys.FETCH_SNAPSHOT,
                ApiKeys.DESCRIBE_QUORUM,
                ApiKeys.ADD_RAFT_VOTER,
                ApiKeys.REMOVE_RAFT_VOTER,
                ApiKeys.UPDATE_RAFT_VOTER)));
    }

    private static ApiMessage request(ApiKeys key) {
        ApiMessage request = key.messageType.newRequest();
        return request instanceof DescribeClusterRequestData cluster ? cluster.setEndpointType((byte) 2) : request;
    }

    private static ApiMessage full(short key) {
        return switch (ApiKeys.forId(key)) {
            case VOTE -> vote();
            case BEGIN_QUORUM_EPOCH -> begin();
            case END_QUORUM_EPOCH -> end();
            case FETCH -> fetch();
            case FETCH_SNAPSHOT -> fetchSnapshot();
            case DESCRIBE_QUORUM -> describe();
            case ADD_RAFT_VOTER ->
                new AddRaftVoterResponseData().setErrorCode((short) 1).setErrorMessage("why");
            case REMOVE_RAFT_VOTER ->
                new RemoveRaftVoterResponseData().setErrorCode((short) 1).setErrorMessage("why");
            default ->
                new UpdateRaftVoterResponseData()
                        .setCurrentLeader(new UpdateRaftVoterResponseData.CurrentLeader()
                                .setLeaderId(2)
                                .setLeaderEpoch(5)
                                .setHost("h")
                                .setPort(9));
        };
    }

    private static VoteResponseData vote() {
        VoteResponseData answer = new VoteResponseData();
        answer.topics()
                .add(new VoteResponseData.TopicData()
                        .setTopicName("t")
                        .setPartitions(List.of(new VoteResponseData.PartitionData()
                                .setLeaderId(2)
                                .setLeaderEpoch(5)
                                .setVoteGranted(true))));
        answer.nodeEndpoints()
                .add(new VoteResponseData.NodeEndpoint()
                        .setNodeId(2)
                        .setHost("h")
                        .setPort(9));
        return answer;
    }

    private static BeginQuorumEpochResponseData begin() {
        BeginQuorumEpochResponseData answer = new BeginQuorumEpochResponseData();
        answer.nodeEndpoints()
                .add(new BeginQuorumEpochResponseData.NodeEndpoint()
                        .setNodeId(2)
                        .setHost("h")
                        .setPort(9));
        return answer;
    }

    private static EndQuorumEpochResponseData end() {
        EndQuorumEpochResponseData answer = new EndQuorumEpochResponseData();
        answer.nodeEndpoints()
                .add(new EndQuorumEpochResponseData.NodeEndpoint()
                        .setNodeId(2)
                        .setHost("h")
                        .setPort(9));
        return answer;
    }

    private static FetchResponseData fetch() {
        FetchResponseData answer = new FetchResponseData();
        answer.responses()
                .add(new FetchResponseData.FetchableTopicResponse()
                        .setTopic("t")
                        .setTopicId(new Uuid(0, 1))
                        .setPartitions(List.of(new FetchResponseData.PartitionData()
                                .setHighWatermark(7)
                                .setCurrentLeader(new FetchResponseData.LeaderIdAndEpoch()
                                        .setLeaderId(2)
                                        .setLeaderEpoch(5))
                                .setDivergingEpoch(new FetchResponseData.EpochEndOffset()
                                        .setEpoch(4)
                                        .setEndOffset(6))
                                .setSnapshotId(new FetchResponseData.SnapshotId()
                                        .setEpoch(3)
                                        .setEndOffset(5))
                                .setRecords(MemoryRecords.EMPTY))));
        answer.nodeEndpoints()
                .add(new FetchResponseData.NodeEndpoint()
                        .setNodeId(2)
                        .setHost("h")
                        .setPort(9));
        return answer;
    }

    private static FetchSnapshotResponseData fetchSnapshot() {
        FetchSnapshotResponseData answer = new FetchSnapshotResponseData();
        answer.topics()
                .add(new FetchSnapshotResponseData.TopicSnapshot()
                        .setName("t")
                        .setPartitions(List.of(new FetchSnapshotResponseData.PartitionSnapshot()
                                .setCurrentLeader(new FetchSnapshotResponseData.LeaderIdAndEpoch()
                                        .setLeaderId(2)
                                        .setLeaderEpoch(5))
                                .setUnalignedRecords(MemoryRecords.EMPTY))));
        answer.nodeEndpoints()
                .add(new FetchSnapshotResponseData.NodeEndpoint()
                        .setNodeId(2)
                        .setHost("h")
                        .setPort(9));
        return answer;
    }

    private static DescribeQuorumResponseData describe() {
        DescribeQuorumResponseData answer = new DescribeQuorumResponseData();
        DescribeQuorumResponseData.ReplicaState replica = new DescribeQuorumResponseData.ReplicaState()
                .setReplicaId(2)
                .setReplicaDirectoryId(DIRECTORY)
                .setLogEndOffset(9)
                .setLastFetchTimestamp(8)
                .setLastCaughtUpTimestamp(7);
        answer.topics()
                .add(new DescribeQuorumResponseData.TopicData()
                        .setTopicName("t")
                        .setPartitions(List.of(new DescribeQuorumResponseData.PartitionData()
                                .setLeaderId(2)
                                .setCurrentVoters(List.of(replica.duplicate()))
                                .setObservers(List.of(replica.duplicate())))));
        answer.nodes().add(new DescribeQuorumResponseData.Node().setNodeId(2));
        return answer;
    }
}
