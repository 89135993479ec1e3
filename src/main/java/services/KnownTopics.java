package services;

import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** Parts what a request says of topics and partitions that exist, with their names and ids, from what is refused because they do not. */
final class KnownTopics {
    private final MetadataImage image;

    KnownTopics(MetadataImage image) {
        this.image = image;
    }

    record Commit(OffsetCommitRequestData known, OffsetCommitResponseData refused) {}

    /** @param byId topics are named by id */
    Commit of(OffsetCommitRequestData request, boolean byId) {
        OffsetCommitRequestData known = new OffsetCommitRequestData()
                .setGroupId(request.groupId())
                .setMemberId(request.memberId())
                .setGroupInstanceId(request.groupInstanceId())
                .setGenerationIdOrMemberEpoch(request.generationIdOrMemberEpoch())
                .setRetentionTimeMs(request.retentionTimeMs());
        OffsetCommitResponseData refused = new OffsetCommitResponseData();
        Errors unknown = byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
        for (OffsetCommitRequestTopic topic : request.topics()) {
            TopicImage found = byId ? image.topic(topic.topicId()) : image.topic(topic.name());
            OffsetCommitRequestTopic good = new OffsetCommitRequestTopic()
                    .setName(found == null ? topic.name() : found.name())
                    .setTopicId(found == null ? topic.topicId() : found.id());
            OffsetCommitResponseTopic bad =
                    new OffsetCommitResponseTopic().setName(good.name()).setTopicId(good.topicId());
            for (OffsetCommitRequestPartition each : topic.partitions()) {
                if (has(found, each.partitionIndex())) {
                    good.partitions().add(each);
                } else {
                    Errors error = found == null ? unknown : Errors.UNKNOWN_TOPIC_OR_PARTITION;
                    bad.partitions()
                            .add(new OffsetCommitResponsePartition()
                                    .setPartitionIndex(each.partitionIndex())
                                    .setErrorCode(error.code()));
                }
            }
            if (!good.partitions().isEmpty()) {
                known.topics().add(good);
            }
            if (!bad.partitions().isEmpty() || found == null) {
                refused.topics().add(bad);
            }
        }
        return new Commit(known, refused);
    }

    /** The answers of {@code more} added to those of {@code answer}, each topic once. */
    static OffsetCommitResponseData merge(OffsetCommitResponseData answer, OffsetCommitResponseData more) {
        if (answer.topics().isEmpty()) {
            return more;
        }
        for (OffsetCommitResponseTopic topic : more.topics()) {
            OffsetCommitResponseTopic same = answer.topics().stream()
                    .filter(each -> each.name().equals(topic.name()))
                    .findFirst()
                    .orElse(null);
            if (same == null) {
                answer.topics().add(topic);
            } else {
                same.partitions().addAll(topic.partitions());
            }
        }
        return answer;
    }

    record Deletion(OffsetDeleteRequestData known, OffsetDeleteResponseData refused) {}

    Deletion of(OffsetDeleteRequestData request) {
        OffsetDeleteRequestData known = new OffsetDeleteRequestData().setGroupId(request.groupId());
        OffsetDeleteResponseData refused = new OffsetDeleteResponseData();
        for (OffsetDeleteRequestTopic topic : request.topics()) {
            TopicImage found = image.topic(topic.name());
            OffsetDeleteRequestTopic good = new OffsetDeleteRequestTopic().setName(topic.name());
            OffsetDeleteResponseTopic bad = new OffsetDeleteResponseTopic().setName(topic.name());
            for (OffsetDeleteRequestPartition each : topic.partitions()) {
                if (has(found, each.partitionIndex())) {
                    good.partitions().add(each);
                } else {
                    bad.partitions()
                            .add(new OffsetDeleteResponsePartition()
                                    .setPartitionIndex(each.partitionIndex())
                                    .setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code()));
                }
            }
            if (!good.partitions().isEmpty()) {
                known.topics().add(good);
            }
            if (!bad.partitions().isEmpty() || found == null) {
                refused.topics().add(bad);
            }
        }
        return new Deletion(known, refused);
    }

    /** As {@link #merge(OffsetCommitResponseData, OffsetCommitResponseData)}. */
    static OffsetDeleteResponseData merge(OffsetDeleteResponseData answer, OffsetDeleteResponseData more) {
        if (answer.topics().isEmpty()) {
            return more;
        }
        for (OffsetDeleteResponseTopic topic : more.topics()) {
            OffsetDeleteResponseTopic same = answer.topics().find(topic.name());
            if (same == null) {
                answer.topics().add(topic.duplicate());
            } else {
                topic.partitions().forEach(each -> same.partitions().add(each.duplicate()));
            }
        }
        return answer;
    }

    /** The name of a topic, "" when its id is unknown. */
    String nameOf(Uuid id) {
        TopicImage found = image.topic(id);
        return found == null ? "" : found.name();
    }

    /** ZERO_UUID for an unknown name. */
    Uuid idOf(String name) {
        TopicImage found = image.topic(name);
        return found == null ? Uuid.ZERO_UUID : found.id();
    }

    private static boolean has(TopicImage topic, int partition) {
        return topic != null && partition >= 0 && partition < topic.partitions().size();
    }
}
