package group;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.OffsetCommitRecord.Value;

/**
 * Answers OffsetFetch (rules G2, G8, T10). As the runtime answers a read when all it may have seen is committed, only open transactions may make it unstable.
 * Confined to the shard.
 */
final class OffsetReads {
    private static final long NO_OFFSET = -1;
    private static final int NO_EPOCH = -1;

    private final Groups groups;
    private final OffsetTable table;
    private final PendingOffsets pending;

    OffsetReads(Groups groups, OffsetTable table, PendingOffsets pending) {
        this.pending = pending;
        this.groups = groups;
        this.table = table;
    }

    /**
     * A group that does not exist has no offsets; that is no error.
     *
     * @param asked topics null: all; else with their names, and with ids when the request names topics by id
     */
    OffsetFetchResponseGroup read(OffsetFetchRequestGroup asked, boolean stable) {
        OffsetFetchResponseGroup answer = new OffsetFetchResponseGroup().setGroupId(asked.groupId());
        Group group = groups.get(asked.groupId());
        Errors refusal = group == null ? Errors.NONE : group.checkFetch(asked.memberId(), asked.memberEpoch());
        if (refusal != Errors.NONE) {
            return answer.setErrorCode(refusal.code());
        }
        return answer.setTopics(asked.topics() == null ? all(asked.groupId(), stable) : some(asked, stable));
    }

    private List<OffsetFetchResponseTopics> some(OffsetFetchRequestGroup asked, boolean stable) {
        List<OffsetFetchResponseTopics> topics = new ArrayList<>(asked.topics().size());
        for (OffsetFetchRequestTopics topic : asked.topics()) {
            OffsetFetchResponseTopics answers =
                    new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
            topics.add(answers);
            for (int partition : topic.partitionIndexes()) {
                Value value = table.get(asked.groupId(), topic.name(), partition);
                answers.partitions()
                        .add(
                                stable && pending.has(asked.groupId(), topic.name(), partition)
                                        ? unstable(partition)
                                        : answer(partition, value != null && isOf(topic, value) ? value : null));
            }
        }
        return topics;
    }

    /** An offset of a topic that was deleted since says nothing about another topic of its name. */
    private static boolean isOf(OffsetFetchRequestTopics topic, Value value) {
        return topic.topicId().equals(Uuid.ZERO_UUID)
                || value.topicId().equals(Uuid.ZERO_UUID)
                || topic.topicId().equals(value.topicId());
    }

    private List<OffsetFetchResponseTopics> all(String group, boolean stable) {
        List<OffsetFetchResponseTopics> topics = new ArrayList<>();
        for (String topic : table.topics(group)) {
            OffsetFetchResponseTopics answers = new OffsetFetchResponseTopics().setName(topic);
            topics.add(answers);
            for (int partition : table.partitionsOf(group, topic)) {
                answers.partitions()
                        .add(
                                stable && pending.has(group, topic, partition)
                                        ? unstable(partition)
                                        : answer(partition, table.get(group, topic, partition)));
            }
        }
        return topics;
    }

    private static OffsetFetchResponsePartitions unstable(int partition) {
        return answer(partition, null).setErrorCode(Errors.UNSTABLE_OFFSET_COMMIT.code());
    }

    private static OffsetFetchResponsePartitions answer(int partition, Value value) {
        OffsetFetchResponsePartitions answer = new OffsetFetchResponsePartitions().setPartitionIndex(partition);
        return value == null
                ? answer.setCommittedOffset(NO_OFFSET)
                        .setCommittedLeaderEpoch(NO_EPOCH)
                        .setMetadata("")
                : answer.setCommittedOffset(value.offset())
                        .setCommittedLeaderEpoch(value.leaderEpoch())
                        .setMetadata(value.metadata());
    }
}
