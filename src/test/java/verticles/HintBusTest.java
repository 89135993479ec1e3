package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import compat.FreePort;
import config.BrokerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The group of Hazelcast members: where each finds its place, and what they hear of one another. */
class HintBusTest {
    private static final String HOST = "127.0.0.1";
    private static final int PATIENCE_SECONDS = 120;

    private final List<HintBus> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws InterruptedException {
        for (HintBus bus : open) {
            bus.close();
        }
    }

    private static HintPlace place(String... more) throws HintPlace.Unusable {
        Map<String, String> properties = new TreeMap<>(Map.of(
                "node.id", "2",
                "controller.quorum.voters", "1@10.0.0.1:9093,2@127.0.0.1:9094,3@10.0.0.3:9093",
                "listeners", "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9094",
                "controller.listener.names", "CONTROLLER"));
        for (String each : more) {
            String[] pair = each.split("=", 2);
            properties.put(pair[0], pair[1]);
        }
        BrokerConfig.Parsed parsed = BrokerConfig.parse(properties);
        assertNotNull(parsed.config(), () -> parsed.problems().toString());
        return HintPlace.of(parsed.config(), "id");
    }

    @Test
    void theGroupIsThatOfTheVoters() throws Exception {
        assertEquals(
                new HintPlace(
                        2, "highwater-id", HOST, 19094, List.of("10.0.0.1:19093", "127.0.0.1:19094", "10.0.0.3:19093")),
                place());
        HintPlace broker = place(
                "process.roles=broker",
                "node.id=7",
                "listeners=PLAINTEXT://:9092",
                "advertised.listeners=PLAINTEXT://127.0.0.1:9092",
                "cluster.hints.port.offset=100");
        assertEquals(9192, broker.port());
        assertEquals(HOST, broker.address());
        assertEquals(List.of("10.0.0.1:9193", "127.0.0.1:9194", "10.0.0.3:9193"), broker.members());
    }

    @Test
    void aListenerOfAllAddressesTakesWhatTheVotersSay() throws Exception {
        assertEquals(
                HOST, place("listeners=PLAINTEXT://:9092,CONTROLLER://:9094").address());
    }

    @Test
    void aNodeAloneAndOneThatWantsNoneHaveNone() throws Exception {
        assertNull(HintPlace.of(BrokerConfig.parse(Map.of()).config(), "id"));
        assertNull(place("cluster.hints.enable=false"));
    }

    @Test
    void placesThatCannotBeAreTold() {
        HintPlace.Unusable told = assertThrows(
                HintPlace.Unusable.class,
                () -> place("process.roles=broker", "node.id=7", "listeners=PLAINTEXT://:9092"));
        assertTrue(told.getMessage().contains("names no single address"), told.getMessage());
        told = assertThrows(HintPlace.Unusable.class, () -> place("cluster.hints.port.offset=60000"));
        assertTrue(told.getMessage().contains("choose another offset"), told.getMessage());
    }

    @Test
    void nothingIsSentToOrHeardFromAnybodyElse() throws Exception {
        Config config = HintNetwork.of(place());
        assertEquals("false", config.getProperty("hazelcast.phone.home.enabled"));
        assertEquals("false", config.getProperty("hazelcast.socket.bind.any"));
        assertEquals(
                List.of(HOST),
                List.copyOf(config.getNetworkConfig().getInterfaces().getInterfaces()));
        assertTrue(config.getNetworkConfig().getInterfaces().isEnabled());
        assertEquals(
                List.of(false, false, true),
                List.of(
                        config.getNetworkConfig().getJoin().getMulticastConfig().isEnabled(),
                        config.getNetworkConfig()
                                .getJoin()
                                .getAutoDetectionConfig()
                                .isEnabled(),
                        config.getNetworkConfig().getJoin().getTcpIpConfig().isEnabled()));
        assertNotNull(config.getSerializationConfig().getJavaSerializationFilterConfig());
    }

    /** One leaves; one dies in its own process, and is made again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoIsGoneIsHeardOf(boolean ownFailure) throws Exception {
        List<Integer> ports = List.of(FreePort.choose(), FreePort.choose());
        List<String> members = ports.stream().map(port -> HOST + ":" + port).toList();
        String group = "highwater-test-" + ports.get(0);
        BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
        HintBus first = open(new HintPlace(1, group, HOST, ports.get(0), members), heard);
        awaitMembers(group, 1);
        HintBus second = open(new HintPlace(2, group, HOST, ports.get(1), members), new LinkedBlockingQueue<>());
        awaitMembers(group, 2);
        if (ownFailure) {
            instances(group).stream()
                    .filter(each ->
                            "2".equals(each.getCluster().getLocalMember().getAttribute(HintNetwork.NODE)))
                    .forEach(each -> each.getLifecycleService().terminate());
        } else {
            second.close();
        }
        assertEquals(2, heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
        if (ownFailure) {
            awaitMembers(group, 2);
        }
        assertNotNull(first);
    }

    private HintBus open(HintPlace place, BlockingQueue<Integer> heard) {
        HintBus bus = new HintBus(place, heard::add);
        open.add(bus);
        bus.open();
        return bus;
    }

    private static List<HazelcastInstance> instances(String group) {
        return Hazelcast.getAllHazelcastInstances().stream()
                .filter(each -> each.getConfig().getClusterName().equals(group))
                .toList();
    }

    private static void awaitMembers(String group, int count) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (instances(group).size() != count
                || instances(group).stream()
                        .anyMatch(each -> each.getCluster().getMembers().size() != count)) {
            assertTrue(System.nanoTime() < deadline, "no group of " + count);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}
