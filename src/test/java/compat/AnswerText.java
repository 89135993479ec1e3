package compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * An answer as text that two brokers can be compared by: ids that each chooses are named after the topic, addresses are left out, texts for people are
 * reduced to whether there is one, and lists without a promised order are sorted.
 */
final class AnswerText {
    private static final Set<String> CHOSEN_BY_BROKER = Set.of(
            "port",
            "clusterId",
            "totalBytes",
            "usableBytes",
            "logDir",
            "replicaDirectoryId",
            "lastFetchTimestamp",
            "lastCaughtUpTimestamp",
            "transactionStartTimeMs",
            "lastTimestamp",
            "logEndOffset",
            "highWatermark",
            "leaderEpoch",
            "isCordoned",
            "epoch");
    /** Configs left out: only ours. */
    private static final Set<String> CONFIGS_LEFT_OUT = Set.of("record.validation");

    /** Of these, where they tell of none it is kept. */
    private static final Set<String> TIMES = Set.of("transactionStartTimeMs", "lastTimestamp");

    private static final Set<String> PRODUCERS = Set.of("producerId", "ongoingTxnProducerId");

    private static final Set<String> TEXT_FOR_PEOPLE = Set.of("errorMessage", "documentation");

    private final Map<String, String> topicIds = new LinkedHashMap<>();
    private final Map<Long, String> producers = new LinkedHashMap<>();

    String of(ApiMessage answer, short version, boolean ordered) {
        JsonNode json = toJson(answer, version);
        learnIds(json);
        return normal(null, json, ordered).toString();
    }

    private static JsonNode toJson(ApiMessage answer, short version) {
        try {
            return (JsonNode) Class.forName(answer.getClass().getName() + "JsonConverter")
                    .getMethod("write", answer.getClass(), short.class)
                    .invoke(null, answer, version);
        } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException e) {
            throw new IllegalStateException(e);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private void learnIds(JsonNode node) {
        // An error may repeat whatever id and name were asked for.
        boolean tells = node.path("errorCode").asInt() == 0
                && !node.path("name").asText("").isEmpty();
        if (tells && node.path("topicId").isTextual()) {
            topicIds.put(node.get("topicId").asText(), node.get("name").asText());
        }
        node.forEach(this::learnIds);
    }

    /** Producer ids are named after the transactional id that they were given to. */
    void learnProducer(ApiMessage request, ApiMessage answer) {
        if (request instanceof InitProducerIdRequestData init && answer instanceof InitProducerIdResponseData given) {
            learnProducer(init.transactionalId(), given.errorCode(), given.producerId());
        } else if (request instanceof EndTxnRequestData end && answer instanceof EndTxnResponseData next) {
            learnProducer(end.transactionalId(), next.errorCode(), next.producerId());
        }
    }

    private void learnProducer(String transactionalId, short error, long producerId) {
        if (transactionalId != null && error == 0 && producerId >= 0 && !producers.containsKey(producerId)) {
            long before = producers.values().stream()
                    .filter(name -> name.startsWith("producer of " + transactionalId + ","))
                    .count();
            producers.put(producerId, "producer of " + transactionalId + ", " + before);
        }
    }

    private JsonNode normal(String field, JsonNode node, boolean ordered) {
        if (node.isObject()) {
            Map<String, JsonNode> fields = new TreeMap<>();
            node.properties()
                    .forEach(entry -> fields.put(entry.getKey(), normal(entry.getKey(), entry.getValue(), ordered)));
            ObjectNode result = JsonNodeFactory.instance.objectNode();
            fields.forEach(result::set);
            return result;
        }
        if (node.isArray()) {
            List<JsonNode> elements = new ArrayList<>();
            for (JsonNode element : node) {
                if (!CONFIGS_LEFT_OUT.contains(element.path("name").asText())) {
                    elements.add(normal(field, element, ordered));
                }
            }
            boolean sorts = !elements.isEmpty() && (!elements.get(0).isInt() || "partitions".equals(field));
            if (!ordered && sorts) {
                elements.sort(Comparator.comparing(JsonNode::toString));
            }
            ArrayNode result = JsonNodeFactory.instance.arrayNode();
            elements.forEach(result::add);
            return result;
        }
        if (TIMES.contains(field) && node.asLong() < 0) {
            return node;
        }
        if (PRODUCERS.contains(field) && producers.containsKey(node.asLong())) {
            return TextNode.valueOf(producers.get(node.asLong()));
        }
        if (CHOSEN_BY_BROKER.contains(field) && !node.isNull()) {
            return TextNode.valueOf("*");
        }
        if (TEXT_FOR_PEOPLE.contains(field) && !node.isNull()) {
            return TextNode.valueOf("text");
        }
        return "topicId".equals(field) ? TextNode.valueOf(idName(node.asText())) : node;
    }

    private String idName(String id) {
        if (Uuid.ZERO_UUID.toString().equals(id)) {
            return "none";
        }
        return topicIds.containsKey(id) ? "id of " + topicIds.get(id) : "unheard id";
    }

    /** The id that the broker gave to a topic in an answer seen so far; a fixed id nobody has when there is none. */
    Uuid idOf(String topic) {
        return topicIds.entrySet().stream()
                .filter(entry -> entry.getValue().equals(topic))
                .map(entry -> Uuid.fromString(entry.getKey()))
                .reduce((first, last) -> last)
                .orElse(new Uuid(11, 22));
    }
}
