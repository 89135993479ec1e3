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
        keys.int32("offsets.topic.num.partitions", 50, atLeast(1), "Partitions of __consumer_offsets when it is made.");
        keys.int16(
                "offsets.topic.replication.factor",
                (short) 3,
                atLeast(1),
                "Replicas of __consumer_offsets, at most as many as brokers.");
        keys.int32("offsets.topic.segment.bytes", 104857600, atLeast(1), "Segment size of __consumer_offsets.");
        keys.int32(
                "transaction.state.log.num.partitions",
                50,
                atLeast(1),
                "Partitions of __transaction_state when it is made.");
        keys.int16(
                "transaction.state.log.replication.factor",
                (short) 3,
                atLeast(1),
                "Replicas of __transaction_state, at most as many as brokers.");
        keys.int32("transaction.state.log.min.isr", 2, atLeast(1), "min.insync.replicas of __transaction_state.");
        keys.int32(
                "transaction.state.log.segment.bytes", 104857600, atLeast(1), "Segment size of __transaction_state.");
        keys.int32(
                "share.coordinator.state.topic.num.partitions",
                50,
                atLeast(1),
                "Partitions of __share_group_state when it is made.");
        keys.int16(
                "share.coordinator.state.topic.replication.factor",
                (short) 3,
                atLeast(1),
                "Replicas of __share_group_state, at most as many as brokers.");
        keys.int16(
                "share.coordinator.state.topic.min.isr",
                (short) 2,
                atLeast(1),
                "min.insync.replicas of __share_group_state.");
        keys.int32(
                "share.coordinator.state.topic.segment.bytes",
                104857600,
                atLeast(1),
                "Segment size of __share_group_state.");
        return keys.list();
    }
}
