package compat;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;

/** What is asked about topics and the cluster: every version, and every way to ask wrongly that a client could think of. */
final class AdminQuestions {
    private static final int TIMEOUT_MILLIS = 120_000;

    private AdminQuestions() {}

    static void ask(Conversation talk) {
        create(talk);
        createWrongly(talk);
        metadata(talk);
        autoCreate(talk);
        describePartitions(talk);
        cluster(talk);
        createPartitions(talk);
        delete(talk);
    }

    private static void create(Conversation talk) {
        talk.ask(
                "create", ApiKeys.CREATE_TOPICS, (v, s) -> topics(topic("made-" + s, 2, 1), topic("again-" + s, 1, 1)));
        talk.ask("create what exists", ApiKeys.CREATE_TOPICS, (v, s) -> topics(topic("made-" + s, 1, 1)));
        talk.ask("create with defaults", ApiKeys.CREATE_TOPICS, (v, s) -> topics(topic("default-" + s, -1, -1)));
        talk.ask(
                "create with configs",
                ApiKeys.CREATE_TOPICS,
                (v, s) -> topics(configured("configs-" + s, "retention.ms", "12345", "cleanup.policy", "delete")));
        talk.ask("create with assignment", ApiKeys.CREATE_TOPICS, (v, s) -> topics(assigned("assigned-" + s, 0, 1)));
        talk.ask(
                "only validate",
                ApiKeys.CREATE_TOPICS,
                (v, s) -> topics(topic("valid-" + s, 3, 1)).setValidateOnly(true));
        talk.ask("no topics", ApiKeys.CREATE_TOPICS, (v, s) -> topics());
    }

    private static void createWrongly(Conversation talk) {
        createLatest(talk, "too many replicas", topic("bad-1", 1, 2));
        createLatest(talk, "no replica", topic("bad-2", 1, 0));
        createLatest(talk, "no partition", topic("bad-3", 0, 1));
        createLatest(talk, "negative partitions", topic("bad-4", -2, 1));
        createLatest(talk, "empty name", topic("", 1, 1));
        createLatest(talk, "dots", topic("..", 1, 1));
        createLatest(talk, "bad character", topic("a b", 1, 1));
        createLatest(talk, "name too long", topic("x".repeat(250), 1, 1));
        createLatest(talk, "longest name", topic("x".repeat(249), 1, 1));
        createLatest(talk, "metadata topic", topic("__cluster_metadata", 1, 1));
        createLatest(talk, "collides", topic("col.lide", 1, 1));
        createLatest(talk, "collides really", topic("col_lide", 1, 1));
        createLatest(talk, "same name twice", topic("twice", 1, 1), topic("twice", 2, 1));
        createLatest(talk, "good and bad", topic("good", 1, 1), topic("b@d", 1, 1));
        createLatest(talk, "unknown config", configured("bad-5", "no.such.key", "1"));
        createLatest(talk, "bad config value", configured("bad-6", "retention.ms", "soon"));
        createLatest(talk, "config out of range", configured("bad-7", "segment.bytes", "-5"));
        createLatest(talk, "null config", configured("bad-8", "retention.ms", null));
        createLatest(talk, "bad cleanup policy", configured("bad-9", "cleanup.policy", "burn"));
        createLatest(talk, "assigned to nobody", assigned("bad-10", 0, 7));
        createLatest(talk, "assignment with a gap", assigned("bad-11", 1, 1));
        createLatest(talk, "assigned twice to one", assigned("bad-12", 0, 1, 1));
        createLatest(talk, "assigned to none", assigned("bad-13", 0));
        createLatest(talk, "assignment and count", assigned("bad-14", 0, 1).setNumPartitions(1));
        createLatest(talk, "assignment and factor", assigned("bad-15", 0, 1).setReplicationFactor((short) 1));
        createLatest(talk, "config with spaces", configured("ok-1", "retention.ms", " 77 "));
        createLatest(talk, "empty config value", configured("bad-16", "retention.ms", ""));
        createLatest(talk, "list config", configured("ok-2", "cleanup.policy", "delete"));
        createLatest(talk, "empty list config", configured("ok-3", "cleanup.policy", ""));
        createLatest(talk, "too many partitions", topic("bad-17", 10_001, 1));
    }

    private static void metadata(Conversation talk) {
        talk.ask("metadata of one", ApiKeys.METADATA, (v, s) -> metadata(false, "made-v5"));
        talk.ask("metadata of two", ApiKeys.METADATA, (v, s) -> metadata(false, "made-v5", "again-v5"));
        talk.ask(
                "metadata of all",
                ApiKeys.METADATA,
                (v, s) -> new MetadataRequestData().setTopics(v == 0 ? List.of() : null));
        talk.ask("metadata of none", ApiKeys.METADATA, (v, s) -> metadata(v < 4));
        talk.ask("metadata of unknown", ApiKeys.METADATA, (v, s) -> v < 4 ? null : metadata(false, "nobody"));
        talk.ask("metadata of bad names", ApiKeys.METADATA, (v, s) -> metadata(v < 4, "b@d", ""));
        talk.ask("metadata twice of one", ApiKeys.METADATA, (v, s) -> metadata(v < 4, "made-v5", "made-v5"));
        talk.ask(
                "metadata with operations",
                ApiKeys.METADATA,
                (v, s) -> metadata(v < 4, "made-v5")
                        .setIncludeTopicAuthorizedOperations(v >= 8)
                        .setIncludeClusterAuthorizedOperations(v >= 8 && v <= 10));
        talk.ask("metadata by id", ApiKeys.METADATA, (v, s) -> v < 10 ? null : byId(talk.idOf("made-v5")));
        talk.ask("metadata by unknown id", ApiKeys.METADATA, (v, s) -> v < 10 ? null : byId(new Uuid(3, 4)));
        talk.ask("metadata by name and id", ApiKeys.METADATA, (v, s) -> {
            if (v < 10) {
                return null;
            }
            MetadataRequestData request = byId(talk.idOf("made-v5"));
            request.topics().add(new MetadataRequestTopic().setName("again-v5"));
            return request;
        });
        talk.ask("metadata by id with the wrong name", ApiKeys.METADATA, (v, s) -> {
            if (v < 10) {
                return null;
            }
            MetadataRequestData request = byId(talk.idOf("made-v5"));
            request.topics().get(0).setName("again-v5");
            return request;
        });
    }

    private static void autoCreate(Conversation talk) {
        talk.askLatest("auto create is answered later", ApiKeys.METADATA, metadata(true, "b@d"));
        talk.askLatest("auto create of the metadata topic", ApiKeys.METADATA, metadata(true, "__cluster_metadata"));
    }

    private static void describePartitions(Conversation talk) {
        ApiKeys key = ApiKeys.DESCRIBE_TOPIC_PARTITIONS;
        talk.askOrdered("partitions of some", key, partitionsOf(10, null, "made-v5", "again-v5"));
        talk.askOrdered(
                "partitions of unsorted, doubled, unknown",
                key,
                partitionsOf(10, null, "z", "made-v5", "again-v5", "z"));
        talk.askOrdered("partitions of a bad name", key, partitionsOf(10, null, "b@d", "made-v5"));
        talk.askOrdered("first page", key, partitionsOf(1, null, "made-v5", "made-v6"));
        talk.askOrdered("second page", key, partitionsOf(1, cursor("made-v5", 1), "made-v5", "made-v6"));
        talk.askOrdered("exact page", key, partitionsOf(2, null, "made-v5", "made-v6"));
        talk.askOrdered("last page", key, partitionsOf(5, cursor("made-v6", 1), "made-v5", "made-v6"));
        talk.askOrdered("no limit", key, partitionsOf(0, null, "made-v5", "made-v6"));
        talk.askOrdered("negative limit", key, partitionsOf(-1, null, "made-v5", "made-v6"));
        talk.askOrdered("cursor of another", key, partitionsOf(5, cursor("made-v3", 0), "made-v5"));
        talk.askOrdered("cursor past the end", key, partitionsOf(5, cursor("made-v5", 9), "made-v5", "made-v6"));
        talk.askOrdered("negative cursor", key, partitionsOf(5, cursor("made-v5", -1), "made-v5"));
        talk.askOrdered("partitions of all", key, partitionsOf(100, null));
        talk.askOrdered("all in pages", key, partitionsOf(3, cursor("made-v5", 1)));
        talk.askOrdered("all from an unknown cursor", key, partitionsOf(3, cursor("made-v55", 0)));
        talk.askOrdered("unknown cursor in the list", key, partitionsOf(3, cursor("nobody", 0), "nobody", "made-v5"));
    }

    private static void cluster(Conversation talk) {
        talk.ask("cluster", ApiKeys.DESCRIBE_CLUSTER, (v, s) -> new DescribeClusterRequestData());
        talk.ask(
                "cluster with operations",
                ApiKeys.DESCRIBE_CLUSTER,
                (v, s) -> new DescribeClusterRequestData().setIncludeClusterAuthorizedOperations(true));
        talk.ask(
                "controllers from a broker",
                ApiKeys.DESCRIBE_CLUSTER,
                (v, s) -> new DescribeClusterRequestData().setEndpointType((byte) 2));
        talk.ask(
                "unknown endpoint",
                ApiKeys.DESCRIBE_CLUSTER,
                (v, s) -> new DescribeClusterRequestData().setEndpointType((byte) 9));
        talk.ask(
                "fenced too",
                ApiKeys.DESCRIBE_CLUSTER,
                (v, s) -> new DescribeClusterRequestData().setIncludeFencedBrokers(true));
    }

    private static void createPartitions(Conversation talk) {
        ApiKeys key = ApiKeys.CREATE_PARTITIONS;
        talk.ask("more partitions", key, (v, s) -> more("made-v5", 3 + v));
        talk.ask("as many partitions", key, (v, s) -> more("again-v5", 1));
        talk.ask("fewer partitions", key, (v, s) -> more("made-v5", 1));
        talk.ask("zero partitions", key, (v, s) -> more("made-v5", 0));
        talk.ask("partitions of unknown topic", key, (v, s) -> more("nobody", 3));
        talk.ask("assigned partitions", key, (v, s) -> more("made-v6", 3 + v, 1));
        talk.ask("too few assigned", key, (v, s) -> more("again-v6", 4, 1));
        talk.ask("assigned to unknown broker", key, (v, s) -> more("again-v6", 2, 9));
        talk.ask("validate partitions", key, (v, s) -> more("again-v6", 2).setValidateOnly(true));
        talk.askLatest("too many partitions", key, more("again-v6", 20_000));
        CreatePartitionsRequestData twice = more("again-v6", 2);
        talk.askLatest(
                "metadata after", ApiKeys.METADATA, metadata(false, "made-v5", "made-v6", "again-v6", "again-v5"));
        talk.askLatest("partitions of none", key, new CreatePartitionsRequestData().setTimeoutMs(TIMEOUT_MILLIS));
        talk.askLatest("partitions once", key, twice);
    }

    private static void delete(Conversation talk) {
        ApiKeys key = ApiKeys.DELETE_TOPICS;
        talk.ask("delete", key, (v, s) -> deletion(v, "made-v" + Math.max(2, v), "nobody"));
        talk.ask("delete again", key, (v, s) -> deletion(v, "made-v" + Math.max(2, v)));
        talk.ask("delete twice at once", key, (v, s) -> deletion(v, "again-v2", "again-v2"));
        talk.askLatest("delete by id", key, byIdAndName(talk.idOf("again-v2"), null));
        talk.askLatest("delete by unknown id", key, byIdAndName(new Uuid(5, 6), null));
        talk.askLatest("delete by both", key, byIdAndName(talk.idOf("again-v3"), "again-v3"));
        talk.askLatest("delete by neither", key, byIdAndName(Uuid.ZERO_UUID, null));
        DeleteTopicsRequestData twice = byIdAndName(talk.idOf("again-v3"), null);
        twice.topics().add(new DeleteTopicState().setName("again-v3"));
        talk.askLatest("delete by name and by id", key, twice);
        DeleteTopicsRequestData same = byIdAndName(talk.idOf("again-v3"), null);
        same.topics().add(same.topics().get(0).duplicate());
        talk.askLatest("delete by the same id", key, same);
        talk.askLatest("delete the metadata topic", key, deletion((short) 6, "__cluster_metadata"));
        talk.askLatest("metadata after deletes", ApiKeys.METADATA, metadata(false, "again-v3", "made-v5", "again-v2"));
        createLatest(talk, "create again", topic("made-v5", 1, 1));
    }

    private static void createLatest(Conversation talk, String label, CreatableTopic... topics) {
        talk.askLatest("create: " + label, ApiKeys.CREATE_TOPICS, topics(topics));
    }

    static CreateTopicsRequestData topics(CreatableTopic... topics) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(TIMEOUT_MILLIS);
        for (CreatableTopic topic : topics) {
            request.topics().mustAdd(topic);
        }
        return request;
    }

    static CreatableTopic topic(String name, int partitions, int replicas) {
        return new CreatableTopic().setName(name).setNumPartitions(partitions).setReplicationFactor((short) replicas);
    }

    static CreatableTopic configured(String name, String... keysAndValues) {
        CreatableTopic topic = topic(name, 1, 1);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            topic.configs()
                    .add(new CreatableTopicConfig().setName(keysAndValues[i]).setValue(keysAndValues[i + 1]));
        }
        return topic;
    }

    private static CreatableTopic assigned(String name, int partition, Integer... brokers) {
        CreatableTopic topic = topic(name, -1, -1);
        topic.assignments()
                .add(new CreatableReplicaAssignment()
                        .setPartitionIndex(partition)
                        .setBrokerIds(List.of(brokers)));
        return topic;
    }

    static MetadataRequestData metadata(boolean create, String... names) {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(create);
        for (String name : names) {
            request.topics().add(new MetadataRequestTopic().setName(name));
        }
        return request;
    }

    private static MetadataRequestData byId(Uuid id) {
        MetadataRequestData request = new MetadataRequestData();
        request.topics().add(new MetadataRequestTopic().setName(null).setTopicId(id));
        return request;
    }

    private static DescribeTopicPartitionsRequestData partitionsOf(int limit, Cursor cursor, String... names) {
        DescribeTopicPartitionsRequestData request = new DescribeTopicPartitionsRequestData()
                .setResponsePartitionLimit(limit)
                .setCursor(cursor);
        for (String name : names) {
            request.topics().add(new TopicRequest().setName(name));
        }
        return request;
    }

    private static Cursor cursor(String topic, int partition) {
        return new Cursor().setTopicName(topic).setPartitionIndex(partition);
    }

    private static CreatePartitionsRequestData more(String name, int count, Integer... brokerOfEach) {
        CreatePartitionsTopic topic = new CreatePartitionsTopic().setName(name).setCount(count);
        topic.setAssignments(null);
        if (brokerOfEach.length > 0) {
            topic.setAssignments(List.of(new CreatePartitionsAssignment().setBrokerIds(List.of(brokerOfEach))));
        }
        CreatePartitionsRequestData request = new CreatePartitionsRequestData().setTimeoutMs(TIMEOUT_MILLIS);
        request.topics().mustAdd(topic);
        return request;
    }

    private static DeleteTopicsRequestData deletion(short version, String... names) {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(TIMEOUT_MILLIS);
        if (version < 6) {
            return request.setTopicNames(List.of(names));
        }
        for (String name : names) {
            request.topics().add(new DeleteTopicState().setName(name));
        }
        return request;
    }

    private static DeleteTopicsRequestData byIdAndName(Uuid id, String name) {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(TIMEOUT_MILLIS);
        request.topics().add(new DeleteTopicState().setName(name).setTopicId(id));
        return request;
    }
}
