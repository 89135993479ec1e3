package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.OwnerId;
import common.PartitionId;
import common.Ports;
import controller.Controller;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import node.ReplicaDirectories.Placed;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData.DirectoryData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData.PartitionData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData.TopicData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Has the metadata say in which log directories this broker's replicas lie (KIP-858). On loop 0. */
final class DirectoryReports {
    private static final long TIMEOUT_MILLIS = 60_000;
    private static final long RETRY_MILLIS = 200;
    private static final List<Errors> GONE =
            List.of(Errors.UNKNOWN_TOPIC_ID, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.NOT_LEADER_OR_FOLLOWER);
    /** As Kafka's brokers send at once. */
    private static final int ASSIGNMENTS_AT_ONCE = 2_250;

    private static final int RECORD_BYTES = 256;

    private final Ports ports;
    private final int brokerId;
    private final long brokerEpoch;
    private final int atOnce;

    /** @param maxBatchBytes largest batch of metadata records */
    DirectoryReports(Ports ports, int brokerId, long brokerEpoch, int maxBatchBytes) {
        this.ports = ports;
        this.brokerId = brokerId;
        this.brokerEpoch = brokerEpoch;
        long fit = MetadataJournal.mostBytesOf(maxBatchBytes) / RECORD_BYTES;
        this.atOnce = (int) Math.max(1, Math.min(ASSIGNMENTS_AT_ONCE, fit));
    }

    /** Has the metadata say where these replicas lie; {@code done} when it is committed. */
    void assign(List<Placed> placed, Callback<Void> done) {
        Countdown rest = new Countdown((placed.size() + atOnce - 1) / atOnce, done);
        for (int from = 0; from < placed.size(); from += atOnce) {
            List<Placed> piece = placed.subList(from, Math.min(placed.size(), from + atOnce));
            tell(request(piece), rest);
        }
    }

    /** Again while no controller is to be had: nobody serves before it is told. */
    private void tell(AssignReplicasToDirsRequestData request, Countdown rest) {
        ports.mailboxes()
                .<Controller, AssignReplicasToDirsResponseData>call(
                        new OwnerId<>(Controller.class, 0),
                        (controller, reply) -> controller.assignReplicasToDirs(request.duplicate(), reply),
                        TIMEOUT_MILLIS,
                        (answer, failure) -> {
                            if (failure != null && !BrokerMembership.isFinal(failure)) {
                                ports.timers().after(RETRY_MILLIS, () -> tell(request, rest));
                            } else {
                                rest.one(failure != null ? failure : refusal(answer));
                            }
                        });
    }

    private AssignReplicasToDirsRequestData request(List<Placed> piece) {
        Map<Uuid, Map<Uuid, TopicData>> byDirectory = new LinkedHashMap<>();
        for (Placed each : piece) {
            PartitionId id = each.id();
            byDirectory
                    .computeIfAbsent(each.directory(), directory -> new LinkedHashMap<>())
                    .computeIfAbsent(id.topicId(), topic -> new TopicData().setTopicId(topic))
                    .partitions()
                    .add(new PartitionData().setPartitionIndex(id.partition()));
        }
        AssignReplicasToDirsRequestData request =
                new AssignReplicasToDirsRequestData().setBrokerId(brokerId).setBrokerEpoch(brokerEpoch);
        byDirectory.forEach((directory, topics) -> request.directories()
                .add(new DirectoryData().setId(directory).setTopics(new ArrayList<>(topics.values()))));
        return request;
    }

    /** What is unknown has been deleted, or moved to other brokers, since it was looked at. */
    private static Failure refusal(AssignReplicasToDirsResponseData answer) {
        Errors error = Errors.forCode(answer.errorCode());
        for (AssignReplicasToDirsResponseData.DirectoryData directory : answer.directories()) {
            for (AssignReplicasToDirsResponseData.TopicData topic : directory.topics()) {
                for (AssignReplicasToDirsResponseData.PartitionData each : topic.partitions()) {
                    boolean counts = error == Errors.NONE && !GONE.contains(Errors.forCode(each.errorCode()));
                    error = counts ? Errors.forCode(each.errorCode()) : error;
                }
            }
        }
        return error == Errors.NONE
                ? null
                : Failure.of(
                        FailureCode.INTERNAL,
                        "the controller does not take the log directories of this node's partitions: " + error.name());
    }
}
