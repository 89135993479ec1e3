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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import metadata.MetadataImage.BrokerImage;
import node.ReplicaDirectories.Placed;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData.DirectoryData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData.PartitionData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData.TopicData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this broker tells the controller about its log directories (KIP-858). On loop 0. */
final class DirectoryReports {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryReports.class);
    private static final long TIMEOUT_MILLIS = 60_000;
    private static final long RETRY_MILLIS = 5_000;
    /** As Kafka's brokers send at once. */
    private static final int ASSIGNMENTS_AT_ONCE = 2_250;

    private static final int RECORD_BYTES = 256;

    private final Ports ports;
    private final BrokerImage self;
    private final int atOnce;
    private final Set<Uuid> offline = new LinkedHashSet<>();
    private boolean reporting;

    /**
     * @param self this broker as it is registered
     * @param maxBatchBytes largest batch of metadata records
     */
    DirectoryReports(Ports ports, BrokerImage self, int maxBatchBytes) {
        this.ports = ports;
        this.self = self;
        long fit = MetadataJournal.mostBytesOf(maxBatchBytes) / RECORD_BYTES;
        this.atOnce = (int) Math.max(1, Math.min(ASSIGNMENTS_AT_ONCE, fit));
    }

    /** Has the metadata say where these replicas lie; {@code done} when it is committed. */
    void assign(List<Placed> placed, Callback<Void> done) {
        Countdown rest = new Countdown((placed.size() + atOnce - 1) / atOnce, done);
        for (int from = 0; from < placed.size(); from += atOnce) {
            List<Placed> piece = placed.subList(from, Math.min(placed.size(), from + atOnce));
            AssignReplicasToDirsRequestData request = request(piece);
            ports.mailboxes()
                    .<Controller, AssignReplicasToDirsResponseData>call(
                            new OwnerId<>(Controller.class, 0),
                            (controller, reply) -> controller.assignReplicasToDirs(request, reply),
                            TIMEOUT_MILLIS,
                            (answer, failure) -> rest.one(failure != null ? failure : refusal(answer)));
        }
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
                new AssignReplicasToDirsRequestData().setBrokerId(self.id()).setBrokerEpoch(self.epoch());
        byDirectory.forEach((directory, topics) -> request.directories()
                .add(new DirectoryData().setId(directory).setTopics(new ArrayList<>(topics.values()))));
        return request;
    }

    /** This node is the controller, and has looked at its own image: nothing of it can be unknown. */
    private static Failure refusal(AssignReplicasToDirsResponseData answer) {
        Errors error = Errors.forCode(answer.errorCode());
        for (AssignReplicasToDirsResponseData.DirectoryData directory : answer.directories()) {
            for (AssignReplicasToDirsResponseData.TopicData topic : directory.topics()) {
                for (AssignReplicasToDirsResponseData.PartitionData each : topic.partitions()) {
                    error = error == Errors.NONE ? Errors.forCode(each.errorCode()) : error;
                }
            }
        }
        return error == Errors.NONE
                ? null
                : Failure.of(
                        FailureCode.INTERNAL,
                        "the controller does not take the log directories of this node's partitions: " + error.name());
    }

    /** A directory does not work any more: told until the controller knows it, so that it takes no new partitions. */
    void offline(Uuid directory) {
        offline.add(directory);
        report();
    }

    private void report() {
        if (reporting || offline.isEmpty()) {
            return;
        }
        reporting = true;
        List<Uuid> told = List.copyOf(offline);
        BrokerHeartbeatRequestData heartbeat = new BrokerHeartbeatRequestData()
                .setBrokerId(self.id())
                .setBrokerEpoch(self.epoch())
                .setOfflineLogDirs(told);
        ports.mailboxes()
                .<Controller, BrokerHeartbeatResponseData>call(
                        new OwnerId<>(Controller.class, 0),
                        (controller, reply) -> controller.offlineDirectories(heartbeat, reply),
                        TIMEOUT_MILLIS,
                        (answer, failure) -> reported(told, failure != null ? failure : refusal(answer)));
    }

    private static Failure refusal(BrokerHeartbeatResponseData answer) {
        Errors error = Errors.forCode(answer.errorCode());
        return error == Errors.NONE
                ? null
                : Failure.of(FailureCode.INTERNAL, "the controller refuses this node's report: " + error.name());
    }

    private void reported(List<Uuid> told, Failure failure) {
        reporting = false;
        if (failure == null) {
            told.forEach(offline::remove);
            report();
        } else if (failure.code() != FailureCode.SHUTTING_DOWN) {
            LOG.warn(
                    "the metadata does not say yet that a log directory is offline, new partitions may be put there; told again in {} ms: {}",
                    RETRY_MILLIS,
                    failure.message());
            ports.timers().after(RETRY_MILLIS, this::report);
        }
    }
}
