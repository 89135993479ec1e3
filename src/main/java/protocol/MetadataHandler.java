package protocol;

import common.Callback;
import common.TopicNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.TopicService;

/**
 * Which brokers there are and who leads the partitions of topics asked for by name or id; makes unknown topics where the client and the configuration
 * allow it, and then answers when they are there (Kafka answers "unknown" first and lets the client ask again).
 */
final class MetadataHandler implements ApiHandler {
    private static final short FIRST_WITH_IDS = 12;

    private final TopicService topics;

    MetadataHandler(TopicService topics) {
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.METADATA;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        MetadataRequestData request = (MetadataRequestData) message;
        short version = context.apiVersion();
        if (asksForAll(request, version)) {
            MetadataAnswer answer = answer(context, request);
            context.image().topics().forEach(topic -> answer.add(topic));
            respond.succeed(answer.build());
            return;
        }
        String problem = version < FIRST_WITH_IDS ? misuse(request) : null;
        if (problem != null) {
            respond.succeed(ErrorResponses.of(key(), version, request, Errors.INVALID_REQUEST, problem));
            return;
        }
        List<Uuid> ids = ids(request);
        if (!ids.isEmpty()) {
            respond.succeed(byId(context, request, ids));
            return;
        }
        byName(context, request, respond);
    }

    private static boolean asksForAll(MetadataRequestData request, short version) {
        return request.topics() == null || (version == 0 && request.topics().isEmpty());
    }

    /** Versions 10 and 11 have the fields of ids and null names but must not use them (KAFKA-10774). */
    private static String misuse(MetadataRequestData request) {
        for (MetadataRequestTopic topic : request.topics()) {
            if (topic.name() == null || !topic.topicId().equals(Uuid.ZERO_UUID)) {
                return "topics can be asked for by id from version " + FIRST_WITH_IDS + " on, not before";
            }
        }
        return null;
    }

    private static List<Uuid> ids(MetadataRequestData request) {
        Map<Uuid, Uuid> ids = new LinkedHashMap<>();
        for (MetadataRequestTopic topic : request.topics()) {
            if (!topic.topicId().equals(Uuid.ZERO_UUID)) {
                ids.put(topic.topicId(), topic.topicId());
            }
        }
        return new ArrayList<>(ids.keySet());
    }

    /** As in Kafka, topics that are named in a request with ids are left out of the answer. */
    private ApiMessage byId(RequestContext context, MetadataRequestData request, List<Uuid> ids) {
        MetadataAnswer answer = answer(context, request);
        MetadataImage image = context.image();
        for (Uuid id : ids) {
            TopicImage topic = image.topic(id);
            if (topic == null) {
                answer.add(new MetadataResponseTopic()
                        .setErrorCode(Errors.UNKNOWN_TOPIC_ID.code())
                        .setName(null)
                        .setTopicId(id));
            } else {
                answer.add(topic);
            }
        }
        return answer.build();
    }

    private void byName(RequestContext context, MetadataRequestData request, Callback<ApiMessage> respond) {
        Map<String, String> names = new LinkedHashMap<>();
        request.topics().forEach(topic -> names.put(topic.name() == null ? "" : topic.name(), ""));
        List<String> wanted = new ArrayList<>(names.keySet());
        List<String> missing = new ArrayList<>();
        if (request.allowAutoTopicCreation() && topics.createsOnUse()) {
            MetadataImage image = context.image();
            for (String name : wanted) {
                if (image.topic(name) == null && mayBeMade(name)) {
                    missing.add(name);
                }
            }
        }
        if (missing.isEmpty()) {
            respond.succeed(named(context, request, wanted));
        } else {
            topics.createOnUse(missing, () -> respond.succeed(named(context, request, wanted)));
        }
    }

    private static boolean mayBeMade(String name) {
        return TopicNames.problem(name) == null && !TopicNames.isReserved(name);
    }

    private ApiMessage named(RequestContext context, MetadataRequestData request, List<String> names) {
        MetadataAnswer answer = answer(context, request);
        MetadataImage image = context.image();
        for (String name : names) {
            TopicImage topic = image.topic(name);
            if (topic == null) {
                Errors error = TopicNames.problem(name) == null
                        ? Errors.UNKNOWN_TOPIC_OR_PARTITION
                        : Errors.INVALID_TOPIC_EXCEPTION;
                answer.add(new MetadataResponseTopic()
                        .setErrorCode(error.code())
                        .setName(name)
                        .setIsInternal(TopicNames.isInternal(name)));
            } else {
                answer.add(topic);
            }
        }
        return answer.build();
    }

    private static MetadataAnswer answer(RequestContext context, MetadataRequestData request) {
        return new MetadataAnswer(
                new ClusterView(context.image(), context.connection()), context.apiVersion(), request);
    }
}
