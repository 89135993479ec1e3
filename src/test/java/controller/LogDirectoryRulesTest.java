package controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import config.BrokerConfig;
import highwater.metadata.MetadataRecord;
import java.util.List;
import java.util.TreeMap;
import metadata.DirectoryId;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData.DirectoryData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData.PartitionData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData.TopicData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sim.SimRandom;

/** What the controller does with log directories: places new replicas, learns where they lie, and what is lost with one (rule C3, KIP-858). */
class LogDirectoryRulesTest {
    private static final Uuid A = new Uuid(5, 1);
    private static final Uuid B = new Uuid(5, 2);
    private static final Uuid C = new Uuid(5, 3);

    private final ControllerMachine machine = new ControllerMachine(
            BrokerConfig.parse(new TreeMap<>()).config(), new SimRandom(1), MetadataImage.empty("c"));

    @BeforeEach
    void features() {
        commit(machine.bootstrap());
    }

    private void commit(List<MetadataRecord> records) {
        machine.replay(records, machine.latest().version());
    }

    private int process;

    /** @param clean false: after a power cut */
    private void register(int id, boolean clean, Uuid... directories) {
        BrokerImage before = machine.latest().broker(id);
        long epoch = before == null || !clean ? -1 : before.epoch();
        // An earlier process is gone: it was fenced, or said so.
        commit(before == null ? List.of() : machine.fence(id, before.epoch()).records());
        Joining.join(
                machine,
                Joining.registration(id, "c", new Uuid(1, ++process), List.of(directories), epoch),
                new BootReport("boot" + process, false),
                this::commit);
    }

    private List<PartitionImage> create(String name, int partitions, int factor) {
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics()
                .add(new CreatableTopic()
                        .setName(name)
                        .setNumPartitions(partitions)
                        .setReplicationFactor((short) factor));
        commit(machine.createTopics(request).records());
        return machine.latest().topic(name).partitions();
    }

    private List<Integer> counts(Uuid... directories) {
        return List.of(directories).stream().map(machine.latest()::replicasIn).toList();
    }

    private AssignReplicasToDirsResponseData assign(
            int broker, long epoch, Uuid directory, Uuid topic, int... partitions) {
        TopicData told = new TopicData().setTopicId(topic);
        for (int each : partitions) {
            told.partitions().add(new PartitionData().setPartitionIndex(each));
        }
        AssignReplicasToDirsRequestData request =
                new AssignReplicasToDirsRequestData().setBrokerId(broker).setBrokerEpoch(epoch);
        request.directories().add(new DirectoryData().setId(directory).setTopics(List.of(told)));
        Decision<AssignReplicasToDirsResponseData> decision = machine.assignReplicasToDirs(request);
        commit(decision.records());
        return decision.answer();
    }

    private long epoch(int broker) {
        return machine.latest().broker(broker).epoch();
    }

    private static Errors error(AssignReplicasToDirsResponseData answer) {
        return answer.errorCode() != 0
                ? Errors.forCode(answer.errorCode())
                : Errors.forCode(answer.directories()
                        .get(0)
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode());
    }

    private List<Integer> epochs(String topic) {
        return machine.latest().topic(topic).partitions().stream()
                .map(PartitionImage::leaderEpoch)
                .toList();
    }

    @Test
    void newReplicasGoWhereFewestAre() {
        register(1, true, A, B);
        create("t", 1, 1);
        register(2, true, C);
        assertEquals(List.of(1, 0, 0), counts(A, B, C));
        for (PartitionImage each : create("u", 5, 2)) {
            assertEquals(C, each.directory(2));
            assertEquals(2, each.directories().size());
        }
        assertEquals(List.of(3, 3, 5), counts(A, B, C));
        // One request, several topics: each sees what those before it took.
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        for (int i = 0; i < 6; i++) {
            request.topics()
                    .add(new CreatableTopic()
                            .setName("v" + i)
                            .setNumPartitions(1)
                            .setReplicationFactor((short) 1));
        }
        commit(machine.createTopics(request).records());
        List<Integer> held = counts(A, B, C);
        assertEquals(17, held.get(0) + held.get(1) + held.get(2));
        assertTrue(Math.abs(held.get(0) - held.get(1)) <= 1, () -> "whichever brokers they are on: " + held);
    }

    /** A new directory fills up first. */
    @Test
    void anEmptyDirectoryCatchesUp() {
        register(1, true, A);
        create("t", 10, 1);
        register(1, true, A, B);
        create("u", 10, 1);
        assertEquals(List.of(10, 10), counts(A, B));
    }

    @Test
    void aBrokerTellsWhereItsReplicasLie() {
        register(1, true, A, B);
        create("t", 4, 1);
        register(2, true, C);
        Uuid topic = machine.latest().topic("t").id();
        PartitionImage before = machine.latest().topic("t").partitions().get(0);
        assertEquals(1, before.leader());
        Uuid other = before.directory(1).equals(A) ? B : A;
        assertEquals(Errors.NONE, error(assign(1, epoch(1), other, topic, 0)));
        PartitionImage after = machine.latest().topic("t").partitions().get(0);
        assertEquals(other, after.directory(1));
        assertEquals(before.leaderEpoch(), after.leaderEpoch());
        assertEquals(before.partitionEpoch() + 1, after.partitionEpoch());
        long version = machine.latest().version();
        assertEquals(Errors.NONE, error(assign(1, epoch(1), other, topic, 0)), "C9");
        assertEquals(version, machine.latest().version(), "said before: nothing is written");
        assertEquals(Errors.STALE_BROKER_EPOCH, error(assign(1, epoch(1) + 1, A, topic, 0)));
        assertEquals(Errors.STALE_BROKER_EPOCH, error(assign(9, 0, A, topic, 0)));
        assertEquals(Errors.UNKNOWN_TOPIC_ID, error(assign(1, epoch(1), A, new Uuid(9, 9), 0)));
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, error(assign(1, epoch(1), A, topic, 4)));
        assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, error(assign(2, epoch(2), C, topic, 0)));
        assertEquals(Errors.LOG_DIR_NOT_FOUND, error(assign(1, epoch(1), C, topic, 0)));
        assertEquals(version, machine.latest().version());
    }

    /** Those that began anew without all that they had. */
    private List<Boolean> recovering(String topic) {
        return machine.latest().topic(topic).partitions().stream()
                .map(each -> each.eligible().recovering())
                .toList();
    }

    private List<Integer> leaders(String topic) {
        return machine.latest().topic(topic).partitions().stream()
                .map(PartitionImage::leader)
                .toList();
    }

    @Test
    void whatWasInADirectoryThatIsGoneIsLost_C3() {
        register(1, true, A, B);
        create("t", 4, 1);
        List<Boolean> inA = machine.latest().topic("t").partitions().stream()
                .map(each -> each.directory(1).equals(A))
                .toList();
        assertTrue(inA.contains(true) && inA.contains(false));
        register(1, true, B, A);
        assertEquals(List.of(1, 1, 1, 1), leaders("t"));
        assertEquals(List.of(false, false, false, false), recovering("t"), "none is gone");
        List<Integer> before = epochs("t");
        register(1, true, B, new Uuid(5, 9));
        assertEquals(inA.stream().map(lost -> lost ? -1 : 1).toList(), leaders("t"), "it is nowhere");
        for (int i = 0; i < 4; i++) {
            assertTrue(epochs("t").get(i) > before.get(i), "I11");
            if (inA.get(i)) {
                assign(1, epoch(1), B, machine.latest().topic("t").id(), i);
            }
        }
        assertEquals(List.of(1, 1, 1, 1), leaders("t"));
        assertEquals(inA, recovering("t"));
        register(1, false, B, new Uuid(5, 9));
        assertEquals(List.of(true, true, true, true), recovering("t"), "an unclean end: all that it holds");
    }

    /** Where nobody has said where replicas lie, any of them may have been in the directory that is gone. */
    @Test
    void anyReplicaMayBeLostWhileTheMetadataDoesNotSay_C3() {
        register(1, true, A, B);
        create("t", 2, 1);
        Uuid topic = machine.latest().topic("t").id();
        assign(1, epoch(1), DirectoryId.UNASSIGNED, topic, 0, 1);
        assertEquals(List.of(0, 0), counts(A, B));
        register(1, true, A, B, C);
        assertEquals(List.of(false, false), recovering("t"));
        register(1, true, A, C);
        assertEquals(List.of(true, true), recovering("t"));
    }

    @Test
    void aDirectoryThatWentOfflineTakesNoMore() {
        register(1, true, A, B);
        BrokerHeartbeatRequestData heartbeat = new BrokerHeartbeatRequestData()
                .setBrokerId(1)
                .setBrokerEpoch(epoch(1))
                .setOfflineLogDirs(List.of(A));
        long registered = epoch(1);
        PartitionImage held = create("t", 1, 1).get(0);
        assertEquals(A, held.directory(1));
        assertTrue(machine.latest().isDirectoryOnline(held, 1));
        commit(machine.heartbeat(heartbeat, 0).records());
        assertEquals(registered, epoch(1), "the same registration");
        assertEquals(List.of(B), machine.latest().broker(1).logDirs());
        assertTrue(!machine.latest().isDirectoryOnline(held, 1));
        create("u", 6, 1);
        assertEquals(List.of(1, 6), counts(A, B));
        assertEquals(List.of(), machine.heartbeat(heartbeat, 0).records(), "known");
        Decision<?> stale = machine.heartbeat(heartbeat.duplicate().setBrokerEpoch(registered - 1), 0);
        assertEquals(List.of(), stale.records());
        assertTrue(stale.answer().toString().contains("errorCode=" + Errors.STALE_BROKER_EPOCH.code()));
    }
}
