package services;

import config.GroupConfig;
import config.TransactionConfig;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfigCollection;

/** Makes the topics that the broker keeps for itself, when they are first needed. One instance per server instance, confined to its owner. */
public final class InternalTopics {
    private final TopicService topics;
    private final GroupConfig.OffsetsTopic offsets;
    private final TransactionConfig.StateTopic transactions;

    public InternalTopics(
            TopicService topics, GroupConfig.OffsetsTopic offsets, TransactionConfig.StateTopic transactions) {
        this.topics = topics;
        this.offsets = offsets;
        this.transactions = transactions;
    }

    /** {@code done} when __consumer_offsets is there and its coordinators take requests, could not be made, or time is up: look at the image then. */
    public void makeOffsets(MetadataImage image, Runnable done) {
        if (image.topic(Topic.GROUP_METADATA_TOPIC_NAME) != null) {
            done.run();
            return;
        }
        CreatableTopicConfigCollection configs = new CreatableTopicConfigCollection();
        configs.add(config("cleanup.policy", "compact"));
        configs.add(config("compression.type", "producer"));
        configs.add(config("segment.bytes", Integer.toString(offsets.segmentBytes())));
        CreatableTopic topic = new CreatableTopic()
                .setName(Topic.GROUP_METADATA_TOPIC_NAME)
                .setNumPartitions(offsets.partitions())
                .setReplicationFactor(replicas(offsets.replicationFactor(), image))
                .setConfigs(configs);
        topics.createShared(List.of(topic), done);
    }

    /** As {@link #makeOffsets}, for __transaction_state. */
    public void makeTransactions(MetadataImage image, Runnable done) {
        if (image.topic(Topic.TRANSACTION_STATE_TOPIC_NAME) != null) {
            done.run();
            return;
        }
        short replicas = replicas(transactions.replicationFactor(), image);
        CreatableTopicConfigCollection configs = new CreatableTopicConfigCollection();
        configs.add(config("cleanup.policy", "compact"));
        configs.add(config("compression.type", "uncompressed"));
        configs.add(config("unclean.leader.election.enable", "false"));
        configs.add(
                config("min.insync.replicas", Integer.toString(Math.min(transactions.minInsyncReplicas(), replicas))));
        configs.add(config("segment.bytes", Integer.toString(transactions.segmentBytes())));
        CreatableTopic topic = new CreatableTopic()
                .setName(Topic.TRANSACTION_STATE_TOPIC_NAME)
                .setNumPartitions(transactions.partitions())
                .setReplicationFactor(replicas)
                .setConfigs(configs);
        topics.createShared(List.of(topic), done);
    }

    /** Not more than there are brokers: a node on its own with default settings (3 replicas) must be able to keep groups and transactions. */
    private static short replicas(short wanted, MetadataImage image) {
        int live = 0;
        for (BrokerImage each : image.brokers()) {
            live += each.fenced() ? 0 : 1;
        }
        return (short) Math.max(1, Math.min(wanted, live));
    }

    private static CreatableTopicConfig config(String name, String value) {
        return new CreatableTopicConfig().setName(name).setValue(value);
    }
}
