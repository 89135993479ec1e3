package group;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;

/** Requests about offsets, short to write in tests, and their answers, short to read. */
final class OffsetAsks {
    private OffsetAsks() {}

    /** A commit by nobody's member of one offset. */
    static OffsetCommitRequestData commit(String group, String topic, Uuid id, int partition, long offset) {
        OffsetCommitRequestTopic asked =
                new OffsetCommitRequestTopic().setName(topic).setTopicId(id);
        asked.partitions()
                .add(new OffsetCommitRequestPartition()
                        .setPartitionIndex(partition)
                        .setCommittedOffset(offset)
                        .setCommittedMetadata("at " + offset));
        OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId(group)
                .setGenerationIdOrMemberEpoch(-1)
                .setMemberId("");
        request.topics().add(asked);
        return request;
    }

    /** The error codes of all partitions, in order. */
    static List<Short> errors(OffsetCommitResponseData answer) {
        List<Short> codes = new ArrayList<>();
        answer.topics().forEach(topic -> topic.partitions().forEach(each -> codes.add(each.errorCode())));
        return codes;
    }

    static OffsetFetchRequestGroup all(String group) {
        return new OffsetFetchRequestGroup().setGroupId(group).setTopics(null);
    }

    static OffsetFetchRequestGroup some(String group, String topic, Uuid id, Integer... partitions) {
        return new OffsetFetchRequestGroup()
                .setGroupId(group)
                .setTopics(List.of(new OffsetFetchRequestTopics()
                        .setName(topic)
                        .setTopicId(id)
                        .setPartitionIndexes(List.of(partitions))));
    }

    /** "topic-partition" to offset. */
    static Map<String, Long> offsets(OffsetFetchResponseGroup answer) {
        Map<String, Long> offsets = new TreeMap<>();
        answer.topics()
                .forEach(topic -> topic.partitions()
                        .forEach(each ->
                                offsets.put(topic.name() + "-" + each.partitionIndex(), each.committedOffset())));
        return offsets;
    }

    static OffsetDeleteRequestData delete(String group, String topic, int... partitions) {
        OffsetDeleteRequestTopic asked = new OffsetDeleteRequestTopic().setName(topic);
        for (int each : partitions) {
            asked.partitions().add(new OffsetDeleteRequestPartition().setPartitionIndex(each));
        }
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(group);
        request.topics().add(asked);
        return request;
    }
}
