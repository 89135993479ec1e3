package config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.server.config.DynamicBrokerConfig;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.junit.jupiter.api.Test;

/** Apache Kafka 4.4.0 itself judges the table: same keys, types, defaults, bounds, and words for wrong values. */
class KafkaKeysTest {

    /** Keys that Kafka does not have. */
    private static final Set<String> OURS = new TreeSet<>(List.of(
            "record.validation",
            "connection.max.inflight.requests",
            "connection.login.timeout.ms",
            "log.dir.reserve.bytes",
            "log.dir.scrub.bytes.per.second",
            "log.max.open.files",
            "cluster.id",
            "cluster.hints.enable",
            "cluster.hints.port.offset"));

    /** Kafka keeps these apart from its other broker keys: they exist at run time only. */
    private static final Set<String> DYNAMIC_ONLY = new TreeSet<>(List.of(
            "leader.replication.throttled.rate",
            "follower.replication.throttled.rate",
            "replica.alter.log.dirs.io.max.bytes.per.second"));

    /** Zero configuration works here, and sockets are sized by the system, so these have defaults of our own. */
    private static final Set<String> OWN_DEFAULT = new TreeSet<>(List.of(
            "process.roles",
            "node.id",
            "listeners",
            "broker.session.timeout.ms",
            "controller.quorum.fetch.timeout.ms",
            "replica.socket.timeout.ms",
            "log.dir",
            "controller.listener.names",
            "socket.send.buffer.bytes",
            "socket.receive.buffer.bytes"));

    private static Map<String, ConfigDef.ConfigKey> kafkaTopicKeys() {
        return org.apache.kafka.storage.internals.log.LogConfig.configDefCopy().configKeys();
    }

    @Test
    void brokerKeysAreKafkas() {
        Map<String, ConfigDef.ConfigKey> kafka =
                new TreeMap<>(KafkaConfig.configDef().configKeys());
        Set<String> expected = new TreeSet<>(kafka.keySet());
        expected.addAll(OURS);
        expected.addAll(DYNAMIC_ONLY);
        Set<String> actual = new TreeSet<>();
        for (ConfigKey key : BrokerKeys.all()) {
            if (!key.text().contains("Kafka 4 has no such key")) {
                actual.add(key.name());
            }
        }
        assertEquals(expected, actual);
        List<String> differences = new ArrayList<>();
        kafka.forEach((name, key) -> compare(key, BrokerKeys.get(name), differences));
        assertEquals(List.of(), differences);
    }

    /** Kafka's DescribeConfigs shows of a broker what is not internal, and what was set. */
    @Test
    void unsetBrokerKeysAreHiddenAsInKafka() {
        Set<String> shown = new TreeSet<>(new KafkaConfig(Map.of(
                        "process.roles", "broker,controller",
                        "node.id", "1",
                        "controller.quorum.voters", "1@localhost:9093",
                        "controller.listener.names", "CONTROLLER",
                        "listeners", "PLAINTEXT://:9092,CONTROLLER://:9093"))
                .nonInternalValues()
                .keySet());
        shown.addAll(OURS);
        Set<String> ours = new TreeSet<>();
        BrokerKeys.all().forEach(key -> ours.add(key.name()));
        ours.removeIf(BrokerKeys::isHiddenUnset);
        assertEquals(shown, ours);
    }

    @Test
    void topicKeysAreKafkas() {
        Map<String, ConfigDef.ConfigKey> kafka = kafkaTopicKeys();
        Set<String> expected = new TreeSet<>(kafka.keySet());
        expected.add("record.validation");
        Set<String> actual = new TreeSet<>();
        TopicKeys.all().forEach(key -> actual.add(key.name()));
        assertEquals(expected, actual);
        List<String> differences = new ArrayList<>();
        kafka.forEach((name, key) -> compare(key, TopicKeys.get(name), differences));
        assertEquals(List.of(), differences);
    }

    @Test
    void groupAndClientMetricsKeysAreKafkas() throws ReflectiveOperationException {
        Map<String, ConfigDef.ConfigKey> groups = new TreeMap<>();
        for (Field field : GroupConfig.class.getDeclaredFields()) {
            if (field.getType() == ConfigDef.class) {
                field.setAccessible(true);
                groups.putAll(((ConfigDef) field.get(null)).configKeys());
            }
        }
        List<String> differences = new ArrayList<>();
        assertEquals(new TreeSet<>(groups.keySet()), ResourceKeys.groupKeys().keySet());
        groups.forEach((name, key) -> compare(key, ResourceKeys.group(name), differences));
        Map<String, ConfigDef.ConfigKey> metrics =
                ClientMetricsConfigs.configDef().configKeys();
        assertEquals(
                new TreeSet<>(metrics.keySet()),
                ResourceKeys.clientMetricsKeys().keySet());
        metrics.forEach((name, key) -> compare(key, ResourceKeys.clientMetrics(name), differences));
        assertEquals(List.of(), differences);
    }

    private static void compare(ConfigDef.ConfigKey kafka, ConfigKey ours, List<String> differences) {
        String type = kafka.type.name().toLowerCase(java.util.Locale.ROOT);
        if (!type.equals(ours.typeName())) {
            differences.add(kafka.name + " has type " + type + ", ours " + ours.typeName());
        }
        String usual = kafka.hasDefault() ? ConfigDef.convertToString(kafka.defaultValue, kafka.type) : null;
        String mine = ours.defaultText();
        if (!OWN_DEFAULT.contains(kafka.name) && !java.util.Objects.equals(usual, mine)) {
            differences.add(kafka.name + " has default " + usual + ", ours " + mine);
        }
    }

    @Test
    void sameVerdictAndWordsOnRandomValues() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<String> differences = new ArrayList<>();
        Map<String, ConfigDef.ConfigKey> broker = KafkaConfig.configDef().configKeys();
        new TreeMap<>(broker).forEach((name, key) -> judge(key, BrokerKeys.get(name), random, differences));
        new TreeMap<>(kafkaTopicKeys()).forEach((name, key) -> judge(key, TopicKeys.get(name), random, differences));
        assertEquals(List.of(), differences, "seed " + seed);
    }

    /** Bounds that we leave to a key's own reason (all but the default is refused) or check elsewhere with better words. */
    private static final Set<String> OTHER_BOUNDS = new TreeSet<>(List.of(
            "log.cleaner.io.max.bytes.per.second",
            // Kafka takes any number, and ends in an OutOfMemoryError.
            "num.network.threads"));

    private static void judge(ConfigDef.ConfigKey kafka, ConfigKey ours, Random random, List<String> differences) {
        if (kafka.type == ConfigDef.Type.CLASS || OTHER_BOUNDS.contains(kafka.name)) {
            return;
        }
        for (int i = 0; i < 40; i++) {
            String raw = value(kafka, random);
            String verdict = null;
            try {
                Object value = ConfigDef.parseType(kafka.name, raw, kafka.type);
                if (kafka.validator != null) {
                    kafka.validator.ensureValid(kafka.name, value);
                }
            } catch (ConfigException e) {
                verdict = e.getMessage();
            }
            boolean emptyText = raw.isBlank() && verdict != null && verdict.contains("must be non-empty");
            boolean listRule = kafka.type == ConfigDef.Type.LIST && verdict != null;
            if (!emptyText && !listRule && !java.util.Objects.equals(verdict, ours.problem(raw))) {
                differences.add(kafka.name + "=" + raw + ": Kafka " + verdict + ", ours " + ours.problem(raw));
            }
        }
    }

    private static String value(ConfigDef.ConfigKey key, Random random) {
        List<String> odd = List.of(
                "",
                " ",
                "x",
                "-1",
                "0",
                "1",
                "2",
                "9",
                "-2",
                "true",
                "FALSE",
                "1.5",
                "compact",
                "zstd,",
                "2147483648",
                "9223372036854775808",
                "header",
                "producer",
                "LogAppendTime",
                "1e3",
                " 7 ",
                "-131073",
                "23");
        if (random.nextInt(3) == 0) {
            return odd.get(random.nextInt(odd.size()));
        }
        return switch (key.type) {
            case INT, SHORT -> Integer.toString(random.nextInt() >> random.nextInt(32));
            case LONG -> Long.toString(random.nextLong() >> random.nextInt(64));
            case DOUBLE -> Double.toString(random.nextGaussian());
            case BOOLEAN -> Boolean.toString(random.nextBoolean());
            default -> odd.get(random.nextInt(odd.size()));
        };
    }

    @Test
    void synonymsAreKafkas() {
        for (Map.Entry<String, List<ConfigSynonym>> entry :
                new TreeMap<>(ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS).entrySet()) {
            List<String> kafka =
                    entry.getValue().stream().map(ConfigSynonym::name).toList();
            List<String> ours = TopicKeys.synonyms(entry.getKey()).stream()
                    .map(TopicKeys.Synonym::brokerKey)
                    .toList();
            assertEquals(kafka, ours, entry.getKey());
            for (ConfigSynonym synonym : entry.getValue()) {
                long factor = TopicKeys.synonyms(entry.getKey()).stream()
                        .filter(each -> each.brokerKey().equals(synonym.name()))
                        .findFirst()
                        .orElseThrow()
                        .factor();
                if (factor > 0) {
                    assertEquals(Long.toString(7 * factor), synonym.converter().apply("7"), synonym.name());
                }
            }
        }
    }

    @Test
    void whatMayChangeAtRunTimeMayInKafkaToo() {
        Map<String, String> modes = DynamicBrokerConfig.dynamicConfigUpdateModes();
        for (ConfigKey key : BrokerKeys.all()) {
            boolean ours = OURS.contains(key.name());
            String mode = modes.get(key.name());
            switch (key.update()) {
                case CLUSTER_WIDE -> assertTrue(ours || "cluster-wide".equals(mode), key.name());
                case PER_BROKER -> assertEquals("per-broker", mode, key.name());
                case READ_ONLY -> assertTrue(mode == null || READ_AT_START.contains(key.name()), key.name());
            }
        }
        for (String name : READ_AT_START) {
            assertNotNull(modes.get(name), name);
        }
    }

    /** Kafka changes these while it runs, we at the next start: sockets, loops and identities are made once. */
    private static final Set<String> READ_AT_START = new TreeSet<>(List.of(
            "listeners",
            "listener.security.protocol.map",
            "num.network.threads",
            "max.connections",
            "max.connections.per.ip",
            "max.connections.per.ip.overrides",
            "max.connection.creation.rate",
            "num.recovery.threads.per.data.dir"));
}
