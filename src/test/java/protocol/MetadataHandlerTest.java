package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import services.ClusterImages;
import services.FakeController;
import services.HeldMailboxes;
import services.TopicService;

class MetadataHandlerTest {
    private static final Uuid ID = new Uuid(1, 2);
    private static final int LATEST = 13;

    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final FakeController controller = new FakeController().answering(new CreateTopicsResponseData());
    private MetadataImage image = cluster().topic("t", ID, 2, 1).image();

    @Test
    void tellsTheAddressThatTheClientCameBy() {
        MetadataResponseData answer = ask(LATEST, named(false, "t"));
        assertEquals("test-cluster", answer.clusterId());
        assertEquals(1, answer.controllerId());
        // Broker 1 advertises nothing, broker 2 an address, 3 is fenced, 4 has another listener only.
        assertEquals(List.of("1 10.0.0.9:9092", "2 two:9093"), brokers(answer));
    }

    /** An Admin client asks nobody as long as the controller is no broker that it knows. */
    @Test
    void namesABrokerForTheControllerWhereThatIsNoneOrNotKnown() {
        for (int active : new int[] {-1, 3, 4, 100}) {
            image = image.withController(active);
            assertEquals(1, ask(LATEST, named(false, "t")).controllerId(), "active: " + active);
        }
        image = image.withController(2);
        assertEquals(2, ask(LATEST, named(false, "t")).controllerId());
    }

    @Test
    void describesPartitions() {
        MetadataResponseTopic topic = topic(ask(LATEST, named(false, "t")), 0);
        assertEquals(ID, topic.topicId());
        MetadataResponsePartition partition = topic.partitions().get(1);
        assertEquals(1, partition.partitionIndex());
        assertEquals(1, partition.leaderId());
        assertEquals(5, partition.leaderEpoch());
        assertEquals(List.of(1, 2), partition.replicaNodes());
        assertEquals(List.of(1, 2), partition.isrNodes());
        assertEquals(List.of(), partition.offlineReplicas());
    }

    @Test
    void tellsWhichReplicasLieInDirectoriesThatAreOffline() {
        image = cluster().topic("t", ID, 2, 1).offline(ID, 1, 1).image();
        MetadataResponseTopic topic = topic(ask(LATEST, named(false, "t")), 0);
        assertEquals(List.of(1, 2), topic.partitions().get(0).offlineReplicas());
        assertEquals(List.of(), topic.partitions().get(1).offlineReplicas());
    }

    @Test
    void tellsWhyALeaderIsOutOfReach() {
        image = cluster()
                .topic("none", ID, 1, -1)
                .topic("fenced", new Uuid(1, 3), 1, 3)
                .topic("elsewhere", new Uuid(1, 4), 1, 4)
                .image();
        MetadataResponseData answer = ask(LATEST, named(false, "none", "fenced", "elsewhere"));
        assertEquals(Errors.LEADER_NOT_AVAILABLE, partitionError(answer, 0));
        assertEquals(Errors.LEADER_NOT_AVAILABLE, partitionError(answer, 1));
        assertEquals(Errors.LISTENER_NOT_FOUND, partitionError(answer, 2));
        assertEquals(-1, topic(answer, 2).partitions().get(0).leaderId());
        assertEquals(Errors.LEADER_NOT_AVAILABLE, partitionError(ask(5, named(false, "elsewhere")), 0));
    }

    @Test
    void findsTopicsById() {
        MetadataRequestData request = byId(ID);
        request.topics().add(new MetadataRequestTopic().setName(null).setTopicId(new Uuid(9, 9)));
        MetadataResponseData answer = ask(12, request);
        assertEquals("t", topic(answer, 0).name());
        assertNull(topic(answer, 1).name());
        assertEquals(Errors.UNKNOWN_TOPIC_ID, error(answer, 1));
    }

    @Test
    void refusesIdsWhereTheProtocolDoes() {
        for (int version = 10; version < 12; version++) {
            MetadataResponseData answer = ask(version, byId(ID));
            assertEquals(Errors.INVALID_REQUEST, error(answer, 0));
            assertEquals(0, answer.brokers().size());
        }
    }

    @Test
    void knowsAllTopicsInEachVersionsForm() {
        assertEquals(
                1,
                ask(LATEST, new MetadataRequestData().setTopics(null)).topics().size());
        assertEquals(1, ask(0, new MetadataRequestData()).topics().size());
        assertEquals(0, ask(1, new MetadataRequestData()).topics().size());
    }

    @Test
    void askingOnceIsEnough() {
        assertEquals(1, ask(LATEST, named(false, "t", "t")).topics().size());
    }

    @Test
    void authorizedOperationsOnlyOnDemand() {
        MetadataRequestData request = named(false, "t").setIncludeTopicAuthorizedOperations(true);
        assertEquals(3576, topic(ask(LATEST, request), 0).topicAuthorizedOperations());
        assertEquals(Integer.MIN_VALUE, topic(ask(LATEST, named(false, "t")), 0).topicAuthorizedOperations());
        request.setIncludeClusterAuthorizedOperations(true);
        assertEquals(8096, ask(10, request).clusterAuthorizedOperations());
        assertEquals(Integer.MIN_VALUE, ask(11, request).clusterAuthorizedOperations());
    }

    @Test
    void makesUnknownTopicsAndAnswersWhenTheyAreThere() {
        HandlerCall call = call(LATEST, true, named(true, "new", "t", "b@d", "__consumer_offsets"));
        assertFalse(call.answered());
        image = cluster()
                .topic("t", ID, 2, 1)
                .topic("new", new Uuid(4, 4), 1, 1)
                .image();
        mailboxes.deliver(controller.asController());
        MetadataResponseData answer = call.answer(MetadataResponseData.class);
        assertEquals(1, controller.requests().size());
        assertEquals(
                List.of(Errors.NONE, Errors.NONE, Errors.INVALID_TOPIC_EXCEPTION, Errors.UNKNOWN_TOPIC_OR_PARTITION),
                List.of(
                        error(answer, "new"),
                        error(answer, "t"),
                        error(answer, "b@d"),
                        error(answer, "__consumer_offsets")));
    }

    @Test
    void aTopicThatCannotBeMadeStaysUnknown() {
        controller.answering(null);
        HandlerCall call = call(LATEST, true, named(true, "new"));
        mailboxes.deliver(controller.asController());
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, error(call.answer(MetadataResponseData.class), 0));
    }

    @Test
    void makesNothingWithoutLeave() {
        assertEquals(
                Errors.UNKNOWN_TOPIC_OR_PARTITION,
                error(call(LATEST, true, named(false, "new")).answer(MetadataResponseData.class), 0));
        assertEquals(
                Errors.UNKNOWN_TOPIC_OR_PARTITION,
                error(call(LATEST, false, named(true, "new")).answer(MetadataResponseData.class), 0));
        assertEquals(0, mailboxes.waiting());
    }

    private static ClusterImages cluster() {
        return new ClusterImages()
                .broker(1, false, "PLAINTEXT", null, 0)
                .broker(2, false, "PLAINTEXT", "two", 9093)
                .broker(3, true, "PLAINTEXT", "three", 9093)
                .broker(4, false, "OTHER", "four", 9093);
    }

    private MetadataResponseData ask(int version, MetadataRequestData request) {
        return call(version, false, request).answer(MetadataResponseData.class);
    }

    private HandlerCall call(int version, boolean autoCreate, MetadataRequestData request) {
        MetadataHandler handler = new MetadataHandler(new TopicService(mailboxes, autoCreate, true));
        return HandlerCall.of(handler, version, () -> image, request);
    }

    private static MetadataRequestData named(boolean create, String... names) {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(create);
        for (String name : names) {
            request.topics().add(new MetadataRequestTopic().setName(name));
        }
        return request;
    }

    private static MetadataRequestData byId(Uuid id) {
        MetadataRequestData request = new MetadataRequestData();
        request.topics().add(new MetadataRequestTopic().setName(null).setTopicId(id));
        return request;
    }

    private static List<String> brokers(MetadataResponseData answer) {
        return answer.brokers().stream()
                .map(broker -> broker.nodeId() + " " + broker.host() + ":" + broker.port())
                .toList();
    }

    private static MetadataResponseTopic topic(MetadataResponseData answer, int index) {
        return answer.topics().stream().skip(index).findFirst().orElseThrow();
    }

    private static Errors error(MetadataResponseData answer, int index) {
        return Errors.forCode(topic(answer, index).errorCode());
    }

    private static Errors error(MetadataResponseData answer, String name) {
        return Errors.forCode(answer.topics().find(name).errorCode());
    }

    private static Errors partitionError(MetadataResponseData answer, int index) {
        return Errors.forCode(topic(answer, index).partitions().get(0).errorCode());
    }
}
