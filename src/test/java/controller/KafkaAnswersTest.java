package controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import config.BrokerConfig;
import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntityData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntryData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.OpData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Errors and their words as a real Apache Kafka 4.4.0 node gave them for the same requests, in the same order. */
class KafkaAnswersTest {

    private ControllerMachine machine;

    @BeforeEach
    void oneBroker() {
        machine = machine();
        commit(machine.bootstrap());
        Joining.join(
                machine, Joining.registration(1, "c", new Uuid(1, 1), List.of(new Uuid(2, 1)), -1), null, this::commit);
    }

    static ControllerMachine machine() {
        Random random = new Random(1);
        return new ControllerMachine(
                BrokerConfig.parse(Map.of()).config(),
                new common.RandomSource() {
                    @Override
                    public int below(int bound) {
                        return random.nextInt(bound);
                    }

                    @Override
                    public long nextLong() {
                        return random.nextLong();
                    }
                },
                MetadataImage.empty("c"));
    }

    private void commit(List<MetadataRecord> records) {
        machine.replay(records, machine.latest().version());
    }

    private <T> T commit(Decision<T> decision) {
        commit(decision.records());
        return decision.answer();
    }

    private static String told(short code, String message) {
        return code == 0 ? "OK" : Errors.forCode(code) + " " + message;
    }

    private String create(CreatableTopic topic) {
        return create(topic, false);
    }

    private String create(CreatableTopic topic, boolean validateOnly) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setValidateOnly(validateOnly);
        request.topics().add(topic);
        var result = commit(machine.createTopics(request)).topics().iterator().next();
        return result.errorCode() == 0
                ? "OK " + result.numPartitions() + "/" + result.replicationFactor()
                : told(result.errorCode(), result.errorMessage());
    }

    private static CreatableTopic topic(String name, int partitions, int replicas, String... configs) {
        CreatableTopic topic =
                new CreatableTopic().setName(name).setNumPartitions(partitions).setReplicationFactor((short) replicas);
        for (int i = 0; i < configs.length; i += 2) {
            topic.configs().add(new CreatableTopicConfig().setName(configs[i]).setValue(configs[i + 1]));
        }
        return topic;
    }

    private static CreatableTopic placed(String name, Object... partitionsAndBrokers) {
        CreatableTopic topic = topic(name, -1, -1);
        for (int i = 0; i < partitionsAndBrokers.length; i += 2) {
            List<Integer> brokers = new ArrayList<>();
            ((List<?>) partitionsAndBrokers[i + 1]).forEach(each -> brokers.add((Integer) each));
            topic.assignments()
                    .add(new CreatableReplicaAssignment()
                            .setPartitionIndex((Integer) partitionsAndBrokers[i])
                            .setBrokerIds(brokers));
        }
        return topic;
    }

    @Test
    void createTopicsNames() {
        assertEquals("OK 3/1", create(topic("a", 3, 1)));
        assertEquals("TOPIC_ALREADY_EXISTS Topic 'a' already exists.", create(topic("a", 3, 1)));
        assertEquals("OK 1/1", create(topic("b.c", 1, 1)));
        assertEquals(
                "INVALID_TOPIC_EXCEPTION Topic 'b_c' collides with existing topic: b.c", create(topic("b_c", 1, 1)));
        assertEquals("INVALID_TOPIC_EXCEPTION Topic name is invalid: '.' is not allowed", create(topic(".", 1, 1)));
        assertEquals(
                "INVALID_TOPIC_EXCEPTION Topic name is invalid: the length of '" + "x".repeat(250)
                        + "' is longer than the max allowed length 249",
                create(topic("x".repeat(250), 1, 1)));
        assertEquals(
                "INVALID_TOPIC_EXCEPTION Topic name is invalid: 'bad name' contains one or more characters other than ASCII"
                        + " alphanumerics, '.', '_' and '-'",
                create(topic("bad name", 1, 1)));
        assertEquals(
                "INVALID_REQUEST Creation of internal topic __cluster_metadata is prohibited.",
                create(topic("__cluster_metadata", 1, 1)));
        assertEquals("OK 1/1", create(topic("__consumer_offsets", 1, 1), true));
    }

    @Test
    void createTopicsCounts() {
        String counts = "INVALID_PARTITIONS Number of partitions was set to an invalid non-positive value.";
        assertEquals(counts, create(topic("zero", 0, 1)));
        assertEquals(counts, create(topic("neg", -2, 1)));
        String factor =
                "INVALID_REPLICATION_FACTOR Replication factor must be larger than 0, or -1 to use the default value.";
        assertEquals(factor, create(topic("rf0", 1, 0)));
        assertEquals(factor, create(topic("rf-2", 1, -2)));
        assertEquals(
                "INVALID_REPLICATION_FACTOR Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot"
                        + " be reached because only 1 broker(s) are registered or some brokers have all their log directories cordoned.",
                create(topic("rf3", 1, 3)));
        assertEquals("OK 1/1", create(topic("dflt", -1, -1)));
        assertEquals("OK 2/1", create(topic("val", 2, 1), true));
        assertEquals("OK 2/1", create(topic("val", 2, 1)), "validateOnly made nothing");
        String policy = "POLICY_VIOLATION Excessively large number of partitions per request.";
        assertEquals(policy, create(topic("many", 100_000, 1), true));
        assertEquals(policy, create(topic("many2", 10_001, 1)));
        assertEquals(
                "POLICY_VIOLATION Unable to perform excessively large batch operation.",
                create(topic("many3", 10_000, 1), true));
    }

    @Test
    void createTopicsPlaced() {
        assertEquals("OK 2/1", create(placed("asg", 0, List.of(1), 1, List.of(1))));
        String wrong = "INVALID_REPLICA_ASSIGNMENT ";
        assertEquals(
                wrong + "The manual partition assignment includes broker 7, but no such broker is registered.",
                create(placed("asgbad", 0, List.of(7))));
        assertEquals(
                wrong + "The manual partition assignment includes the broker 1 more than once.",
                create(placed("asgdup", 0, List.of(1, 1))));
        assertEquals(
                wrong + "partitions should be a consecutive 0-based integer sequence",
                create(placed("asggap", 0, List.of(1), 2, List.of(1))));
        assertEquals(
                wrong + "The manual partition assignment includes an empty replica list.",
                create(placed("asgempty", 0, List.of())));
        assertEquals(
                wrong + "The manual partition assignment includes broker -1, but no such broker is registered.",
                create(placed("asgneg", 0, List.of(-1))));
        assertEquals(
                wrong + "The manual partition assignment includes broker 2, but no such broker is registered.",
                create(placed("asguneq", 0, List.of(1), 1, List.of(1, 2))));
    }

    @Test
    void createTopicsConfigs() {
        String wrong = "INVALID_CONFIG ";
        assertEquals(
                wrong + "Invalid value -5 for configuration retention.ms: Value must be at least -1",
                create(topic("cfg", 1, 1, "retention.ms", "-5")));
        assertEquals(
                wrong + "Unknown topic config name: retention.mss", create(topic("cfg", 1, 1, "retention.mss", "5")));
        assertEquals(
                wrong + "Invalid value abc for configuration retention.ms: Not a number of type LONG",
                create(topic("cfg", 1, 1, "retention.ms", "abc")));
        assertEquals(
                wrong + "Invalid value foo for configuration cleanup.policy: String must be one of: compact, delete",
                create(topic("cfg", 1, 1, "cleanup.policy", "foo")));
        assertEquals(
                wrong + "Null value not supported for topic configs: retention.ms",
                create(topic("cfg", 1, 1, "retention.ms", null)));
        assertEquals("OK 1/1", create(topic("cfg", 1, 1, "cleanup.policy", "")));
        assertEquals("OK 1/1", create(topic("compacted", 1, 1, "cleanup.policy", "compact,delete")));
        assertEquals(
                wrong + "conflict topic config setting min.compaction.lag.ms (9) > max.compaction.lag.ms (5)",
                create(topic("lags", 1, 1, "min.compaction.lag.ms", "9", "max.compaction.lag.ms", "5")));
    }

    private String alter(int type, String name, int operation, String key, String value) {
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        AlterConfigsResource resource =
                new AlterConfigsResource().setResourceType((byte) type).setResourceName(name);
        resource.configs()
                .add(new AlterableConfig()
                        .setName(key)
                        .setConfigOperation((byte) operation)
                        .setValue(value));
        request.resources().add(resource);
        var result =
                commit(machine.incrementalAlterConfigs(request)).responses().get(0);
        return told(result.errorCode(), result.errorMessage());
    }

    private static final int TOPIC = 2;
    private static final int BROKER = 4;
    private static final int CLIENT_METRICS = 16;
    private static final int GROUP = 32;
    private static final int SET = 0;
    private static final int DELETE = 1;
    private static final int APPEND = 2;
    private static final int SUBTRACT = 3;

    @Test
    void alterTopicConfigs() {
        create(topic("a", 1, 1));
        assertEquals("OK", alter(TOPIC, "a", SET, "retention.ms", "1000"));
        assertEquals("1000", machine.latest().topic("a").configs().get("retention.ms"));
        assertEquals("OK", alter(TOPIC, "a", DELETE, "retention.ms", null));
        assertEquals(Map.of(), machine.latest().topic("a").configs());
        assertEquals("OK", alter(TOPIC, "a", DELETE, "nope", ""));
        assertEquals("INVALID_CONFIG Unknown topic config name: nope", alter(TOPIC, "a", SET, "nope", "1"));
        assertEquals(
                "INVALID_CONFIG Can't APPEND to key retention.ms because its type is not LIST.",
                alter(TOPIC, "a", APPEND, "retention.ms", "5"));
        assertEquals("OK", alter(TOPIC, "a", SUBTRACT, "cleanup.policy", "delete"));
        assertEquals("", machine.latest().topic("a").configs().get("cleanup.policy"));
        assertEquals("OK", alter(TOPIC, "a", APPEND, "cleanup.policy", "delete"));
        assertEquals("delete", machine.latest().topic("a").configs().get("cleanup.policy"));
        assertEquals(
                "INVALID_REQUEST Null value not supported for : retention.ms",
                alter(TOPIC, "a", SET, "retention.ms", null));
        assertEquals(
                "INVALID_CONFIG Invalid value  for configuration retention.ms: Not a number of type LONG",
                alter(TOPIC, "a", SET, "retention.ms", ""));
        assertEquals(
                "UNKNOWN_TOPIC_OR_PARTITION The topic 'nope' does not exist.",
                alter(TOPIC, "nope", SET, "retention.ms", "5"));
        assertEquals(
                "INVALID_REQUEST Default topic resources are not allowed.", alter(TOPIC, "", SET, "retention.ms", "5"));
    }

    @Test
    void alterOtherConfigs() {
        assertEquals("OK", alter(BROKER, "1", SET, "log.retention.ms", "5000"));
        assertEquals("OK", alter(BROKER, "", SET, "log.retention.ms", "6000"));
        String fixed = "INVALID_REQUEST Cannot update these configs dynamically: ";
        assertEquals(fixed + "[log.retention.hours]", alter(BROKER, "", SET, "log.retention.hours", "6"));
        assertEquals(fixed + "[num.partitions]", alter(BROKER, "1", SET, "num.partitions", "6"));
        assertEquals(
                "INVALID_REQUEST Invalid value x for configuration log.retention.ms: Not a number of type LONG",
                alter(BROKER, "", SET, "log.retention.ms", "x"));
        assertEquals("OK", alter(BROKER, "", SET, "log.cleaner.threads", "2"));
        assertEquals("OK", alter(BROKER, "", DELETE, "log.cleaner.threads", ""));
        assertEquals(
                "BROKER_ID_NOT_REGISTERED No node with id 9 found.", alter(BROKER, "9", SET, "log.retention.ms", "5"));
        assertEquals("INVALID_REQUEST Invalid broker name x", alter(BROKER, "x", SET, "log.retention.ms", "5"));
        assertEquals("OK", alter(CLIENT_METRICS, "sub", SET, "interval.ms", "1000"));
        assertEquals(
                "INVALID_REQUEST Invalid value 5 for interval.ms, interval must be between 100 and 3600000 (1 hour)",
                alter(CLIENT_METRICS, "sub", SET, "interval.ms", "5"));
        assertEquals(
                "INVALID_REQUEST Unknown client metrics configuration: foo",
                alter(CLIENT_METRICS, "sub", SET, "foo", "5"));
        assertEquals("OK", alter(CLIENT_METRICS, "sub", SET, "metrics", "org.apache"));
        assertEquals("OK", alter(CLIENT_METRICS, "sub", SET, "match", "client_id=x"));
        assertEquals(
                "INVALID_CONFIG Illegal client matching pattern: zzz",
                alter(CLIENT_METRICS, "sub", SET, "match", "zzz"));
        assertEquals(
                "INVALID_REQUEST Subscription name can't be empty",
                alter(CLIENT_METRICS, "", SET, "interval.ms", "1000"));
        assertEquals(
                "INVALID_CONFIG Invalid value abc for configuration interval.ms: Not a number of type INT",
                alter(CLIENT_METRICS, "sub", SET, "interval.ms", "abc"));
        assertEquals("OK", alter(GROUP, "grp", SET, "consumer.session.timeout.ms", "50000"));
        assertEquals("INVALID_CONFIG Unknown group config name: foo", alter(GROUP, "grp", SET, "foo", "5"));
        assertEquals(
                "INVALID_REQUEST Default group resources are not allowed.",
                alter(GROUP, "", SET, "consumer.session.timeout.ms", "5"));
        assertEquals("OK", alter(GROUP, "grp", SET, "share.auto.offset.reset", "by_duration:P1D"));
        assertEquals("INVALID_REQUEST Unknown resource type 0", alter(0, "z", SET, "a", "b"));
    }

    @Test
    void onlyOneMentionOfAKeyAndOfAResource() {
        create(topic("a", 1, 1));
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        for (int i = 0; i < 2; i++) {
            AlterConfigsResource resource =
                    new AlterConfigsResource().setResourceType((byte) TOPIC).setResourceName("a");
            resource.configs().add(new AlterableConfig().setName("retention.ms").setValue("5"));
            request.resources().add(resource);
        }
        var result = machine.incrementalAlterConfigs(request).answer().responses();
        assertEquals(1, result.size());
        assertEquals("Each resource must appear at most once.", result.get(0).errorMessage());
    }

    private String grow(String name, int count, List<List<Integer>> placed) {
        CreatePartitionsTopic topic = new CreatePartitionsTopic().setName(name).setCount(count);
        topic.setAssignments(
                placed == null
                        ? null
                        : placed.stream()
                                .map(each -> new CreatePartitionsAssignment().setBrokerIds(each))
                                .toList());
        CreatePartitionsRequestData request = new CreatePartitionsRequestData();
        request.topics().add(topic);
        var result = commit(machine.createPartitions(request)).results().get(0);
        return told(result.errorCode(), result.errorMessage());
    }

    @Test
    void createPartitions() {
        create(topic("a", 3, 1));
        assertEquals("INVALID_PARTITIONS Topic already has 3 partition(s).", grow("a", 3, null));
        assertEquals(
                "INVALID_PARTITIONS The topic a currently has 3 partition(s); 2 would not be an increase.",
                grow("a", 2, null));
        assertEquals(
                "INVALID_PARTITIONS The topic a currently has 3 partition(s); -1 would not be an increase.",
                grow("a", -1, null));
        assertEquals(
                "UNKNOWN_TOPIC_OR_PARTITION This server does not host this topic-partition.", grow("nope", 2, null));
        String wrong = "INVALID_REPLICA_ASSIGNMENT ";
        assertEquals(
                wrong + "The manual partition assignment includes broker 7, but no such broker is registered.",
                grow("a", 4, List.of(List.of(7))));
        assertEquals(
                wrong + "Attempted to add 2 additional partition(s), but only 1 assignment(s) were specified.",
                grow("a", 5, List.of(List.of(1))));
        assertEquals(
                wrong + "The manual partition assignment includes an empty replica list.",
                grow("a", 4, List.of(List.of())));
        assertEquals("OK", grow("a", 5, null));
        assertEquals(
                "POLICY_VIOLATION Excessively large number of additional partitions per request.",
                grow("a", 20_000, null));
        assertEquals("OK", grow("a", 6, List.of(List.of(1))));
        assertEquals(6, machine.latest().topic("a").partitions().size());
    }

    private String quota(String key, Double value, String... typesAndNames) {
        EntryData entry = new EntryData();
        for (int i = 0; i < typesAndNames.length; i += 2) {
            entry.entity().add(new EntityData().setEntityType(typesAndNames[i]).setEntityName(typesAndNames[i + 1]));
        }
        entry.ops()
                .add(new OpData()
                        .setKey(key)
                        .setValue(value == null ? 0 : value)
                        .setRemove(value == null));
        AlterClientQuotasRequestData request = new AlterClientQuotasRequestData();
        request.entries().add(entry);
        var result = commit(machine.alterClientQuotas(request)).entries().get(0);
        return told(result.errorCode(), result.errorMessage());
    }

    @Test
    void clientQuotas() {
        String wrong = "INVALID_REQUEST ";
        assertEquals("OK", quota("producer_byte_rate", 100.0, "user", "u"));
        assertEquals("OK", quota("producer_byte_rate", null, "user", "u"));
        assertEquals("OK", quota("nope", null, "user", "u"));
        assertEquals(0, machine.latest().quotaEntities().size());
        assertEquals(wrong + "Invalid configuration key nope", quota("nope", 1.0, "user", "u"));
        assertEquals(
                wrong + "Quota producer_byte_rate must be greater than 0",
                quota("producer_byte_rate", -1.0, "user", "u"));
        assertEquals(
                wrong + "Quota producer_byte_rate must be greater than 0",
                quota("producer_byte_rate", 0.0, "user", "u"));
        assertEquals(
                wrong + "producer_byte_rate cannot be a fractional value.",
                quota("producer_byte_rate", 1.5, "user", "u"));
        assertEquals("OK", quota("request_percentage", 0.5, "user", "u"));
        assertEquals(
                wrong + "Quota request_percentage must be a finite number",
                quota("request_percentage", Double.NaN, "user", "u"));
        assertEquals("OK", quota("connection_creation_rate", 5.0, "ip", "1.2.3.4"));
        assertEquals(
                wrong + "zz!! is not a valid IP or resolvable host.",
                quota("connection_creation_rate", 5.0, "ip", "zz!!"));
        assertEquals(
                wrong + "Invalid configuration key producer_byte_rate",
                quota("producer_byte_rate", 5.0, "ip", "1.2.3.4"));
        assertEquals(wrong + "Unhandled client quota entity type: foo", quota("producer_byte_rate", 5.0, "foo", "u"));
        assertEquals(wrong + "Invalid empty client quota entity", quota("producer_byte_rate", 5.0));
        assertEquals(wrong + "Empty user not supported", quota("producer_byte_rate", 5.0, "user", ""));
        assertEquals(
                wrong + "Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId",
                quota("producer_byte_rate", 5.0, "ip", "1.2.3.4", "user", "u"));
        assertEquals("OK", quota("controller_mutation_rate", 5.0, "user", "u", "client-id", "c"));
        assertEquals(
                wrong + "Proposed value for producer_byte_rate is too large for a LONG.",
                quota("producer_byte_rate", 1e30, "user", "u"));
        assertEquals(
                wrong + "Proposed value for connection_creation_rate is too large for an INT.",
                quota("connection_creation_rate", 3e9, "ip", "1.2.3.4"));
        assertEquals("OK", quota("producer_byte_rate", 7.0, "user", null));
    }

    private List<String> delete(Object... namesAndIds) {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData();
        for (Object each : namesAndIds) {
            DeleteTopicState topic = new DeleteTopicState().setName(null);
            request.topics().add(each instanceof Uuid id ? topic.setTopicId(id) : topic.setName((String) each));
        }
        List<String> told = new ArrayList<>();
        commit(machine.deleteTopics(request))
                .responses()
                .forEach(each -> told.add(told(each.errorCode(), each.errorMessage())));
        return told;
    }

    @Test
    void deleteTopics() {
        create(topic("a", 1, 1));
        create(topic("b", 1, 1));
        Uuid a = machine.latest().topic("a").id();
        assertEquals(
                List.of("UNKNOWN_TOPIC_OR_PARTITION This server does not host this topic-partition."), delete("nope"));
        assertEquals(List.of("UNKNOWN_TOPIC_ID This server does not host this topic ID."), delete(new Uuid(4, 5)));
        assertEquals(List.of("INVALID_REQUEST Duplicate topic name."), delete("a", "a"));
        assertEquals(List.of("INVALID_REQUEST the topic of this name is also named by its id"), delete(a, "a"));
        assertEquals(List.of("OK", "OK"), delete("a", "b"));
        assertEquals(0, machine.latest().topics().size());
    }

    private String feature(String name, int level, int type, boolean validateOnly) {
        UpdateFeaturesRequestData request = new UpdateFeaturesRequestData().setValidateOnly(validateOnly);
        request.featureUpdates()
                .add(new FeatureUpdateKey()
                        .setFeature(name)
                        .setMaxVersionLevel((short) level)
                        .setUpgradeType((byte) type));
        var answer = commit(machine.updateFeatures(request));
        return told(answer.errorCode(), answer.errorMessage());
    }

    @Test
    void features() {
        String all =
                "INVALID_UPDATE_VERSION The update failed for all features since the following feature had an error: ";
        Map<String, Short> finalized = new TreeMap<>(Map.of(
                "metadata.version", (short) 33,
                "group.version", (short) 1,
                "transaction.version", (short) 2,
                "eligible.leader.replicas.version", (short) 1));
        assertEquals(finalized, machine.latest().features().finalized());
        assertEquals(
                all
                        + "Invalid update version 29 for feature metadata.version. Can't downgrade the version of this feature without"
                        + " setting the upgrade type to either safe or unsafe downgrade.",
                feature("metadata.version", 29, 1, false));
        assertEquals(
                all
                        + "Unsupported metadata.version downgrade from 33 to 28. Refusing to perform the requested downgrade because it"
                        + " might delete metadata information.",
                feature("metadata.version", 28, 2, false));
        assertEquals(
                all
                        + "Invalid update version 99 for feature metadata.version. Local controller 1 only supports versions 7-33",
                feature("metadata.version", 99, 1, false));
        assertEquals(
                all + "Invalid update version 1 for feature foo. Local controller 1 does not support this feature.",
                feature("foo", 1, 1, false));
        assertEquals("OK", feature("group.version", 0, 2, true));
        assertEquals(1, machine.latest().features().level("group.version"));
        assertEquals("OK", feature("group.version", 0, 2, false));
        assertEquals(0, machine.latest().features().level("group.version"));
        assertEquals("OK", feature("group.version", 1, 1, false));
        assertEquals("OK", feature("transaction.version", 1, 3, false));
        assertEquals(
                all
                        + "Invalid update version 3 for feature transaction.version. Local controller 1 only supports versions 0-2",
                feature("transaction.version", 3, 1, false));
        assertEquals(
                all
                        + "Invalid update version 1 for feature share.version. Local controller 1 does not support this feature.",
                feature("share.version", 1, 1, false));
    }

    /** Earlier versions of this broker finalized what nothing served. */
    @Test
    void aStartTakesBackFeaturesThatWereNeverServed() {
        Map<String, Short> before = machine.latest().features().finalized();
        assertEquals(Set.of(), difference(before.keySet(), Features.supported().keySet()));
        commit(List.of(MetadataRecords.feature("share.version", (short) 2)));
        commit(List.of(MetadataRecords.feature("streams.version", (short) 1)));
        commit(machine.bootstrap());
        assertEquals(before, machine.latest().features().finalized());
        assertEquals(List.of(), machine.bootstrap());
    }

    private static Set<String> difference(Set<String> all, Set<String> without) {
        Set<String> left = new TreeSet<>(all);
        left.removeAll(without);
        return left;
    }

    /** What describes the created topic is what DescribeConfigs would show: all keys of the table but internal ones. */
    @Test
    void createTopicsDescribesTheTopic() {
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics().add(topic("t", 1, 1, "retention.ms", "77"));
        var result = commit(machine.createTopics(request)).topics().find("t");
        assertEquals(38, result.configs().size());
        var retention = result.configs().stream()
                .filter(each -> each.name().equals("retention.ms"))
                .findFirst()
                .orElseThrow();
        assertEquals(Arrays.asList("77", (byte) 1), Arrays.asList(retention.value(), retention.configSource()));
        assertEquals(machine.latest().topic("t").id(), result.topicId());
    }
}
