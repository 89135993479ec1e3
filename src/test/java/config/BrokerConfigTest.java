package config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokerConfigTest {

    private static BrokerConfig config(String... keysAndValues) {
        BrokerConfig.Parsed parsed = parse(keysAndValues);
        assertNotNull(parsed.config(), () -> parsed.problems().toString());
        return parsed.config();
    }

    private static BrokerConfig.Parsed parse(String... keysAndValues) {
        Map<String, String> properties = new TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return BrokerConfig.parse(properties);
    }

    /** The one problem of a configuration, as text. */
    private static String problem(String... keysAndValues) {
        BrokerConfig.Parsed parsed = parse(keysAndValues);
        assertEquals(1, parsed.problems().size(), () -> parsed.problems().toString());
        assertNull(parsed.config());
        return parsed.problems().get(0).toString();
    }

    @Test
    void zeroConfigurationListensOnLoopbackOnly() {
        BrokerConfig config = config();
        assertEquals(1, config.node().nodeId());
        assertEquals(
                List.of(new Listener("PLAINTEXT", "127.0.0.1", 9092, "PLAINTEXT")),
                config.node().listeners());
        assertEquals(
                List.of(new Listener("PLAINTEXT", null, 0, "PLAINTEXT")),
                config.node().advertised());
        assertEquals(List.of("data"), config.storage().logDirs());
        assertEquals("data", config.storage().metadataLogDir());
        assertEquals(LogConfig.defaults(), config.logDefaults());
        assertTrue(config.topics().autoCreate());
    }

    /** The settings of Kafka's shipped file for one node of both roles. */
    @Test
    void startsFromAKraftServerProperties() {
        BrokerConfig.Parsed parsed = parse(
                "process.roles",
                "broker,controller",
                "node.id",
                "1",
                "controller.quorum.bootstrap.servers",
                "localhost:9093",
                "listeners",
                "PLAINTEXT://:9092,CONTROLLER://:9093",
                "inter.broker.listener.name",
                "PLAINTEXT",
                "advertised.listeners",
                "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
                "controller.listener.names",
                "CONTROLLER",
                "listener.security.protocol.map",
                "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL",
                "num.network.threads",
                "3",
                "num.io.threads",
                "4",
                "socket.send.buffer.bytes",
                "102400",
                "socket.receive.buffer.bytes",
                "102400",
                "socket.request.max.bytes",
                "104857600",
                "log.dirs",
                "/tmp/kraft-combined-logs",
                "num.partitions",
                "3",
                "num.recovery.threads.per.data.dir",
                "2",
                "offsets.topic.replication.factor",
                "1",
                "share.coordinator.state.topic.replication.factor",
                "1",
                "share.coordinator.state.topic.min.isr",
                "1",
                "transaction.state.log.replication.factor",
                "1",
                "transaction.state.log.min.isr",
                "1",
                "log.retention.hours",
                "72",
                "log.segment.bytes",
                "1073741824",
                "log.retention.check.interval.ms",
                "300000");
        assertEquals(List.of(), parsed.problems());
        BrokerConfig config = parsed.config();
        assertEquals(
                List.of(new Listener("PLAINTEXT", null, 9092, "PLAINTEXT")),
                config.node().listeners());
        assertEquals(
                List.of(new Listener("PLAINTEXT", "localhost", 9092, "PLAINTEXT")),
                config.node().advertised());
        assertEquals(
                List.of(new Listener("CONTROLLER", null, 9093, "PLAINTEXT")),
                config.node().controllerListeners());
        assertEquals(3, config.topics().partitions());
        assertEquals(72 * 3_600_000L, config.logDefaults().retentionMillis());
        assertEquals(3, parsed.notes().size(), () -> parsed.notes().toString());
        assertTrue(
                parsed.notes().get(0).startsWith("num.io.threads has no effect"),
                parsed.notes().get(0));
    }

    @Test
    void tellsAllProblemsAtOnceWithKeyValueAndWhatIsAllowed() {
        BrokerConfig.Parsed parsed = parse(
                "num.partitions", "0",
                "log.retention.hour", "5",
                "listeners", "PLAINTEXT:9092",
                "log.segment.bytes", "many");
        assertNull(parsed.config());
        String all = parsed.problems().toString();
        assertEquals(4, parsed.problems().size(), all);
        assertTrue(
                all.contains(
                        "num.partitions=0: Invalid value 0 for configuration num.partitions: Value must be at least 1"),
                all);
        assertTrue(all.contains("log.retention.hour=5: unknown key; did you mean log.retention.hours?"), all);
        assertTrue(
                all.contains("listeners=PLAINTEXT:9092: 'PLAINTEXT:9092' is not an address; expected NAME://host:port"),
                all);
        assertTrue(all.contains("log.segment.bytes=many: Invalid value many"), all);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "listeners|SSL://:9092|security protocol SSL of listener SSL is not built yet; allowed: PLAINTEXT",
                "listeners|FOO://:9092|listener FOO has no security protocol; add FOO:PLAINTEXT to listener.security.protocol.map",
                "listeners|PLAINTEXT://:99999|'PLAINTEXT://:99999' is not an address; expected NAME://host:port, for example PLAINTEXT://127.0.0.1:9092 or PLAINTEXT://:9092",
                "advertised.listeners|PLAINTEXT://0.0.0.0:9092|0.0.0.0 is no address that a client can reach; name a host",
                "advertised.listeners|SASL_SSL://a:9092|listener SASL_SSL is not in listeners",
                "ssl.keystore.location|/a|TLS and SASL listeners are not built yet; allowed: the default, with PLAINTEXT listeners",
                "authorizer.class.name|A|authentication and authorization are not built yet; allowed: the default",
                "remote.log.storage.system.enable|true|tiered (remote) storage is not built; allowed: the default",
                "log.cleanup.policy|compress|Invalid value compress for configuration log.cleanup.policy: String must be one of: compact, delete",
                "default.replication.factor|0|allowed: 1 to 32767",
                "zookeeper.connect|a:2181|there is no ZooKeeper; controllers keep the metadata (process.roles, controller.quorum.voters)",
                "listener.name.plaintext.max.connections|5|settings of single listeners are not built yet; set the key without the listener's prefix",
                "segment.bytes|5000000|it is a topic setting; its broker-wide default is log.segment.bytes",
                "metadata.log.dir|/elsewhere|a directory of its own is not built yet; allowed: one of log.dir",
                "broker.id|-7|must be 0 or more",
                "log.max.open.files|0|configuration log.max.open.files: must be -1 or between 16 and 1048576",
                "log.max.open.files|15|must be -1 or between 16 and 1048576",
                "log.max.open.files|-2|must be -1 or between 16 and 1048576",
                "max.connections.per.ip.overrides|a|entry 'a' is not address:limit with a limit of 0 or more",
            })
    void refusesWithAReason(String key, String value, String reason) {
        String told = problem(key, value);
        assertTrue(told.startsWith(key + "=" + value + ": "), told);
        assertTrue(told.contains(reason.startsWith("it is a topic") ? reason.substring(3) : reason), told);
    }

    @Test
    void refusedKeysMayStandWithTheirDefault() {
        config(
                "sasl.mechanism.inter.broker.protocol",
                "GSSAPI",
                "remote.log.storage.system.enable",
                "false",
                "authorizer.class.name",
                "");
    }

    @Test
    void conflictsAreNamed() {
        assertTrue(
                problem("offsets.topic.compression.codec", "5").contains("0 none, 1 gzip"),
                "a codec that does not exist");
        assertTrue(problem("node.id", "1", "broker.id", "2").contains("must be the same as node.id (1)"));
        assertTrue(problem("listeners", "PLAINTEXT://:9092,PLAINTEXT://:9093")
                .contains("listener PLAINTEXT is named twice"));
        assertTrue(
                problem("listeners", "A://:9092,B://:9092", "listener.security.protocol.map", "A:PLAINTEXT,B:PLAINTEXT")
                        .contains("port 9092 is used by two listeners"));
        assertTrue(problem("log.dirs", "a,b,a").contains("a directory is named twice"));
        assertTrue(problem("listeners", "C://:1", "controller.listener.names", "C")
                .contains("no listener is left for clients"));
    }

    @Test
    void secretsAreNotTold() {
        String told = problem("ssl.keystore.password", "tiger");
        assertFalse(told.contains("tiger"), told);
        told = problem("my.secret.thing", "tiger");
        assertFalse(told.contains("tiger"), told);
    }

    @Test
    void ipv6AndSeveralListeners() {
        BrokerConfig config = config(
                "listeners", "PLAINTEXT://[::1]:0, LAN://10.0.0.1:9192",
                "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,LAN:PLAINTEXT",
                "advertised.listeners", "LAN://example.org:9192");
        assertEquals(
                List.of(
                        new Listener("PLAINTEXT", "::1", 0, "PLAINTEXT"),
                        new Listener("LAN", "10.0.0.1", 9192, "PLAINTEXT")),
                config.node().listeners());
        assertEquals(
                List.of(
                        new Listener("PLAINTEXT", null, 0, "PLAINTEXT"),
                        new Listener("LAN", "example.org", 9192, "PLAINTEXT")),
                config.node().advertised());
    }

    @Test
    void strongerTimeUnitWinsAndNegativeMeansNoLimit() {
        assertEquals(
                60_000L,
                config("log.retention.minutes", "1", "log.retention.hours", "9")
                        .logDefaults()
                        .retentionMillis());
        assertEquals(
                5L,
                config("log.retention.ms", "5", "log.retention.minutes", "1")
                        .logDefaults()
                        .retentionMillis());
        assertEquals(-1L, config("log.retention.hours", "-1").logDefaults().retentionMillis());
        assertEquals(7_200_000L, config("log.roll.hours", "2").logDefaults().segmentMillis());
        assertTrue(config("log.flush.interval.messages", "1").logDefaults().durable());
    }

    @Test
    void consumersAreSentToTheirRackByKafkasOwnSelectorOnly() {
        String key = "replica.selector.class";
        assertTrue(config(key, "org.apache.kafka.common.replica.RackAwareReplicaSelector")
                .requests()
                .readByRack());
        assertFalse(config(key, "org.apache.kafka.common.replica.LeaderSelector")
                .requests()
                .readByRack());
        assertFalse(BrokerConfig.parse(Map.of()).config().requests().readByRack());
        assertEquals(
                key,
                BrokerConfig.parse(Map.of(key, "com.example.Nearest"))
                        .problems()
                        .get(0)
                        .key());
    }

    /** R10: each key in force is read by its one owner, and by nobody else ({@link ConfigValues} throws). */
    @Test
    void everyKeyInForceIsRead() {
        Set<String> expected = new TreeSet<>();
        for (ConfigKey key : BrokerKeys.all()) {
            boolean inForce = key.standing() == ConfigKey.Standing.IN_FORCE;
            if (inForce) {
                expected.add(key.name());
            }
            assertEquals(inForce, !key.owner().isEmpty(), key.name());
            assertFalse(key.text().isBlank(), key.name());
        }
        assertEquals(expected, config().keysRead());
    }
}
