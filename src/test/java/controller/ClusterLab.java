package controller;

import config.BrokerConfig;
import highwater.metadata.MetadataRecord;
import java.util.List;
import java.util.Map;
import java.util.Random;
import metadata.ConfigTarget;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.protocol.Errors;

/** A controller machine and the brokers that talk to it; every decision is committed at once. */
final class ClusterLab {

    static final long SECOND = 1_000_000_000L;

    final Random random;
    ControllerMachine machine;
    long now;

    ClusterLab(long seed) {
        random = new Random(seed);
        machine = machine(MetadataImage.empty("c"));
        machine.replay(machine.bootstrap(), 0);
        machine.activate(now);
    }

    private ControllerMachine machine(MetadataImage image) {
        return new ControllerMachine(
                BrokerConfig.parse(Map.of()).config(),
                new common.RandomSource() {
                    @Override
                    public int below(int bound) {
                        return random.nextInt(bound);
                    }

                    @Override
                    public long nextLong() {
                        return random.nextLong();
                    }
                },
                image);
    }

    /** Another node becomes the active controller with what is committed. */
    void failOver() {
        machine = machine(image());
        commit(machine.activate(now));
    }

    MetadataImage image() {
        return machine.latest();
    }

    <T> T commit(Decision<T> decision) {
        commit(decision.records());
        return decision.answer();
    }

    void commit(List<MetadataRecord> records) {
        if (!records.isEmpty()) {
            machine.replay(records, image().version());
        }
    }

    static Uuid directory(int broker) {
        return new Uuid(77, broker + 1);
    }

    BrokerRegistrationRequestData registration(int broker, long previousEpoch) {
        Uuid incarnation = new Uuid(random.nextLong(), random.nextLong());
        return Joining.registration(broker, "c", incarnation, List.of(directory(broker)), previousEpoch);
    }

    BrokerRegistrationResponseData register(BrokerRegistrationRequestData request) {
        return register(request, null);
    }

    BrokerRegistrationResponseData register(BrokerRegistrationRequestData request, BootReport report) {
        return commit(machine.registerBroker(request, report, now));
    }

    /** Registered and unfenced, after a clean end if it was there before. */
    void start(int broker) {
        start(
                broker,
                image().broker(broker) == null ? -1 : image().broker(broker).epoch(),
                "boot");
    }

    /** @param previousEpoch -1: no clean end */
    void start(int broker, long previousEpoch, String bootId) {
        start(broker, previousEpoch, new BootReport(bootId, false));
    }

    void start(int broker, long previousEpoch, BootReport report) {
        BrokerRegistrationRequestData request = registration(broker, previousEpoch);
        BrokerRegistrationResponseData answer = register(request, report);
        check(answer.errorCode());
        check(heartbeat(broker).errorCode());
    }

    private static void check(short error) {
        if (error != 0) {
            throw new AssertionError(Errors.forCode(error));
        }
    }

    BrokerHeartbeatRequestData beat(int broker) {
        return Joining.heartbeat(image().broker(broker), image().version());
    }

    BrokerHeartbeatResponseData heartbeat(int broker) {
        return commit(machine.heartbeat(beat(broker), now));
    }

    /** It does not answer any more; the others do. */
    void lose(int broker) {
        int[] others = image().brokers().stream()
                .filter(each -> each.id() != broker && !each.fenced())
                .mapToInt(BrokerImage::id)
                .toArray();
        for (int i = 0; i < 3; i++) {
            pass(1, others);
            while (commit(machine.fenceStale(now))) {}
        }
    }

    /** Time passes, and these brokers tell that they are alive. */
    void pass(int seconds, int... beating) {
        for (int i = 0; i < seconds; i++) {
            now += SECOND;
            for (int each : beating) {
                heartbeat(each);
            }
        }
    }

    void create(String name, List<List<Integer>> assignment) {
        CreatableTopic topic =
                new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
        for (int i = 0; i < assignment.size(); i++) {
            topic.assignments()
                    .add(new CreatableReplicaAssignment().setPartitionIndex(i).setBrokerIds(assignment.get(i)));
        }
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics().add(topic);
        var result = commit(machine.createTopics(request)).topics().iterator().next();
        if (result.errorCode() != 0) {
            throw new AssertionError(result);
        }
    }

    PartitionImage partition(String topic) {
        return partition(topic, 0);
    }

    PartitionImage partition(String topic, int partition) {
        return image().topic(topic).partitions().get(partition);
    }

    /** What its leader would propose now, of partition 0. */
    AlterPartitionRequestData proposal(String topic, List<Integer> isr) {
        PartitionImage partition = partition(topic);
        AlterPartitionRequestData.PartitionData data = new AlterPartitionRequestData.PartitionData()
                .setPartitionIndex(0)
                .setLeaderEpoch(partition.leaderEpoch())
                .setPartitionEpoch(partition.partitionEpoch());
        for (int each : isr) {
            data.newIsrWithEpochs()
                    .add(new BrokerState()
                            .setBrokerId(each)
                            .setBrokerEpoch(
                                    image().broker(each) == null
                                            ? -1
                                            : image().broker(each).epoch()));
        }
        return new AlterPartitionRequestData()
                .setBrokerId(partition.leader())
                .setBrokerEpoch(
                        partition.leader() < 0
                                ? -1
                                : image().broker(partition.leader()).epoch())
                .setTopics(List.of(new AlterPartitionRequestData.TopicData()
                        .setTopicId(image().topic(topic).id())
                        .setPartitions(List.of(data))));
    }

    Errors alter(AlterPartitionRequestData request) {
        var answer = commit(machine.alterPartition(request));
        return Errors.forCode(
                answer.errorCode() != 0
                        ? answer.errorCode()
                        : answer.topics().get(0).partitions().get(0).errorCode());
    }

    /** @param targets null: cancel */
    String reassign(String topic, List<Integer> targets) {
        AlterPartitionReassignmentsRequestData request = new AlterPartitionReassignmentsRequestData();
        request.topics()
                .add(new ReassignableTopic()
                        .setName(topic)
                        .setPartitions(List.of(
                                new ReassignablePartition().setPartitionIndex(0).setReplicas(targets))));
        var told = commit(machine.reassign(request))
                .responses()
                .get(0)
                .partitions()
                .get(0);
        return told.errorCode() == 0 ? "OK" : Errors.forCode(told.errorCode()) + " " + told.errorMessage();
    }

    Errors elect(String topic, int type) {
        ElectLeadersRequestData request = new ElectLeadersRequestData().setElectionType((byte) type);
        request.topicPartitions().add(new TopicPartitions().setTopic(topic).setPartitions(List.of(0)));
        return Errors.forCode(commit(machine.electLeaders(request))
                .replicaElectionResults()
                .get(0)
                .partitionResult()
                .get(0)
                .errorCode());
    }

    /** @param topic "": for all brokers */
    void set(String topic, String key, String value) {
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        AlterConfigsResource resource = new AlterConfigsResource()
                .setResourceType(topic.isEmpty() ? ConfigTarget.BROKER : ConfigTarget.TOPIC)
                .setResourceName(topic);
        resource.configs().add(new AlterableConfig().setName(key).setValue(value));
        request.resources().add(resource);
        check(commit(machine.incrementalAlterConfigs(request))
                .responses()
                .get(0)
                .errorCode());
    }

    /** A broker tells where its replica of partition 0 lies. */
    void assign(int broker, Uuid directory, String topic) {
        AssignReplicasToDirsRequestData assignment = new AssignReplicasToDirsRequestData()
                .setBrokerId(broker)
                .setBrokerEpoch(image().broker(broker).epoch());
        assignment
                .directories()
                .add(new AssignReplicasToDirsRequestData.DirectoryData()
                        .setId(directory)
                        .setTopics(List.of(new AssignReplicasToDirsRequestData.TopicData()
                                .setTopicId(image().topic(topic).id())
                                .setPartitions(List.of(new AssignReplicasToDirsRequestData.PartitionData())))));
        check(commit(machine.assignReplicasToDirs(assignment)).errorCode());
    }

    /** The eligible leader replicas are switched on or off. */
    void elr(boolean on) {
        commit(List.of(MetadataRecords.feature(Features.ELIGIBLE_LEADERS, (short) (on ? 1 : 0))));
    }
}
