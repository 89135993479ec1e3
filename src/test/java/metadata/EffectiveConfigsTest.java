package metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import config.BrokerConfig;
import config.DescribedConfig;
import config.DescribedConfig.Synonym;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage.PartitionImage;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Precedence and sources of settings; the expectations are what kafka-configs --describe --all shows of an Apache Kafka 4.4.0 node in the same state. */
class EffectiveConfigsTest {

    private static final byte TOPIC = 1;
    private static final byte DYNAMIC_BROKER = 2;
    private static final byte DYNAMIC_DEFAULT = 3;
    private static final byte STATIC = 4;
    private static final byte DEFAULT = 5;

    private final BrokerConfig config = BrokerConfig.parse(new TreeMap<>(Map.of(
                    "log.segment.bytes", "2000000",
                    "log.retention.hours", "2",
                    "num.partitions", "3")))
            .config();
    private final EffectiveConfigs configs = new EffectiveConfigs(config);
    private MetadataImage image = MetadataImage.empty("c");

    private void set(ConfigTarget target, String key, String value) {
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(MetadataRecords.config(target, key, value), image.version());
        image = delta.image(image.version() + 1);
    }

    private void makeTopic() {
        Uuid id = new Uuid(3, 3);
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(MetadataRecords.topic("t", id), 0);
        delta.apply(
                MetadataRecords.partition(
                        id, new PartitionImage(0, 1, 0, 0, List.of(1), List.of(1), List.of(DirectoryId.UNASSIGNED))),
                1);
        image = delta.image(2);
    }

    private DescribedConfig entry(ConfigTarget target, String key) {
        return configs.describe(image, target).stream()
                .filter(each -> each.name().equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void internalKeysAreShownWhenSet() {
        String key = "producer.id.expiration.check.interval.ms";
        ConfigTarget broker = ConfigTarget.broker(1);
        List<String> shown = configs.describe(image, broker).stream()
                .map(DescribedConfig::name)
                .toList();
        assertFalse(shown.contains(key));
        assertTrue(shown.contains("producer.id.expiration.ms"));
        EffectiveConfigs set = new EffectiveConfigs(
                BrokerConfig.parse(new TreeMap<>(Map.of(key, "5000"))).config());
        DescribedConfig entry = set.describe(image, broker).stream()
                .filter(each -> each.name().equals(key))
                .findFirst()
                .orElseThrow();
        assertEquals("5000", entry.value());
        assertEquals(STATIC, entry.source());
    }

    private long retention() {
        return configs.logConfig(image, image.topic("t")).retentionMillis();
    }

    @Test
    void strongestSourceWinsAndGivesWay() {
        makeTopic();
        assertEquals(7_200_000, retention());
        set(ConfigTarget.broker(-1), "log.retention.ms", "300");
        assertEquals(300, retention());
        set(ConfigTarget.broker(1), "log.retention.ms", "200");
        assertEquals(200, retention());
        set(ConfigTarget.topic("t"), "retention.ms", "100");
        assertEquals(100, retention());
        DescribedConfig all = entry(ConfigTarget.topic("t"), "retention.ms");
        assertEquals("100", all.value());
        assertEquals(TOPIC, all.source());
        assertEquals(
                List.of(
                        new Synonym("retention.ms", "100", TOPIC),
                        new Synonym("log.retention.ms", "200", DYNAMIC_BROKER),
                        new Synonym("log.retention.ms", "300", DYNAMIC_DEFAULT),
                        new Synonym("log.retention.hours", "2", STATIC),
                        new Synonym("log.retention.hours", "168", DEFAULT)),
                all.synonyms());
        set(ConfigTarget.topic("t"), "retention.ms", null);
        set(ConfigTarget.broker(1), "log.retention.ms", null);
        assertEquals(300, retention());
        set(ConfigTarget.broker(-1), "log.retention.ms", null);
        assertEquals(7_200_000, retention());
    }

    @Test
    void topicsWithoutOwnSettingsShareOneConfig() {
        makeTopic();
        assertSame(config.logDefaults(), configs.logConfig(image, image.topic("t")));
    }

    @Test
    void aTopicIsDescribedAsByKafka() {
        makeTopic();
        ConfigTarget topic = ConfigTarget.topic("t");
        assertEquals(38, configs.describe(image, topic).size());
        DescribedConfig segment = entry(topic, "segment.bytes");
        assertEquals("2000000", segment.value());
        assertEquals(
                List.of(
                        new Synonym("log.segment.bytes", "2000000", STATIC),
                        new Synonym("log.segment.bytes", "1073741824", DEFAULT)),
                segment.synonyms());
        DescribedConfig flush = entry(topic, "flush.ms");
        assertEquals("9223372036854775807", flush.value());
        assertEquals(List.of(), flush.synonyms());
        assertEquals(DEFAULT, flush.source());
        DescribedConfig throttle = entry(topic, "leader.replication.throttled.replicas");
        assertEquals("", throttle.value());
        assertEquals(7, throttle.type());
    }

    @Test
    void theBrokerIsDescribedAsByKafka() {
        ConfigTarget broker = ConfigTarget.broker(1);
        DescribedConfig partitions = entry(broker, "num.partitions");
        assertEquals("3", partitions.value());
        assertEquals(STATIC, partitions.source());
        assertTrue(partitions.readOnly());
        assertEquals(
                List.of(new Synonym("num.partitions", "3", STATIC), new Synonym("num.partitions", "1", DEFAULT)),
                partitions.synonyms());
        assertNull(entry(broker, "log.retention.ms").value());
        assertEquals(false, entry(broker, "log.retention.ms").readOnly());
        DescribedConfig secret = entry(broker, "ssl.key.password");
        assertTrue(secret.sensitive());
        assertNull(secret.value());
    }

    @Test
    void otherResourcesHaveWhatWasSet() {
        ConfigTarget all = ConfigTarget.broker(-1);
        ConfigTarget group = new ConfigTarget(ConfigTarget.GROUP, "g");
        set(all, "log.retention.ms", "5");
        set(group, "consumer.session.timeout.ms", "50000");
        assertEquals(1, configs.describe(image, all).size());
        assertEquals(DYNAMIC_DEFAULT, entry(all, "log.retention.ms").source());
        assertEquals(8, entry(group, "consumer.session.timeout.ms").source());
        ConfigTarget unset = new ConfigTarget(ConfigTarget.CLIENT_METRICS, "x");
        assertEquals("300000", entry(unset, "interval.ms").value());
        assertEquals(DEFAULT, entry(unset, "interval.ms").source());
    }
}
