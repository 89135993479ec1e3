package config;

import static config.KeyTable.atLeast;

import java.util.List;

/** Keys of {@link TopicDefaults}: what topics get that do not say otherwise. */
final class TopicDefaultKeys {

    private TopicDefaultKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(TopicDefaults.class);
        keys.int32("num.partitions", 1, atLeast(1), "Partitions of a topic that does not say how many.");
        keys.int32("default.replication.factor", 1, null, "Replicas of a topic that does not say how many.");
        keys.bool("auto.create.topics.enable", true, "A client that asks for an unknown topic creates it.");
        keys.bool("delete.topic.enable", true, "Topics may be deleted.");
        return keys.list();
    }
}
