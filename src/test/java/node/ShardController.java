package node;

import config.BrokerConfig;
import controller.BootReport;
import controller.ControllerMachine;
import controller.Decision;
import highwater.metadata.MetadataRecord;
import java.util.List;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import protocol.PeerTags;
import sim.SimRandom;

/** The real controller machine on a node that never fails; every decision is committed at once. */
final class ShardController {
    private final ControllerMachine machine;

    ShardController(String clusterId, BrokerConfig config, SimRandom random) {
        machine = new ControllerMachine(config, random, MetadataImage.empty(clusterId));
        commit(machine.bootstrap());
        commit(machine.activate(0));
    }

    MetadataImage image() {
        return machine.latest();
    }

    private <T> T commit(Decision<T> decision) {
        commit(decision.records());
        return decision.answer();
    }

    private void commit(List<MetadataRecord> records) {
        if (!records.isEmpty()) {
            machine.replay(records, image().version());
        }
    }

    /** -1: not now. The same process may ask again. */
    long register(BrokerRegistrationRequestData request, BootReport report, long now) {
        request.listeners().clear();
        request.listeners()
                .add(new BrokerRegistrationRequestData.Listener()
                        .setName("PLAINTEXT")
                        .setHost("h" + request.brokerId())
                        .setPort(9092));
        request.features().clear();
        Features.supported()
                .forEach((name, range) -> request.features()
                        .add(new BrokerRegistrationRequestData.Feature()
                                .setName(name)
                                .setMinSupportedVersion(range.min())
                                .setMaxSupportedVersion(range.max())));
        BrokerRegistrationResponseData answer = commit(machine.registerBroker(request, report, now));
        return answer.errorCode() == 0 ? answer.brokerEpoch() : -1;
    }

    BrokerHeartbeatResponseData heartbeat(BrokerHeartbeatRequestData beat, long now) {
        BrokerHeartbeatResponseData answer = commit(machine.heartbeat(beat, now));
        commit(machine.recover(beat.brokerId(), beat.brokerEpoch(), PeerTags.ends(beat)));
        return answer;
    }

    AlterPartitionResponseData alter(AlterPartitionRequestData request) {
        return commit(machine.alterPartition(request));
    }

    AssignReplicasToDirsResponseData assign(AssignReplicasToDirsRequestData request) {
        return commit(machine.assignReplicasToDirs(request));
    }

    /** Time has passed. */
    void tick(long now) {
        commit(machine.fenceStale(now));
    }

    TopicImage create(String name, List<List<Integer>> assignment, List<CreatableTopicConfig> settings) {
        CreatableTopic topic =
                new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
        for (int i = 0; i < assignment.size(); i++) {
            topic.assignments()
                    .add(new CreatableReplicaAssignment().setPartitionIndex(i).setBrokerIds(assignment.get(i)));
        }
        settings.forEach(topic.configs()::add);
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics().add(topic);
        var told = commit(machine.createTopics(request)).topics().iterator().next();
        if (told.errorCode() != 0) {
            throw new AssertionError(told);
        }
        return image().topic(name);
    }

    void reassign(String topic, int partition, List<Integer> targets) {
        AlterPartitionReassignmentsRequestData request = new AlterPartitionReassignmentsRequestData();
        request.topics()
                .add(new ReassignableTopic()
                        .setName(topic)
                        .setPartitions(List.of(new ReassignablePartition()
                                .setPartitionIndex(partition)
                                .setReplicas(targets))));
        commit(machine.reassign(request));
    }

    /** Of all partitions, the preferred ones. */
    void electPreferred() {
        commit(machine.electLeaders(
                new ElectLeadersRequestData().setElectionType((byte) 0).setTopicPartitions(null)));
    }

    boolean isWhole(TopicImage topic) {
        for (PartitionImage each : image().topic(topic.id()).partitions()) {
            if (each.leader() < 0
                    || each.isr().size() < each.replicas().size()
                    || !each.reassignment().adding().isEmpty()
                    || !each.reassignment().removing().isEmpty()) {
                return false;
            }
        }
        return true;
    }
}
