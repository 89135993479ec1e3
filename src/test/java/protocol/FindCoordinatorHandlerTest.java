package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import config.BrokerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.junit.jupiter.api.Test;
import services.ClusterImages;
import services.FakeController;
import services.HeldMailboxes;
import services.InternalTopics;
import services.TopicService;

class FindCoordinatorHandlerTest {
    private static final int LATEST = ApiKeys.FIND_COORDINATOR.latestVersion();
    private static final byte GROUP = 0;
    private static final byte TRANSACTION = 1;
    private static final byte SHARE = 2;

    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final FakeController controller = new FakeController().answering(new CreateTopicsResponseData());
    private final FindCoordinatorHandler handler = new FindCoordinatorHandler(new InternalTopics(
            new TopicService(mailboxes, true, true),
            config().groups().topic(),
            config().transactions().topic()));
    private MetadataImage image = cluster(2);

    @Test
    void namesTheLeaderOfTheGroupsPartition() {
        for (int version = 0; version <= LATEST; version++) {
            assertEquals(List.of("NONE two:9093"), ask(version, GROUP, "g"), "version " + version);
        }
        assertEquals(List.of("NONE two:9093", "NONE two:9093"), ask(4, GROUP, "g", ""));
    }

    @Test
    void saysSoWhenTheLeaderIsOutOfReach() {
        for (int leader : new int[] {-1, 3, 4}) {
            image = cluster(leader);
            assertEquals(List.of("COORDINATOR_NOT_AVAILABLE :-1"), ask(3, GROUP, "g"));
            assertEquals(List.of("COORDINATOR_NOT_AVAILABLE :-1"), ask(LATEST, GROUP, "g"));
        }
    }

    /** A lost log directory: as in Kafka, where the partition has no leader then. */
    @Test
    void namesNobodyForAPartitionWhoseDirectoryIsOffline() {
        image = brokers()
                .topic(Topic.GROUP_METADATA_TOPIC_NAME, new Uuid(5, 5), 3, 2)
                .offline(new Uuid(5, 5), 3, 2)
                .image();
        assertEquals(List.of("COORDINATOR_NOT_AVAILABLE :-1"), ask(3, GROUP, "g"));
        assertEquals(List.of("COORDINATOR_NOT_AVAILABLE :-1"), ask(LATEST, GROUP, "g"));
    }

    @Test
    void namesTheLeaderOfTheTransactionalIdsPartition() {
        image = brokers()
                .topic(Topic.TRANSACTION_STATE_TOPIC_NAME, new Uuid(5, 6), 3, 2)
                .image();
        assertEquals(List.of("NONE two:9093"), ask(1, TRANSACTION, "t"));
        assertEquals(List.of("NONE two:9093"), ask(LATEST, TRANSACTION, "t"));
    }

    @Test
    void makesTheTransactionTopicAsKafkaShapesIt() {
        image = brokers().image();
        HandlerCall call = call(LATEST, request(LATEST, TRANSACTION, "t"));
        mailboxes.deliver(controller.asController());
        assertEquals(List.of("COORDINATOR_NOT_AVAILABLE :-1"), text(LATEST, call), "still not there");
        CreatableTopic made = ((CreateTopicsRequestData) controller.requests().get(0))
                .topics()
                .iterator()
                .next();
        assertEquals(Topic.TRANSACTION_STATE_TOPIC_NAME, made.name());
        assertEquals(50, made.numPartitions());
        assertEquals(3, made.replicationFactor());
        Map<String, String> configs = new TreeMap<>();
        made.configs().forEach(each -> configs.put(each.name(), each.value()));
        assertEquals(
                new TreeMap<>(Map.of(
                        "cleanup.policy", "compact",
                        "compression.type", "uncompressed",
                        "min.insync.replicas", "2",
                        "segment.bytes", "104857600",
                        "unclean.leader.election.enable", "false")),
                configs);
    }

    @Test
    void shareGroupsHaveNoCoordinator() {
        assertEquals(List.of("INVALID_REQUEST :-1"), ask(LATEST, SHARE, "g:" + Uuid.ZERO_UUID + ":0"));
        assertEquals(0, mailboxes.waiting());
    }

    @Test
    void unknownKindsAreRefusedInKafkasForm() {
        for (int version : new int[] {1, 3, 4, LATEST}) {
            FindCoordinatorRequestData request = request(version, (byte) 7, "g");
            FindCoordinatorRequest kafka = new FindCoordinatorRequest.Builder(request).build((short) version);
            FindCoordinatorResponseData expected =
                    (FindCoordinatorResponseData) kafka.getErrorResponse(0, Errors.INVALID_REQUEST.exception())
                            .data();
            assertEquals(
                    expected, call(version, request).answer(FindCoordinatorResponseData.class), "version " + version);
        }
    }

    @Test
    void firstQuestionMakesTheTopicAndIsAnsweredWhenItIsThere() {
        image = brokers().image();
        HandlerCall first = call(LATEST, request(LATEST, GROUP, "g"));
        HandlerCall second = call(0, request(0, GROUP, "h"));
        assertFalse(first.answered());
        assertEquals(1, mailboxes.waiting(), "both share one creation");
        image = cluster(1);
        mailboxes.deliver(controller.asController());
        assertEquals(List.of("NONE 10.0.0.9:9092"), text(LATEST, first));
        assertEquals(List.of("NONE 10.0.0.9:9092"), text(0, second));
        CreatableTopic made = ((CreateTopicsRequestData) controller.requests().get(0))
                .topics()
                .iterator()
                .next();
        assertEquals(Topic.GROUP_METADATA_TOPIC_NAME, made.name());
        assertEquals(50, made.numPartitions());
        assertEquals(3, made.replicationFactor(), "as configured; three brokers live");
        Map<String, String> configs = new TreeMap<>();
        made.configs().forEach(each -> configs.put(each.name(), each.value()));
        assertEquals(
                Map.of("cleanup.policy", "compact", "compression.type", "producer", "segment.bytes", "104857600"),
                configs);
    }

    @Test
    void replicasAreLimitedToTheBrokersThereAre() {
        image = new ClusterImages()
                .broker(1, false, "PLAINTEXT", null, 0)
                .broker(2, true, "PLAINTEXT", null, 0)
                .image();
        call(LATEST, request(LATEST, GROUP, "g"));
        mailboxes.deliver(controller.asController());
        CreateTopicsRequestData request =
                (CreateTopicsRequestData) controller.requests().get(0);
        assertEquals(1, request.topics().iterator().next().replicationFactor());
    }

    @Test
    void aTopicThatCannotBeMadeIsAskedForAgain() {
        image = brokers().image();
        controller.answering(null);
        HandlerCall call = call(LATEST, request(LATEST, GROUP, "g"));
        mailboxes.deliver(controller.asController());
        assertEquals(List.of("COORDINATOR_NOT_AVAILABLE :-1"), text(LATEST, call));
    }

    private static ClusterImages brokers() {
        return new ClusterImages()
                .broker(1, false, "PLAINTEXT", null, 0)
                .broker(2, false, "PLAINTEXT", "two", 9093)
                .broker(3, true, "PLAINTEXT", "three", 9093)
                .broker(4, false, "OTHER", "four", 9093);
    }

    private static MetadataImage cluster(int leader) {
        return brokers()
                .topic(Topic.GROUP_METADATA_TOPIC_NAME, new Uuid(5, 5), 3, leader)
                .image();
    }

    private static BrokerConfig config() {
        return BrokerConfig.parse(new TreeMap<>(Map.of("node.id", "1", "log.dirs", "data")))
                .config();
    }

    private List<String> ask(int version, byte type, String... keys) {
        return text(version, call(version, request(version, type, keys)));
    }

    private HandlerCall call(int version, FindCoordinatorRequestData request) {
        return HandlerCall.of(handler, version, () -> image, request);
    }

    private static FindCoordinatorRequestData request(int version, byte type, String... keys) {
        FindCoordinatorRequestData request = new FindCoordinatorRequestData();
        if (version >= 1) {
            request.setKeyType(type);
        }
        return version < 4 ? request.setKey(keys[0]) : request.setCoordinatorKeys(List.of(keys));
    }

    private static List<String> text(int version, HandlerCall call) {
        FindCoordinatorResponseData answer = call.answer(FindCoordinatorResponseData.class);
        if (version < 4) {
            return List.of(Errors.forCode(answer.errorCode()) + " " + answer.host() + ":" + answer.port());
        }
        List<String> all = new ArrayList<>();
        answer.coordinators()
                .forEach(each -> all.add(Errors.forCode(each.errorCode()) + " " + each.host() + ":" + each.port()));
        return all;
    }
}
