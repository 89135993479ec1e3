package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Failure;
import common.FailureCode;
import config.BrokerConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;
import sim.SimHost;

class ControllerNodeTest {

    private static final String DIRECTORY = "__cluster_metadata-0/";
    private static final BrokerConfig ZERO = ControllerLab.config();

    private final SimHost host = new SimHost(new Random().nextLong());
    private final ControllerLab lab = new ControllerLab(host, ZERO);

    private static CreateTopicsRequestData creation(String name) {
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics()
                .add(new CreatableTopic().setName(name).setNumPartitions(1).setReplicationFactor((short) 1));
        return request;
    }

    private static Uuid create(ControllerLab lab, String name) {
        CreateTopicsResponseData answer = lab.host.await(done -> lab.controller.createTopics(creation(name), done));
        assertEquals(0, answer.topics().find(name).errorCode());
        return answer.topics().find(name).topicId();
    }

    @Test
    void newClusterHasItsFeaturesAndThisBroker() {
        lab.open();
        MetadataImage image = lab.image();
        assertEquals(33, image.features().level("metadata.version"));
        assertEquals(1, image.controllerId());
        assertEquals(ControllerLab.CLUSTER, image.clusterId());
        assertTrue(image.isClusterRecorded(), "who joins later learns it");
        assertEquals(1, image.brokers().size());
        assertEquals(lab.controller.log().highWatermark(), image.version());
        assertEquals(image, lab.published.get(lab.published.size() - 1));
    }

    @Test
    void brokerEpochRisesWithEachStart() {
        lab.open();
        long first = lab.image().broker(1).epoch();
        lab.stop();
        ControllerLab next = lab.on(host.kill()).open();
        assertTrue(next.image().broker(1).epoch() > first);
        assertNotEquals(
                lab.image().broker(1).incarnationId(), next.image().broker(1).incarnationId());
    }

    @Test
    void deletedNameMadeAgainIsAnotherTopic() {
        lab.open();
        Uuid first = create(lab, "t");
        DeleteTopicsRequestData deletion = new DeleteTopicsRequestData();
        deletion.topics().add(new DeleteTopicState().setName(null).setTopicId(first));
        DeleteTopicsResponseData deleted = host.await(done -> lab.controller.deleteTopics(deletion, done));
        assertEquals("t", deleted.responses().iterator().next().name());
        Uuid second = create(lab, "t");
        assertNotEquals(first, second, "C7");
        DeleteTopicsResponseData again = host.await(done -> lab.controller.deleteTopics(deletion, done));
        assertEquals(
                Errors.UNKNOWN_TOPIC_ID.code(),
                again.responses().iterator().next().errorCode(),
                "C9: the retry hits nobody");
        assertEquals(second, lab.image().topic("t").id());
    }

    /** A topic may have grown to more partitions than one batch has room for. */
    @Test
    void uncleanStartRaisesTheEpochsOfAnyNumberOfPartitions_I1() {
        ControllerLab small =
                new ControllerLab(host, ControllerLab.config("internal.metadata.max.batch.size.in.bytes", "8000"));
        small.open();
        create(small, "t");
        create(small, "u");
        for (int count = 21; count <= 121; count += 20) {
            CreatePartitionsRequestData request = new CreatePartitionsRequestData();
            request.topics()
                    .add(new CreatePartitionsTopic()
                            .setName("t")
                            .setCount(count)
                            .setAssignments(null));
            CreatePartitionsResponseData grown = host.await(done -> small.controller.createPartitions(request, done));
            assertEquals(0, grown.results().get(0).errorCode());
        }
        ControllerLab next = small.on(host.kill()).open();
        assertEquals(121, next.image().topic("t").partitions().size());
        for (String topic : List.of("t", "u")) {
            next.image().topic(topic).partitions().forEach(each -> assertEquals(2, each.leaderEpoch(), topic));
        }
    }

    /** What need not take effect together fills as many batches as it takes, is answered with the last, and comes before what was asked later. */
    @Test
    void aDecisionInPartsFillsSeveralBatches() {
        ControllerLab small =
                new ControllerLab(host, ControllerLab.config("internal.metadata.max.batch.size.in.bytes", "8000"));
        small.open();
        create(small, "t");
        for (int count = 21; count <= 121; count += 20) {
            CreatePartitionsRequestData request = new CreatePartitionsRequestData();
            request.topics()
                    .add(new CreatePartitionsTopic()
                            .setName("t")
                            .setCount(count)
                            .setAssignments(null));
            host.<CreatePartitionsResponseData>await(done -> small.controller.createPartitions(request, done));
        }
        int[] answers = new int[1];
        small.controller.unregisterBroker(new UnregisterBrokerRequestData().setBrokerId(1), (answer, failure) -> {
            assertEquals(0, answer.errorCode());
            assertNull(small.image().broker(1), "answered with the last part");
            answers[0]++;
        });
        CreateTopicsResponseData later = host.await(done -> small.controller.createTopics(creation("u"), done));
        assertEquals(
                Errors.INVALID_REPLICATION_FACTOR.code(),
                later.topics().find("u").errorCode(),
                "it sees all of them: there is no broker");
        assertEquals(1, answers[0]);
        small.image().topic("t").partitions().forEach(each -> assertEquals(-1, each.leader()));
        assertEquals(121, small.image().topic("t").partitions().size());
    }

    /** Requests that come while a batch is written share the next one: two syncs in all. */
    @Test
    void groupCommit() {
        lab.open();
        int[] syncs = {0};
        host.disk().faults((operation, path, number) -> {
            syncs[0] += operation == Operation.SYNC ? 1 : 0;
            return Fault.NONE;
        });
        List<Short> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            String name = "t" + i;
            lab.controller.createTopics(
                    creation(name),
                    (answer, failure) -> answers.add(answer.topics().find(name).errorCode()));
        }
        host.runFor(1_000);
        assertEquals(50, answers.size());
        assertEquals(2, syncs[0]);
        assertEquals(50, lab.image().topics().size());
    }

    /** R10: an answer that was decided upon records not yet committed waits for them, even if it changes nothing. */
    @Test
    void nothingIsAnsweredBeforeCommit() {
        lab.open();
        long version = lab.image().version();
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            lab.controller.createTopics(creation("same"), (answer, failure) -> {
                assertTrue(lab.image().topic("same") != null, "answered before commit");
                answers.add(
                        Errors.forCode(answer.topics().find("same").errorCode()).name());
            });
        }
        assertEquals(List.of(), answers);
        assertEquals(version, lab.image().version());
        host.runFor(1_000);
        assertEquals(List.of("NONE", "TOPIC_ALREADY_EXISTS", "TOPIC_ALREADY_EXISTS"), answers);
    }

    @Test
    void createdTopicsAreAnsweredWhenTheShardsHaveApplied() {
        lab.open();
        lab.held = new ArrayList<>();
        List<Object> answers = new ArrayList<>();
        lab.controller.createTopics(creation("t"), (answer, failure) -> answers.add(answer));
        host.runFor(1_000);
        assertEquals(List.of(), answers);
        assertEquals(1, lab.held.size());
        long epoch = lab.image().broker(1).epoch();
        AllocateProducerIdsResponseData ids = host.await(done -> lab.controller.allocateProducerIds(
                new AllocateProducerIdsRequestData().setBrokerId(1).setBrokerEpoch(epoch), done));
        assertEquals(0, ids.producerIdStart(), "ids do not wait for shards");
        lab.held.get(0).fail(FailureCode.STORAGE_ERROR, "a partition has no room");
        assertEquals(1, answers.size(), "committed all the same");
    }

    @Test
    void imagesAreMergedWhenShardsAreSlow() {
        lab.open();
        lab.held = new ArrayList<>();
        lab.published.clear();
        int[] answered = {0};
        for (int i = 0; i < 60; i++) {
            lab.controller.createTopics(creation("t" + i), (answer, failure) -> answered[0]++);
            host.runFor(100);
        }
        assertEquals(MetadataPublisher.MAX_IN_FLIGHT, lab.held.size());
        for (int i = 0; i < lab.held.size(); i++) {
            lab.held.get(i).succeed(null);
        }
        assertEquals(60, answered[0]);
        assertTrue(lab.published.size() <= MetadataPublisher.MAX_IN_FLIGHT + 1, "published " + lab.published.size());
        assertEquals(60, lab.published.get(lab.published.size() - 1).topics().size());
    }

    @Test
    void producerIdsAreForTheLivingIncarnationOnly() {
        lab.open();
        long epoch = lab.image().broker(1).epoch();
        AllocateProducerIdsRequestData request =
                new AllocateProducerIdsRequestData().setBrokerId(1).setBrokerEpoch(epoch - 1);
        AllocateProducerIdsResponseData stale = host.await(done -> lab.controller.allocateProducerIds(request, done));
        assertEquals(Errors.STALE_BROKER_EPOCH.code(), stale.errorCode());
        AllocateProducerIdsRequestData stranger = new AllocateProducerIdsRequestData().setBrokerId(7);
        AllocateProducerIdsResponseData unknown =
                host.await(done -> lab.controller.allocateProducerIds(stranger, done));
        assertEquals(Errors.STALE_BROKER_EPOCH.code(), unknown.errorCode());
    }

    @Test
    void unacknowledgedChangeIsTakenBackWhenItCannotBeWritten() {
        lab.open();
        create(lab, "before");
        host.disk().faults(DiskFaults.nth(Operation.WRITE, ".log", 1, Fault.ERROR));
        Failure failure = host.<CreateTopicsResponseData>awaitFailure(
                done -> lab.controller.createTopics(creation("lost"), done));
        assertEquals(FailureCode.STORAGE_ERROR, failure.code());
        assertNull(lab.image().topic("lost"));
        create(lab, "lost");
        ControllerLab next = lab.on(host.kill()).open();
        assertEquals(2, next.image().topics().size());
    }

    @Test
    void failedSyncEndsTheLeadership() {
        lab.open();
        host.disk().faults(DiskFaults.nth(Operation.SYNC, ".log", 1, Fault.ERROR));
        host.<CreateTopicsResponseData>awaitFailure(done -> lab.controller.createTopics(creation("t"), done));
        Failure after =
                host.<CreateTopicsResponseData>awaitFailure(done -> lab.controller.createTopics(creation("u"), done));
        assertEquals(FailureCode.NOT_LEADER, after.code());
        assertNull(lab.image().topic("t"));
        assertNotEquals(null, lab.offline);
    }

    @Test
    void refusesToStartWithoutItsVote() throws IOException {
        lab.open();
        lab.stop();
        host.files().delete(DIRECTORY + "quorum-state");
        String told = lab.on(host.kill()).openRefused().message();
        assertTrue(told.contains("quorum-state is missing"), told);
    }

    @Test
    void refusesToStartWithARottenVote() {
        lab.open();
        lab.stop();
        host.disk().rot(DIRECTORY + "quorum-state", 15, 2);
        String told = lab.on(host.kill()).openRefused().message();
        assertTrue(told.contains("cannot be trusted: its checksum does not match"), told);
    }

    @Test
    void refusesToStartOnRotInTheLog() {
        lab.open();
        for (int i = 0; i < 5; i++) {
            create(lab, "t" + i);
        }
        host.disk().rot(DIRECTORY + "00000000000000000000.log", 200, 1);
        String told = lab.on(host.kill()).openRefused().message();
        assertTrue(told.contains("R15") || told.contains("damaged"), told);
    }

    private static BrokerConfig snapshotting() {
        return ControllerLab.config(
                "metadata.log.max.record.bytes.between.snapshots", "300",
                "metadata.max.retention.bytes", "1",
                "internal.metadata.log.segment.bytes", "500");
    }

    private static List<String> snapshots(SimHost host) {
        return host.disk().tree().stream()
                .filter(each -> each.contains(".checkpoint "))
                .map(each -> each.substring(0, each.indexOf(' ')))
                .toList();
    }

    /** R12: two snapshots stay, the log begins at the older one, and a rotten newest one is passed over. */
    @Test
    void startsFromTheOlderSnapshotWhenTheNewestIsRotten() {
        ControllerLab small = new ControllerLab(host, snapshotting());
        small.open();
        for (int i = 0; i < 20; i++) {
            create(small, "t" + i);
            host.runFor(1_000);
        }
        List<String> found = snapshots(host);
        assertEquals(2, found.size());
        assertTrue(small.controller.log().logStartOffset() > 0);
        small.stop();
        host.disk().rot(found.get(1), 100, 3);
        ControllerLab next = small.on(host.kill()).open();
        assertEquals(20, next.image().topics().size());
        next.host.runFor(1_000);
        next.stop();
        snapshots(next.host).forEach(each -> next.host.disk().rot(each, 110, 3));
        String told = next.on(next.host.kill()).openRefused().message();
        assertTrue(told.contains("no snapshot reaches it"), told);
    }

    @Test
    void takesSnapshotsByTimeIfThereIsSomethingNew() {
        lab.open();
        host.runFor(3_700_000);
        assertEquals(1, snapshots(host).size(), "of the records of the start");
        host.runFor(3_700_000);
        assertEquals(1, snapshots(host).size(), "nothing new");
        create(lab, "t");
        host.runFor(3_700_000);
        assertEquals(2, snapshots(host).size());
    }

    /** I11, C3: no offset comes back under an old epoch; and what a power cut may have taken is known. */
    @Test
    void leaderEpochsRiseWithEachStart() {
        lab.open();
        create(lab, "t");
        lab.stop();
        ControllerLab clean = lab.on(host.powerCut()).open();
        assertEquals("epoch 2, recovering false", state(clean));
        ControllerLab killed = clean.on(clean.host.kill()).open();
        assertEquals("epoch 4, recovering false", state(killed), "the page cache has all");
        ControllerLab unclean = killed.on(killed.host.powerCut()).open();
        assertEquals("epoch 6, recovering true", state(unclean));
    }

    private static String state(ControllerLab lab) {
        PartitionImage partition = lab.image().topic("t").partitions().get(0);
        assertEquals(1, partition.leader());
        return "epoch " + partition.leaderEpoch() + ", recovering "
                + partition.eligible().recovering();
    }

    @Test
    void stopLetsAcceptedRequestsEndAndRefusesNewOnes() {
        lab.open();
        List<String> answers = new ArrayList<>();
        Callback<CreateTopicsResponseData> done = (answer, failure) ->
                answers.add(failure == null ? "done" : failure.code().name());
        lab.controller.createTopics(creation("t"), done);
        lab.controller.stop((stopped, failure) -> answers.add("stopped"));
        lab.controller.createTopics(creation("u"), done);
        host.runFor(1_000);
        assertEquals(List.of("SHUTTING_DOWN", "done", "stopped"), answers);
    }

    @Test
    void describesItsQuorum() {
        lab.open();
        DescribeQuorumRequestData request = new DescribeQuorumRequestData();
        request.topics()
                .add(new DescribeQuorumRequestData.TopicData()
                        .setTopicName("__cluster_metadata")
                        .setPartitions(List.of(
                                new DescribeQuorumRequestData.PartitionData().setPartitionIndex(0),
                                new DescribeQuorumRequestData.PartitionData().setPartitionIndex(1))));
        DescribeQuorumResponseData answer = host.await(done -> lab.controller.describeQuorum(request, done));
        var partitions = answer.topics().get(0).partitions();
        assertEquals(1, partitions.get(0).leaderId());
        assertEquals(1, partitions.get(0).leaderEpoch());
        assertEquals(lab.image().version(), partitions.get(0).highWatermark());
        assertEquals(1, partitions.get(0).currentVoters().size());
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), partitions.get(1).errorCode());
    }
}
