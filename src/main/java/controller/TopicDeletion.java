package controller;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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

    /** One entry of the request with what became of it. */
    private record Entry(DeleteTopicState asked, TopicImage found, DeletableTopicResult result) {}

    Decision<DeleteTopicsResponseData> decide(MetadataImage image, DeleteTopicsRequestData request) {
        List<Entry> entries = entries(image, request);
        Map<Uuid, Integer> mentions = new TreeMap<>();
        entries.stream()
                .filter(entry -> entry.found() != null)
                .forEach(entry -> mentions.merge(entry.found().id(), 1, Integer::sum));
        Draft draft = new Draft(image);
        DeleteTopicsResponseData answer = new DeleteTopicsResponseData();
        for (Entry entry : entries) {
            if (entry.found() == null) {
                answer.responses().add(entry.result());
            } else if (mentions.get(entry.found().id()) == 1) {
                draft.add(List.of(MetadataRecords.removeTopic(entry.found().id())));
                answer.responses().add(entry.result());
            } else if (entry.asked().name() != null) {
                // Named by name and by id: nothing is deleted, and as in Kafka only the name is answered.
                answer.responses()
                        .add(entry.result()
                                .setErrorCode(Errors.INVALID_REQUEST.code())
                                .setErrorMessage("the topic of this name is also named by its id"));
            }
        }
        return draft.decide(answer);
    }

    /** Each topic asked for, once. */
    private List<Entry> entries(MetadataImage image, DeleteTopicsRequestData request) {
        List<DeleteTopicState> asked = new ArrayList<>(request.topics());
        for (String name : request.topicNames()) {
            asked.add(new DeleteTopicState().setName(name));
        }
        Map<Object, Integer> counts = new LinkedHashMap<>();
        for (DeleteTopicState topic : asked) {
            counts.merge(key(topic), 1, Integer::sum);
        }
        Set<Object> seen = new LinkedHashSet<>();
        List<Entry> entries = new ArrayList<>();
        for (DeleteTopicState topic : asked) {
            if (!seen.add(key(topic))) {
                continue;
            }
            DeletableTopicResult result = new DeletableTopicResult()
                    .setName(topic.name())
                    .setTopicId(topic.topicId())
                    .setErrorMessage(null);
            TopicImage found = null;
            try {
                found = find(image, topic, counts.get(key(topic)));
                result.setName(found.name()).setTopicId(found.id());
            } catch (Refusal refusal) {
                result.setErrorCode(refusal.error().code()).setErrorMessage(refusal.getMessage());
            }
            entries.add(new Entry(topic, found, result));
        }
        return entries;
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
