package config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kafka.server.KafkaConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Roles, the listeners of controllers, and the quorum; Apache Kafka 4.4.0 says which properties a user may bring. */
class QuorumConfigTest {
    private static final String COMBINED =
            "process.roles=broker,controller node.id=1 controller.listener.names=CONTROLLER"
                    + " listeners=PLAINTEXT://:9092,CONTROLLER://:9093"
                    + " listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT";
    private static final String BROKER = "process.roles=broker node.id=4 controller.listener.names=CONTROLLER"
            + " listeners=PLAINTEXT://:9092 advertised.listeners=PLAINTEXT://b4:9092"
            + " listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT";
    private static final String CONTROLLER =
            "process.roles=controller node.id=1 controller.listener.names=CONTROLLER listeners=CONTROLLER://c1:9093"
                    + " listener.security.protocol.map=CONTROLLER:PLAINTEXT";
    private static final String THREE = " controller.quorum.voters=1@c1:9093,2@c2:9093,3@c3:9093";
    private static final String FOUND = " controller.quorum.bootstrap.servers=c1:9093,c2:9093,c3:9093";

    private static Map<String, String> properties(String text) {
        Map<String, String> properties = new TreeMap<>();
        for (String each : text.split(" ", -1)) {
            int equals = each.indexOf('=');
            properties.put(each.substring(0, equals), each.substring(equals + 1));
        }
        return properties;
    }

    private static BrokerConfig config(String text) {
        BrokerConfig.Parsed parsed = BrokerConfig.parse(properties(text));
        assertNotNull(parsed.config(), () -> parsed.problems().toString());
        return parsed.config();
    }

    private static String problem(String text) {
        BrokerConfig.Parsed parsed = BrokerConfig.parse(properties(text));
        assertNull(parsed.config(), text);
        assertEquals(1, parsed.problems().size(), () -> parsed.problems().toString());
        return parsed.problems().get(0).toString();
    }

    /** What Kafka starts with, Highwater does. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                COMBINED + THREE,
                COMBINED + FOUND,
                COMBINED + " controller.quorum.bootstrap.servers=localhost:9093",
                COMBINED + " controller.quorum.voters=1@localhost:9093",
                COMBINED + THREE + FOUND,
                COMBINED + " inter.broker.listener.name=PLAINTEXT advertised.listeners=PLAINTEXT://a:1,CONTROLLER://b:2"
                        + THREE,
                BROKER + THREE,
                BROKER + FOUND,
                CONTROLLER + THREE,
                CONTROLLER + FOUND,
                CONTROLLER + FOUND + " controller.quorum.auto.join.enable=true",
            })
    void takesWhatKafkaTakes(String text) {
        new KafkaConfig(properties(text));
        config(text);
    }

    @Test
    void aNodeWithoutSettingsIsAQuorumOfItsOwn() {
        BrokerConfig config = BrokerConfig.parse(Map.of()).config();
        assertTrue(config.node().broker() && config.node().controller());
        assertTrue(config.quorum().alone());
        assertNull(config.quorum().clusterId());
        assertEquals("PLAINTEXT", config.node().interBroker());
        assertEquals(List.of(), config.node().controllerListeners());
        assertEquals(
                new QuorumConfig.Timeouts(1_000, 1_000, 1_000, 2_000, 20),
                config.quorum().timeouts());
    }

    @Test
    void votersAreRead() {
        BrokerConfig config = config(COMBINED + THREE + " cluster.id=abc-DEF_123");
        assertEquals(
                List.of(
                        new QuorumConfig.Voter(1, "c1", 9093),
                        new QuorumConfig.Voter(2, "c2", 9093),
                        new QuorumConfig.Voter(3, "c3", 9093)),
                config.quorum().voters());
        assertFalse(config.quorum().alone());
        assertEquals("abc-DEF_123", config.quorum().clusterId());
        assertEquals(
                List.of(new QuorumConfig.Voter(1, "::1", 9093)),
                config(COMBINED + " controller.quorum.voters=1@[::1]:9093")
                        .quorum()
                        .voters());
    }

    @Test
    void rolesAreRead() {
        NodeConfig broker = config(BROKER + THREE).node();
        assertTrue(broker.broker() && !broker.controller());
        assertEquals(List.of("CONTROLLER"), broker.controllerNames());
        NodeConfig controller = config(CONTROLLER + THREE).node();
        assertTrue(controller.controller() && !controller.broker());
        assertEquals(List.of(), controller.listeners());
        assertNull(controller.interBroker());
        assertEquals(List.of(new Listener("CONTROLLER", "c1", 9093, "PLAINTEXT")), controller.controllerListeners());
    }

    /** Wrongly taken for alone, a node would found a second quorum; wrongly for one of several, it waits and says so. */
    @ParameterizedTest
    @CsvSource({
        "localhost:9093, true",
        "127.0.0.1:9093, true",
        "localhost:9094, false",
        "a:9093, false",
        "'localhost:9093,a:9093', false",
    })
    void aloneWhenNobodyElseIsNamed(String servers, boolean alone) {
        assertEquals(
                alone,
                config(COMBINED + " controller.quorum.bootstrap.servers=" + servers)
                        .quorum()
                        .alone());
    }

    @Test
    void aloneByTheAdvertisedAddress() {
        String told = COMBINED + " advertised.listeners=PLAINTEXT://a:9092,CONTROLLER://a:9193";
        assertTrue(config(told + " controller.quorum.bootstrap.servers=a:9193")
                .quorum()
                .alone());
        assertFalse(config(told + " controller.quorum.bootstrap.servers=b:9193")
                .quorum()
                .alone());
        String bound = CONTROLLER + " controller.quorum.bootstrap.servers=";
        assertTrue(config(bound + "c1:9093").quorum().alone());
        assertFalse(config(bound + "localhost:9093").quorum().alone(), "it does not listen there");
        assertFalse(config(BROKER + " controller.quorum.bootstrap.servers=localhost:9093")
                .quorum()
                .alone());
    }

    @Test
    void theInterBrokerListenerIsChosen() {
        String two = " listeners=A://:1,B://:2,CONTROLLER://:3 controller.listener.names=CONTROLLER"
                + " listener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT,CONTROLLER:PLAINTEXT";
        assertEquals("A", config("node.id=1" + two).node().interBroker());
        assertEquals("B", config("inter.broker.listener.name=b" + two).node().interBroker());
    }

    /** Where two refuse, ours say what is allowed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "controller.quorum.voters=localhost:9093|'localhost:9093' is no voter: expected id@host:port",
                "controller.quorum.voters=1@a:0|'1@a:0' is no voter",
                "controller.quorum.voters=1@a:9093,1@b:9093|node 1 is named twice",
                "controller.quorum.voters=2@a:9093|this controller (node.id=1) is not among the voters; add 1@host:port",
                "controller.quorum.bootstrap.servers=a|'a' is not an address: expected host:port",
                "controller.quorum.bootstrap.servers=a:70000|'a:70000' is not an address",
                "controller.quorum.fetch.timeout.ms=0|0 would leave no time for an answer; allowed: 1 or more",
                "cluster.id=no_dots.please|allowed: 1 to 64 letters, digits, - and _",
            })
    void refusesValues(String setting, String reason) {
        String told = problem(COMBINED + " " + setting);
        assertTrue(told.startsWith(setting + ": "), told);
        assertTrue(told.contains(reason), told);
    }

    @Test
    void refusesRolesThatDoNotFit() {
        assertTrue(problem(BROKER).contains("controller.quorum.bootstrap.servers: a node of one role must be told"));
        assertTrue(problem(CONTROLLER).contains("a node of one role must be told where the controllers are"));
        assertTrue(problem(BROKER + " controller.quorum.voters=4@a:9093").contains("a broker only"));
        assertTrue(problem("process.roles=broker listeners=PLAINTEXT://:1" + THREE)
                .contains("by which listener it reaches the controllers"));
        assertTrue(problem("process.roles=controller listeners=PLAINTEXT://:1 controller.listener.names=C" + THREE)
                .contains("listener PLAINTEXT is for clients"));
        assertTrue(problem("process.roles=controller controller.listener.names=C" + THREE)
                .contains("a controller alone needs an address for the other nodes"));
        assertTrue(problem("process.roles=broker listeners=PLAINTEXT://:1,C://:2 controller.listener.names=C node.id=9"
                        + THREE)
                .contains("this node is a broker only; take it out of listeners"));
        assertTrue(problem("node.id=1" + THREE).contains("the other nodes of the quorum must reach this controller"));
        assertTrue(problem("process.roles=").contains("a node has one role at least"));
    }
}
