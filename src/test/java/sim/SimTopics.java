package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** A client's knowledge of topic ids, from Metadata. */
final class SimTopics {
    private final Map<String, Uuid> ids = new LinkedHashMap<>();
    private final Map<Uuid, String> names = new LinkedHashMap<>();
    private boolean asking;

    Uuid id(String name) {
        return ids.get(name);
    }

    /** From a response that names topics by id (newer versions) or by name. */
    String name(String name, Uuid id) {
        return name == null || name.isEmpty() ? names.get(id) : name;
    }

    boolean knows(String name) {
        return ids.containsKey(name);
    }

    void forget(String name) {
        names.remove(ids.remove(name));
    }

    /** Asks for the topics (without creating them) and runs {@code then} if all are known after the answer. */
    void ask(SimLink link, List<String> topics, Runnable then) {
        if (asking || !link.up()) {
            return;
        }
        asking = true;
        List<MetadataRequestData.MetadataRequestTopic> wanted = new ArrayList<>();
        for (String topic : topics) {
            wanted.add(new MetadataRequestData.MetadataRequestTopic().setName(topic));
        }
        MetadataRequestData request =
                new MetadataRequestData().setTopics(wanted).setAllowAutoTopicCreation(false);
        short version = ApiKeys.METADATA.latestVersion(false);
        link.send(ApiKeys.METADATA, version, request, 5_000, true, answer -> {
            asking = false;
            boolean all = answer != null;
            if (answer != null) {
                for (MetadataResponseData.MetadataResponseTopic topic : ((MetadataResponseData) answer).topics()) {
                    if (topic.errorCode() == Errors.NONE.code()) {
                        ids.put(topic.name(), topic.topicId());
                        names.put(topic.topicId(), topic.name());
                    }
                }
                for (String topic : topics) {
                    all &= ids.containsKey(topic);
                }
            }
            if (all) {
                then.run();
            }
        });
    }
}
