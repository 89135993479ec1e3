package compat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/** What is asked about configs: of topics, brokers, client metrics and groups, well and wrongly. */
final class ConfigQuestions {
    static final byte TOPIC = 2;
    static final byte BROKER = 4;
    static final byte BROKER_LOGGER = 8;
    static final byte CLIENT_METRICS = 16;
    static final byte GROUP = 32;
    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;
    private static final byte SUBTRACT = 3;

    private ConfigQuestions() {}

    static void ask(Conversation talk) {
        talk.askLatest(
                "create a topic to configure",
                ApiKeys.CREATE_TOPICS,
                AdminQuestions.topics(
                        AdminQuestions.configured("conf", "retention.ms", "12345", "cleanup.policy", "delete"),
                        AdminQuestions.topic("plain", 1, 1)));
        describeTopics(talk);
        describeOthers(talk);
        alterTopics(talk);
        alterBroker(talk);
        alterOthers(talk);
        alterLegacy(talk);
        list(talk);
    }

    private static void describeTopics(Conversation talk) {
        ApiKeys key = ApiKeys.DESCRIBE_CONFIGS;
        talk.ask("describe a topic", key, (v, s) -> describe(TOPIC, "conf"));
        talk.ask(
                "describe with synonyms", key, (v, s) -> describe(TOPIC, "conf").setIncludeSynonyms(true));
        talk.ask(
                "describe with documentation",
                key,
                (v, s) -> describe(TOPIC, "conf").setIncludeDocumentation(v >= 3));
        talk.ask(
                "describe some keys",
                key,
                (v, s) -> describe(TOPIC, "conf", "retention.ms", "no.such.key", "segment.ms"));
        talk.askLatest("describe an unknown topic", key, describe(TOPIC, "nobody"));
        talk.askLatest("describe a bad topic", key, describe(TOPIC, "b@d"));
        talk.askLatest("describe no topic", key, describe(TOPIC, ""));
        DescribeConfigsRequestData two = describe(TOPIC, "conf", "retention.ms");
        two.resources().add(describe(TOPIC, "plain", "retention.ms").resources().get(0));
        two.resources().add(describe(TOPIC, "conf", "retention.ms").resources().get(0));
        talk.askLatest("describe several", key, two);
        DescribeConfigsRequestData none = describe(TOPIC, "plain");
        none.resources().get(0).setConfigurationKeys(List.of());
        talk.askLatest("describe an empty list of keys", key, none);
    }

    private static void describeOthers(Conversation talk) {
        ApiKeys key = ApiKeys.DESCRIBE_CONFIGS;
        talk.ask("describe some of a broker", key, (v, s) -> describe(BROKER, "1", brokerKeys()));
        talk.ask(
                "describe some of a broker with synonyms",
                key,
                (v, s) -> describe(BROKER, "1", brokerKeys()).setIncludeSynonyms(true));
        talk.askLatest("describe the default broker", key, describe(BROKER, "").setIncludeSynonyms(true));
        talk.askLatest("describe another broker", key, describe(BROKER, "7"));
        talk.askLatest("describe a broker named by a word", key, describe(BROKER, "one"));
        talk.askLatest("describe loggers of no broker", key, describe(BROKER_LOGGER, ""));
        talk.askLatest("describe loggers of another broker", key, describe(BROKER_LOGGER, "7"));
        talk.askLatest(
                "describe client metrics", key, describe(CLIENT_METRICS, "sub").setIncludeSynonyms(true));
        talk.askLatest("describe no client metrics", key, describe(CLIENT_METRICS, ""));
        talk.askLatest("describe a group", key, describe(GROUP, "g").setIncludeSynonyms(true));
        talk.askLatest("describe no group", key, describe(GROUP, ""));
        talk.askLatest("describe an unknown type", key, describe((byte) 3, "x"));
        talk.askLatest("describe nothing", key, new DescribeConfigsRequestData());
    }

    private static String[] brokerKeys() {
        return new String[] {
            "log.retention.ms",
            "log.retention.hours",
            "log.segment.bytes",
            "num.partitions",
            "auto.create.topics.enable",
            "message.max.bytes",
            "compression.type",
            "log.cleanup.policy",
            "log.flush.interval.messages",
            "delete.topic.enable"
        };
    }

    private static void alterTopics(Conversation talk) {
        alter(talk, "set", TOPIC, "conf", SET, "retention.ms", "777");
        alter(talk, "set the same", TOPIC, "conf", SET, "retention.ms", "777");
        alter(talk, "append", TOPIC, "conf", APPEND, "cleanup.policy", "delete");
        alter(talk, "subtract", TOPIC, "plain", SUBTRACT, "cleanup.policy", "compact");
        alter(talk, "append to a number", TOPIC, "conf", APPEND, "retention.ms", "1");
        alter(talk, "subtract from a number", TOPIC, "conf", SUBTRACT, "retention.ms", "1");
        alter(talk, "delete", TOPIC, "conf", DELETE, "retention.ms", null);
        alter(talk, "delete what is not set", TOPIC, "conf", DELETE, "segment.ms", null);
        alter(talk, "delete unknown", TOPIC, "conf", DELETE, "no.such.key", null);
        alter(talk, "set unknown", TOPIC, "conf", SET, "no.such.key", "1");
        alter(talk, "set badly", TOPIC, "conf", SET, "retention.ms", "soon");
        alter(talk, "set null", TOPIC, "conf", SET, "retention.ms", null);
        alter(talk, "unknown operation", TOPIC, "conf", (byte) 9, "retention.ms", "1");
        alter(talk, "of unknown topic", TOPIC, "nobody", SET, "retention.ms", "1");
        alter(talk, "of no topic", TOPIC, "", SET, "retention.ms", "1");
        alter(talk, "of bad topic", TOPIC, "b@d", SET, "retention.ms", "1");
        alter(talk, "inconsistent", TOPIC, "conf", SET, "max.compaction.lag.ms", "1", "min.compaction.lag.ms", "2");
        alter(talk, "same key twice", TOPIC, "conf", SET, "retention.ms", "1", "retention.ms", "2");
        alter(talk, "good and bad key", TOPIC, "conf", SET, "retention.ms", "9", "segment.ms", "x");
        alter(talk, "no config", TOPIC, "conf", SET);
        IncrementalAlterConfigsRequestData validate = incremental(TOPIC, "conf", SET, "retention.ms", "5");
        talk.askLatest("alter: only validate", ApiKeys.INCREMENTAL_ALTER_CONFIGS, validate.setValidateOnly(true));
        IncrementalAlterConfigsRequestData several = incremental(TOPIC, "conf", SET, "retention.ms", "99");
        several.resources()
                .add(incremental(TOPIC, "nobody", SET, "retention.ms", "1")
                        .resources()
                        .iterator()
                        .next()
                        .duplicate());
        several.resources()
                .add(incremental(TOPIC, "plain", SET, "retention.ms", "98")
                        .resources()
                        .iterator()
                        .next()
                        .duplicate());
        talk.askLatest("alter: several", ApiKeys.INCREMENTAL_ALTER_CONFIGS, several);
        described(talk, "after altering", TOPIC, "conf", "plain");
    }

    private static void alterBroker(Conversation talk) {
        alter(talk, "broker", BROKER, "1", SET, "log.retention.ms", "86400000");
        alter(talk, "default broker", BROKER, "", SET, "log.retention.ms", "86500000");
        alter(talk, "default broker max bytes", BROKER, "", SET, "message.max.bytes", "2000000");
        alter(talk, "read-only of a broker", BROKER, "1", SET, "node.id", "3");
        alter(talk, "read-only default", BROKER, "", SET, "log.dirs", "x");
        alter(talk, "unknown key of a broker", BROKER, "1", SET, "no.such.key", "3");
        alter(talk, "bad value of a broker", BROKER, "1", SET, "log.retention.ms", "soon");
        alter(talk, "min ISR of a broker", BROKER, "1", SET, "min.insync.replicas", "2");
        alter(talk, "min ISR of a broker back", BROKER, "1", DELETE, "min.insync.replicas", null);
        alter(talk, "min ISR of all back", BROKER, "", DELETE, "min.insync.replicas", null);
        alter(talk, "min ISR of all badly", BROKER, "", SET, "min.insync.replicas", "0");
        alter(talk, "min ISR of all", BROKER, "", SET, "min.insync.replicas", "2");
        alter(talk, "another broker", BROKER, "7", SET, "log.retention.ms", "1");
        alter(talk, "a broker named by a word", BROKER, "one", SET, "log.retention.ms", "1");
        talk.askLatest(
                "broker after altering",
                ApiKeys.DESCRIBE_CONFIGS,
                describe(BROKER, "1", "log.retention.ms", "message.max.bytes").setIncludeSynonyms(true));
        talk.askLatest(
                "default broker after altering",
                ApiKeys.DESCRIBE_CONFIGS,
                describe(BROKER, "").setIncludeSynonyms(true));
        talk.askLatest(
                "topic after altering the broker",
                ApiKeys.DESCRIBE_CONFIGS,
                describe(TOPIC, "plain", "segment.ms", "retention.ms", "max.message.bytes", "min.insync.replicas")
                        .setIncludeSynonyms(true));
        alter(talk, "min ISR of all again", BROKER, "", SET, "min.insync.replicas", "1");
        alter(talk, "broker back", BROKER, "1", DELETE, "log.retention.ms", null);
        alter(talk, "default broker back", BROKER, "", DELETE, "log.retention.ms", null, "message.max.bytes", null);
        talk.askLatest(
                "default broker at last",
                ApiKeys.DESCRIBE_CONFIGS,
                describe(BROKER, "").setIncludeSynonyms(true));
    }

    private static void alterOthers(Conversation talk) {
        alter(talk, "client metrics", CLIENT_METRICS, "sub", SET, "interval.ms", "1000", "metrics", "a.b,c.d");
        alter(talk, "client metrics match", CLIENT_METRICS, "sub", SET, "match", "client_id=x.*");
        alter(talk, "client metrics unknown", CLIENT_METRICS, "sub", SET, "no.such.key", "1");
        alter(talk, "client metrics too often", CLIENT_METRICS, "sub", SET, "interval.ms", "1");
        alter(talk, "client metrics bad match", CLIENT_METRICS, "sub", SET, "match", "who=x");
        alter(talk, "client metrics without name", CLIENT_METRICS, "", SET, "interval.ms", "1000");
        alter(talk, "group", GROUP, "g", SET, "consumer.session.timeout.ms", "50000");
        alter(talk, "group out of range", GROUP, "g", SET, "consumer.session.timeout.ms", "1");
        alter(talk, "group unknown", GROUP, "g", SET, "no.such.key", "1");
        alter(talk, "group without name", GROUP, "", SET, "consumer.session.timeout.ms", "50000");
        alter(talk, "unknown type", (byte) 3, "x", SET, "a", "1");
        alter(talk, "unknown logger", BROKER_LOGGER, "1", SET, "no.such.logger", "NO_LEVEL");
        described(talk, "client metrics after altering", CLIENT_METRICS, "sub");
        talk.askLatest(
                "group after altering",
                ApiKeys.DESCRIBE_CONFIGS,
                describe(GROUP, "g").setIncludeSynonyms(true));
    }

    private static void alterLegacy(Conversation talk) {
        ApiKeys key = ApiKeys.ALTER_CONFIGS;
        talk.ask("replace", key, (v, s) -> replacement(TOPIC, "conf", "segment.ms", "30000"));
        described(talk, "after replacing", TOPIC, "conf");
        talk.askLatest("replace unknown", key, replacement(TOPIC, "conf", "no.such.key", "1"));
        talk.askLatest("replace badly", key, replacement(TOPIC, "conf", "segment.ms", "soon"));
        talk.askLatest("replace null", key, replacement(TOPIC, "conf", "segment.ms", null));
        talk.askLatest("replace of nobody", key, replacement(TOPIC, "nobody", "segment.ms", "1"));
        talk.askLatest("replace of a broker logger", key, replacement(BROKER_LOGGER, "1", "x", "INFO"));
        talk.askLatest(
                "replace: validate",
                key,
                replacement(TOPIC, "conf", "segment.ms", "4").setValidateOnly(true));
        talk.askLatest("replace by nothing", key, replacement(TOPIC, "conf"));
        talk.askLatest("replace those of all brokers", key, replacement(BROKER, "", "log.retention.ms", "86600000"));
        described(talk, "all brokers after replacing", BROKER, "");
        talk.askLatest("replace those of all brokers by nothing", key, replacement(BROKER, ""));
        described(talk, "all brokers at last", BROKER, "");
        described(talk, "at last", TOPIC, "conf");
    }

    private static void list(Conversation talk) {
        ApiKeys key = ApiKeys.LIST_CONFIG_RESOURCES;
        talk.ask("list", key, (v, s) -> new ListConfigResourcesRequestData());
        for (byte type : new byte[] {0, TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP, 3}) {
            talk.askLatest("list " + type, key, new ListConfigResourcesRequestData().setResourceTypes(List.of(type)));
        }
        talk.askLatest(
                "list two", key, new ListConfigResourcesRequestData().setResourceTypes(List.of(CLIENT_METRICS, GROUP)));
    }

    private static void described(Conversation talk, String label, byte type, String... names) {
        DescribeConfigsRequestData request = new DescribeConfigsRequestData().setIncludeSynonyms(true);
        for (String name : names) {
            request.resources().add(describe(type, name).resources().get(0));
        }
        talk.askLatest(label, ApiKeys.DESCRIBE_CONFIGS, request);
    }

    private static void alter(
            Conversation talk, String label, byte type, String name, byte operation, String... keysAndValues) {
        talk.ask(
                "alter: " + label,
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                (v, s) -> incremental(type, name, operation, keysAndValues));
    }

    static DescribeConfigsRequestData describe(byte type, String name, String... keys) {
        DescribeConfigsResource resource = new DescribeConfigsResource()
                .setResourceType(type)
                .setResourceName(name)
                .setConfigurationKeys(keys.length == 0 ? null : List.of(keys));
        return new DescribeConfigsRequestData().setResources(new ArrayList<>(List.of(resource)));
    }

    private static IncrementalAlterConfigsRequestData incremental(
            byte type, String name, byte operation, String... keysAndValues) {
        AlterConfigsResource resource =
                new AlterConfigsResource().setResourceType(type).setResourceName(name);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            resource.configs()
                    .add(new AlterableConfig()
                            .setName(keysAndValues[i])
                            .setValue(keysAndValues[i + 1])
                            .setConfigOperation(operation));
        }
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        request.resources().add(resource);
        return request;
    }

    private static AlterConfigsRequestData replacement(byte type, String name, String... keysAndValues) {
        AlterConfigsRequestData.AlterConfigsResource resource = new AlterConfigsRequestData.AlterConfigsResource()
                .setResourceType(type)
                .setResourceName(name);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            resource.configs()
                    .add(new AlterConfigsRequestData.AlterableConfig()
                            .setName(keysAndValues[i])
                            .setValue(keysAndValues[i + 1]));
        }
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        request.resources().add(resource);
        return request;
    }
}
