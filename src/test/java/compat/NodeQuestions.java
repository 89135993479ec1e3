package compat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.CreateDelegationTokenRequestData;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData;
import org.apache.kafka.common.message.DescribeDelegationTokenRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData.UserName;
import org.apache.kafka.common.message.ExpireDelegationTokenRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics;
import org.apache.kafka.common.message.RenewDelegationTokenRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import org.apache.kafka.common.protocol.ApiKeys;

/** What is asked about a node's disks, its quorum, features, quotas and rights. */
final class NodeQuestions {
    private static final byte UPGRADE = 1;
    private static final byte SAFE_DOWNGRADE = 2;
    private static final byte EXACT = 0;
    private static final byte DEFAULT = 1;
    private static final byte ANY = 2;

    private NodeQuestions() {}

    static void ask(Conversation talk) {
        talk.askLatest(
                "create a topic to look for",
                ApiKeys.CREATE_TOPICS,
                AdminQuestions.topics(AdminQuestions.topic("disk", 2, 1)));
        logDirs(talk);
        quorum(talk);
        features(talk);
        quotas(talk);
        reassignments(talk);
        credentials(talk);
        tokens(talk);
        talk.ask(
                "acls without an authorizer",
                ApiKeys.DESCRIBE_ACLS,
                (v, s) -> new DescribeAclsRequestData()
                        .setResourceTypeFilter((byte) 1)
                        .setPatternTypeFilter((byte) 1)
                        .setOperation((byte) 1)
                        .setPermissionType((byte) 1));
    }

    private static void credentials(Conversation talk) {
        ApiKeys key = ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS;
        talk.ask("credentials of all", key, (v, s) -> new DescribeUserScramCredentialsRequestData().setUsers(null));
        talk.ask("credentials of none", key, (v, s) -> new DescribeUserScramCredentialsRequestData());
        talk.ask("credentials of some", key, (v, s) -> users("ada", "bob"));
        talk.ask("credentials twice", key, (v, s) -> users("ada", "bob", "ada"));
        talk.ask("credentials of nobody", key, (v, s) -> users(""));
    }

    private static void tokens(Conversation talk) {
        talk.ask(
                "make a token",
                ApiKeys.CREATE_DELEGATION_TOKEN,
                (v, s) -> new CreateDelegationTokenRequestData().setMaxLifetimeMs(1000));
        talk.ask(
                "renew a token",
                ApiKeys.RENEW_DELEGATION_TOKEN,
                (v, s) -> new RenewDelegationTokenRequestData().setHmac(new byte[] {1}));
        talk.ask(
                "end a token",
                ApiKeys.EXPIRE_DELEGATION_TOKEN,
                (v, s) -> new ExpireDelegationTokenRequestData().setHmac(new byte[] {1}));
        ApiKeys key = ApiKeys.DESCRIBE_DELEGATION_TOKEN;
        talk.ask("all tokens", key, (v, s) -> new DescribeDelegationTokenRequestData().setOwners(null));
        talk.ask("tokens of none", key, (v, s) -> new DescribeDelegationTokenRequestData());
    }

    private static DescribeUserScramCredentialsRequestData users(String... names) {
        List<UserName> users = new ArrayList<>();
        for (String name : names) {
            users.add(new UserName().setName(name));
        }
        return new DescribeUserScramCredentialsRequestData().setUsers(users);
    }

    private static void logDirs(Conversation talk) {
        ApiKeys key = ApiKeys.DESCRIBE_LOG_DIRS;
        talk.ask("log dirs of a partition", key, (v, s) -> logDirs("disk", 1, 0, 7));
        talk.ask("log dirs of unknown", key, (v, s) -> logDirs("nobody", 0));
        talk.ask("log dirs of nothing", key, (v, s) -> new DescribeLogDirsRequestData());
    }

    private static void quorum(Conversation talk) {
        ApiKeys key = ApiKeys.DESCRIBE_QUORUM;
        talk.ask("quorum", key, (v, s) -> quorum("__cluster_metadata", 0));
        talk.ask("quorum of another topic", key, (v, s) -> quorum("disk", 0));
        talk.ask("quorum of another partition", key, (v, s) -> quorum("__cluster_metadata", 1));
        talk.ask("quorum of nothing", key, (v, s) -> new DescribeQuorumRequestData());
    }

    private static void features(Conversation talk) {
        update(talk, "unknown feature", "no.such.feature", (short) 1, UPGRADE);
        update(talk, "metadata version too high", "metadata.version", (short) 3000, UPGRADE);
        update(talk, "metadata version lower without leave", "metadata.version", (short) 1, UPGRADE);
        update(talk, "same metadata version down", "metadata.version", (short) 0, SAFE_DOWNGRADE);
        talk.askLatest("no feature", ApiKeys.UPDATE_FEATURES, new UpdateFeaturesRequestData().setTimeoutMs(120_000));
    }

    private static void update(Conversation talk, String label, String name, short level, byte type) {
        talk.ask("features: " + label, ApiKeys.UPDATE_FEATURES, (v, s) -> {
            FeatureUpdateKey feature = new FeatureUpdateKey().setFeature(name).setMaxVersionLevel(level);
            if (v == 0) {
                feature.setAllowDowngrade(type != UPGRADE);
            } else {
                feature.setUpgradeType(type);
            }
            UpdateFeaturesRequestData request = new UpdateFeaturesRequestData().setTimeoutMs(120_000);
            request.featureUpdates().add(feature);
            return request;
        });
    }

    private static void quotas(Conversation talk) {
        alter(talk, "none yet", List.of());
        alter(talk, "user", List.of(entity("user", "u", "producer_byte_rate", 1024.0)));
        alter(talk, "user and client", List.of(entity("user", "u", "client-id", "c", "request_percentage", 12.5)));
        alter(talk, "default client", List.of(entity("client-id", null, "consumer_byte_rate", 2048.0)));
        alter(talk, "ip", List.of(entity("ip", "127.0.0.1", "connection_creation_rate", 50000.0)));
        alter(talk, "default ip", List.of(entity("ip", null, "connection_creation_rate", 60000.0)));
        alter(talk, "unknown key", List.of(entity("user", "u", "no_such_rate", 1.0)));
        alter(talk, "unknown entity", List.of(entity("planet", "u", "producer_byte_rate", 1.0)));
        alter(talk, "ip and user", List.of(entity("user", "u", "ip", "127.0.0.1", "producer_byte_rate", 1.0)));
        alter(talk, "empty user", List.of(entity("user", "", "producer_byte_rate", 1.0)));
        alter(talk, "zero", List.of(entity("user", "u", "producer_byte_rate", 0.0)));
        alter(talk, "negative", List.of(entity("user", "u", "producer_byte_rate", -1.0)));
        alter(talk, "fraction of bytes", List.of(entity("user", "u", "producer_byte_rate", 1.5)));
        alter(talk, "too large", List.of(entity("user", "u", "producer_byte_rate", 1e300)));
        alter(
                talk,
                "good and bad",
                List.of(entity("user", "good", "producer_byte_rate", 1.0), entity("user", "bad", "no_such_rate", 1.0)));
        alter(talk, "remove what is not there", List.of(entity("user", "x", "producer_byte_rate", null)));
        alter(
                talk,
                "same entity twice",
                List.of(
                        entity("user", "t", "producer_byte_rate", 1.0),
                        entity("user", "t", "producer_byte_rate", 2.0)));
        AlterClientQuotasRequestData validate = quotas(List.of(entity("user", "v", "producer_byte_rate", 1.0)));
        talk.askLatest("quotas: validate", ApiKeys.ALTER_CLIENT_QUOTAS, validate.setValidateOnly(true));
        describe(talk, "all", false);
        describe(talk, "all strictly", true);
        describe(talk, "users", false, component("user", ANY, null));
        describe(talk, "users strictly", true, component("user", ANY, null));
        describe(talk, "one user", false, component("user", EXACT, "u"));
        describe(talk, "default clients", false, component("client-id", DEFAULT, null));
        describe(talk, "both", false, component("user", EXACT, "u"), component("client-id", ANY, null));
        describe(talk, "ips", true, component("ip", ANY, null));
        describe(talk, "unknown type", false, component("planet", ANY, null));
        describe(talk, "unknown match", false, component("user", (byte) 7, null));
        describe(talk, "type twice", false, component("user", EXACT, "u"), component("user", EXACT, "v"));
        describe(talk, "ip with user", false, component("user", EXACT, "u"), component("ip", EXACT, "1"));
        describe(talk, "empty type", false, component("", EXACT, "u"));
        alter(talk, "remove", List.of(entity("user", "u", "producer_byte_rate", null)));
        describe(talk, "after removing", false);
    }

    private static void reassignments(Conversation talk) {
        ApiKeys key = ApiKeys.LIST_PARTITION_REASSIGNMENTS;
        talk.ask("reassignments", key, (v, s) -> new ListPartitionReassignmentsRequestData().setTopics(null));
        talk.ask(
                "reassignments of one",
                key,
                (v, s) -> new ListPartitionReassignmentsRequestData()
                        .setTopics(List.of(new ListPartitionReassignmentsTopics()
                                .setName("disk")
                                .setPartitionIndexes(List.of(0)))));
        talk.ask(
                "reassignments of nobody",
                key,
                (v, s) -> new ListPartitionReassignmentsRequestData()
                        .setTopics(List.of(new ListPartitionReassignmentsTopics()
                                .setName("nobody")
                                .setPartitionIndexes(List.of(0)))));
    }

    private static DescribeLogDirsRequestData logDirs(String topic, Integer... partitions) {
        DescribeLogDirsRequestData request = new DescribeLogDirsRequestData();
        request.topics().add(new DescribableLogDirTopic().setTopic(topic).setPartitions(List.of(partitions)));
        return request;
    }

    private static DescribeQuorumRequestData quorum(String topic, int partition) {
        return new DescribeQuorumRequestData()
                .setTopics(List.of(new DescribeQuorumRequestData.TopicData()
                        .setTopicName(topic)
                        .setPartitions(
                                List.of(new DescribeQuorumRequestData.PartitionData().setPartitionIndex(partition)))));
    }

    /** Pairs of type and name, then a key and its value (null: remove). */
    private static AlterClientQuotasRequestData.EntryData entity(Object... words) {
        List<AlterClientQuotasRequestData.EntityData> entity = new ArrayList<>();
        for (int i = 0; i < words.length - 2; i += 2) {
            entity.add(new AlterClientQuotasRequestData.EntityData()
                    .setEntityType((String) words[i])
                    .setEntityName((String) words[i + 1]));
        }
        Double value = (Double) words[words.length - 1];
        return new AlterClientQuotasRequestData.EntryData()
                .setEntity(entity)
                .setOps(List.of(new AlterClientQuotasRequestData.OpData()
                        .setKey((String) words[words.length - 2])
                        .setValue(value == null ? 0 : value)
                        .setRemove(value == null)));
    }

    private static AlterClientQuotasRequestData quotas(List<AlterClientQuotasRequestData.EntryData> entries) {
        return new AlterClientQuotasRequestData().setEntries(entries);
    }

    private static void alter(Conversation talk, String label, List<AlterClientQuotasRequestData.EntryData> entries) {
        talk.ask("quotas: " + label, ApiKeys.ALTER_CLIENT_QUOTAS, (v, s) -> quotas(entries));
    }

    private static DescribeClientQuotasRequestData.ComponentData component(String type, byte match, String name) {
        return new DescribeClientQuotasRequestData.ComponentData()
                .setEntityType(type)
                .setMatchType(match)
                .setMatch(name);
    }

    private static void describe(
            Conversation talk, String label, boolean strict, DescribeClientQuotasRequestData.ComponentData... parts) {
        talk.ask(
                "described quotas: " + label,
                ApiKeys.DESCRIBE_CLIENT_QUOTAS,
                (v, s) -> new DescribeClientQuotasRequestData()
                        .setComponents(List.of(parts))
                        .setStrict(strict));
    }
}
