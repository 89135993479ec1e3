package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.DirectoryId;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.protocol.Errors;

/** AssignReplicasToDirs (KIP-858): a broker tells which of its log directories hold its replicas. What is known already changes nothing. A reserved id takes back what was told. */
final class DirectoryAssignments {

    Decision<AssignReplicasToDirsResponseData> decide(
            PartitionChanges changes, AssignReplicasToDirsRequestData request) {
        MetadataImage image = changes.image();
        AssignReplicasToDirsResponseData answer = new AssignReplicasToDirsResponseData();
        BrokerImage broker = image.broker(request.brokerId());
        if (broker == null || broker.epoch() != request.brokerEpoch()) {
            return Decision.unchanged(answer.setErrorCode(Errors.STALE_BROKER_EPOCH.code()));
        }
        List<MetadataRecord> records = new ArrayList<>();
        for (AssignReplicasToDirsRequestData.DirectoryData directory : request.directories()) {
            AssignReplicasToDirsResponseData.DirectoryData told =
                    new AssignReplicasToDirsResponseData.DirectoryData().setId(directory.id());
            for (AssignReplicasToDirsRequestData.TopicData topic : directory.topics()) {
                told.topics().add(assign(changes, topic, broker, directory.id(), records));
            }
            answer.directories().add(told);
        }
        return new Decision<>(List.copyOf(records), answer);
    }

    private static AssignReplicasToDirsResponseData.TopicData assign(
            PartitionChanges changes,
            AssignReplicasToDirsRequestData.TopicData asked,
            BrokerImage broker,
            Uuid directory,
            List<MetadataRecord> records) {
        TopicImage topic = changes.image().topic(asked.topicId());
        AssignReplicasToDirsResponseData.TopicData told =
                new AssignReplicasToDirsResponseData.TopicData().setTopicId(asked.topicId());
        for (AssignReplicasToDirsRequestData.PartitionData each : asked.partitions()) {
            Errors error = refusal(topic, each.partitionIndex(), broker, directory);
            told.partitions()
                    .add(new AssignReplicasToDirsResponseData.PartitionData()
                            .setPartitionIndex(each.partitionIndex())
                            .setErrorCode(error.code()));
            if (error != Errors.NONE) {
                continue;
            }
            PartitionImage partition = topic.partitions().get(each.partitionIndex());
            if (!partition.directory(broker.id()).equals(directory)) {
                // A replica whose directory is gone could not lead; where it lies now it can.
                PartitionImage moved = partition.withDirectory(broker.id(), directory);
                records.add(MetadataRecords.partition(
                        topic.id(), changes.of(topic, moved).next()));
            }
        }
        return told;
    }

    private static Errors refusal(TopicImage topic, int partition, BrokerImage broker, Uuid directory) {
        if (topic == null) {
            return Errors.UNKNOWN_TOPIC_ID;
        }
        if (partition < 0 || partition >= topic.partitions().size()) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (!topic.partitions().get(partition).replicas().contains(broker.id())) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        }
        boolean known = DirectoryId.isReserved(directory) || broker.logDirs().contains(directory);
        return known ? Errors.NONE : Errors.LOG_DIR_NOT_FOUND;
    }
}
