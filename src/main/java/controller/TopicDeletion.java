package controller;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** DeleteTopics, by name or by id. A retry finds nothing left to delete (C9). */
final class TopicDeletion {

    private final boolean enabled;

    /** @param enabled delete.topic.enable */
    TopicDeletion(boolean enabled) {
        this.enabled = enabled;
    }

    Decision<DeleteTopicsResponseData> decide(MetadataImage image, DeleteTopicsRequestData request) {
        Draft draft = new Draft(image);
        List<DeleteTopicState> asked = new ArrayList<>(request.topics());
        for (String name : request.topicNames()) {
            asked.add(new DeleteTopicState().setName(name));
        }
        Map<Object, Integer> counts = new LinkedHashMap<>();
        for (DeleteTopicState topic : asked) {
            counts.merge(key(topic), 1, Integer::sum);
        }
        DeleteTopicsResponseData answer = new DeleteTopicsResponseData();
        Set<Object> answered = new LinkedHashSet<>();
        for (DeleteTopicState topic : asked) {
            if (!answered.add(key(topic))) {
                continue;
            }
            DeletableTopicResult result =
                    new DeletableTopicResult().setName(topic.name()).setTopicId(topic.topicId());
            try {
                TopicImage found = find(image, topic, counts.get(key(topic)));
                if (draft.image().topic(found.id()) == null) {
                    throw new Refusal(
                            Errors.INVALID_REQUEST, "The provided topic name maps to an ID that was already supplied.");
                }
                draft.add(List.of(MetadataRecords.removeTopic(found.id())));
                result.setName(found.name()).setTopicId(found.id());
            } catch (Refusal refusal) {
                result.setErrorCode(refusal.error().code()).setErrorMessage(refusal.getMessage());
            }
            answer.responses().add(result);
        }
        return draft.decide(answer);
    }

    private static Object key(DeleteTopicState topic) {
        return topic.name() != null ? topic.name() : topic.topicId();
    }

    private TopicImage find(MetadataImage image, DeleteTopicState topic, int count) throws Refusal {
        boolean byId = !topic.topicId().equals(Uuid.ZERO_UUID);
        if (!enabled) {
            throw new Refusal(Errors.TOPIC_DELETION_DISABLED);
        }
        if (topic.name() != null && byId) {
            throw new Refusal(Errors.INVALID_REQUEST, "You may not specify both topic name and topic id.");
        }
        if (topic.name() == null && !byId) {
            throw new Refusal(Errors.INVALID_REQUEST, "Neither topic name nor id were specified.");
        }
        if (count > 1) {
            throw new Refusal(Errors.INVALID_REQUEST, byId ? "Duplicate topic id." : "Duplicate topic name.");
        }
        TopicImage found = byId ? image.topic(topic.topicId()) : image.topic(topic.name());
        if (found == null) {
            throw new Refusal(byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        return found;
    }
}
