package services;

import common.Callback;
import common.Failure;
import common.FailureCode;
import group.GroupShard;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;

/**
 * Committed offsets of groups: commits, reads and deletes them at their coordinators. Answers never fail as a whole; a coordinator that cannot be asked is an
 * error in its part of the answer. Confined to its caller's owner.
 */
public final class GroupOffsetService {
    private static final long NO_OFFSET = -1;
    private static final int NO_EPOCH = -1;

    private final GroupCoordinators coordinators;
    private final long timeoutMillis;

    /** @param timeoutMillis offsets.commit.timeout.ms */
    public GroupOffsetService(GroupCoordinators coordinators, long timeoutMillis) {
        this.coordinators = coordinators;
        this.timeoutMillis = timeoutMillis;
    }

    /** @param byId the request names topics by id */
    public void commit(
            MetadataImage image,
            OffsetCommitRequestData request,
            short version,
            boolean byId,
            Callback<OffsetCommitResponseData> done) {
        KnownTopics.Commit parts = new KnownTopics(image).of(request, byId);
        if (parts.known().topics().isEmpty()) {
            done.succeed(parts.refused());
            return;
        }
        Callback<OffsetCommitResponseData> gather = (answer, failure) -> done.succeed(KnownTopics.merge(
                parts.refused(),
                failure == null ? answer : failed(parts.known(), ErrorMapping.ofCoordinator(failure))));
        coordinators.write(
                image,
                request.groupId(),
                timeoutMillis,
                shard -> shard.offsets().commit(parts.known(), version),
                gather);
    }

    static OffsetCommitResponseData failed(OffsetCommitRequestData request, Errors error) {
        OffsetCommitResponseData response = new OffsetCommitResponseData();
        for (OffsetCommitRequestTopic topic : request.topics()) {
            OffsetCommitResponseTopic answers =
                    new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
            response.topics().add(answers);
            topic.partitions()
                    .forEach(each -> answers.partitions()
                            .add(new OffsetCommitResponsePartition()
                                    .setPartitionIndex(each.partitionIndex())
                                    .setErrorCode(error.code())));
        }
        return response;
    }

    /**
     * @param asked groups, each with topics by name, or by id, or with null for all of them
     * @param byId the request names topics by id
     * @param stable UNSTABLE_OFFSET_COMMIT for offsets that an open transaction may change
     * @param done in the order of the groups
     */
    public void fetch(
            MetadataImage image,
            List<OffsetFetchRequestGroup> asked,
            boolean byId,
            boolean stable,
            Callback<List<OffsetFetchResponseGroup>> done) {
        KnownTopics topics = new KnownTopics(image);
        List<Question> questions =
                asked.stream().map(group -> question(group, byId, topics)).toList();
        GroupSpread<Question, OffsetFetchResponseGroup> spread =
                new GroupSpread<>(questions, (question, failure) -> failed(question, ofRead(failure)), done);
        spread.send(image, Question::groupId, (part, gather) -> {
            Callback<List<OffsetFetchResponseGroup>> complete = (found, failure) -> {
                if (failure != null) {
                    gather.fail(failure);
                    return;
                }
                List<OffsetFetchResponseGroup> completed = new ArrayList<>(found.size());
                for (int i = 0; i < found.size(); i++) {
                    completed.add(part.get(i).complete(found.get(i), byId, topics));
                }
                gather.succeed(completed);
            };
            coordinators.read(
                    image, part.get(0).groupId(), timeoutMillis, shard -> read(shard, part, stable), complete);
        });
    }

    private static List<OffsetFetchResponseGroup> read(GroupShard shard, List<Question> questions, boolean stable) {
        List<OffsetFetchResponseGroup> answers = new ArrayList<>(questions.size());
        for (Question each : questions) {
            answers.add(shard.offsets().read(each.known, stable));
        }
        return answers;
    }

    /** Consumers of old do not expect to be told to wait, but look for the coordinator anew. */
    private static Errors ofRead(Failure failure) {
        Errors error = ErrorMapping.ofCoordinator(failure);
        return error == Errors.COORDINATOR_NOT_AVAILABLE && failure.code() != FailureCode.COORDINATOR_NOT_AVAILABLE
                ? Errors.NOT_COORDINATOR
                : error;
    }

    /**
     * What is asked of one group.
     *
     * @param known without topics whose id is unknown
     */
    private record Question(OffsetFetchRequestGroup known, List<OffsetFetchResponseTopics> refused) {
        String groupId() {
            return known.groupId();
        }

        OffsetFetchResponseGroup complete(OffsetFetchResponseGroup answer, boolean byId, KnownTopics topics) {
            if (answer.errorCode() != Errors.NONE.code()) {
                return answer;
            }
            List<OffsetFetchResponseTopics> all = new ArrayList<>();
            for (OffsetFetchResponseTopics topic : answer.topics()) {
                if (byId && topic.topicId().equals(Uuid.ZERO_UUID)) {
                    topic.setTopicId(topics.idOf(topic.name()));
                }
                if (!byId || !topic.topicId().equals(Uuid.ZERO_UUID)) {
                    all.add(topic);
                }
            }
            all.addAll(refused);
            return answer.setTopics(all);
        }
    }

    private static Question question(OffsetFetchRequestGroup asked, boolean byId, KnownTopics topics) {
        OffsetFetchRequestGroup known = new OffsetFetchRequestGroup()
                .setGroupId(asked.groupId())
                .setMemberId(asked.memberId())
                .setMemberEpoch(asked.memberEpoch())
                .setTopics(asked.topics());
        List<OffsetFetchResponseTopics> refused = new ArrayList<>();
        if (byId && asked.topics() != null) {
            List<OffsetFetchRequestTopics> named = new ArrayList<>();
            for (OffsetFetchRequestTopics topic : asked.topics()) {
                topic.setName(topics.nameOf(topic.topicId()));
                if (topic.name().isEmpty()) {
                    refused.add(failed(topic, Errors.UNKNOWN_TOPIC_ID));
                } else {
                    named.add(topic);
                }
            }
            known.setTopics(named);
        }
        return new Question(known, refused);
    }

    private static OffsetFetchResponseGroup failed(Question question, Errors error) {
        return new OffsetFetchResponseGroup().setGroupId(question.groupId()).setErrorCode(error.code());
    }

    private static OffsetFetchResponseTopics failed(OffsetFetchRequestTopics topic, Errors error) {
        OffsetFetchResponseTopics answers =
                new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
        for (int partition : topic.partitionIndexes()) {
            answers.partitions()
                    .add(new OffsetFetchResponsePartitions()
                            .setPartitionIndex(partition)
                            .setErrorCode(error.code())
                            .setCommittedOffset(NO_OFFSET)
                            .setCommittedLeaderEpoch(NO_EPOCH)
                            .setMetadata(""));
        }
        return answers;
    }

    public void delete(MetadataImage image, OffsetDeleteRequestData request, Callback<OffsetDeleteResponseData> done) {
        if (request.groupId().isEmpty()) {
            done.succeed(new OffsetDeleteResponseData().setErrorCode(Errors.INVALID_GROUP_ID.code()));
            return;
        }
        KnownTopics.Deletion parts = new KnownTopics(image).of(request);
        Callback<OffsetDeleteResponseData> gather = (answer, failure) -> {
            Errors error = failure == null ? Errors.forCode(answer.errorCode()) : ErrorMapping.ofCoordinator(failure);
            done.succeed(
                    error == Errors.NONE
                            ? KnownTopics.merge(parts.refused(), answer)
                            : new OffsetDeleteResponseData().setErrorCode(error.code()));
        };
        coordinators.write(
                image,
                request.groupId(),
                timeoutMillis,
                shard -> shard.offsets().delete(parts.known()),
                gather);
    }
}
