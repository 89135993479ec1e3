package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import common.Peers;
import config.BrokerConfig;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.Endpoint;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import raft.RaftTimeouts;
import raft.ReplicaKey;
import raft.VoterSet;

class QuorumPlaceTest {
    private static final ReplicaKey SELF = new ReplicaKey(1, 7, 8);
    private static final raft.Endpoint HERE = new raft.Endpoint("CONTROLLER", "c1", 9093);
    private static final String LISTENERS =
            "listeners=PLAINTEXT://:9092,CONTROLLER://:9093" + " controller.listener.names=CONTROLLER";

    private static BrokerConfig config(String text) {
        Map<String, String> properties = new TreeMap<>();
        for (String each : text.split(" ", -1)) {
            int equals = each.indexOf('=');
            properties.put(each.substring(0, equals), each.substring(equals + 1));
        }
        BrokerConfig.Parsed parsed = BrokerConfig.parse(properties);
        assertNotNull(parsed.config(), () -> parsed.problems().toString());
        return parsed.config();
    }

    private static QuorumPlace place(String text) {
        return QuorumPlace.of(config(text), SELF, List.of(HERE), null);
    }

    private static List<ReplicaKey> voters(String text) {
        return place(text).voters().voters().stream().map(VoterSet.Voter::key).toList();
    }

    @Test
    void aLoneNodeVotesByItsDirectory() {
        assertEquals(List.of(SELF), voters("node.id=1"));
        String named = LISTENERS + " controller.quorum.bootstrap.servers=localhost:9093";
        assertEquals(List.of(SELF), voters(named));
        assertEquals(List.of(HERE), place(named).endpoints());
    }

    @Test
    void staticVotersAreOfAnyDirectory() {
        QuorumPlace place = place(LISTENERS + " controller.quorum.voters=1@c1:9093,2@c2:9193");
        VoterSet expected = new VoterSet(List.of(
                new VoterSet.Voter(ReplicaKey.of(1), List.of(HERE)),
                new VoterSet.Voter(ReplicaKey.of(2), List.of(new raft.Endpoint("CONTROLLER", "c2", 9193)))));
        assertEquals(expected, place.voters());
        assertEquals(List.of(), place.bootstrap());
        assertEquals(new RaftTimeouts(1_000, 1_000, 1_000, 2_000, 20), place.timeouts());
    }

    /** It waits for somebody to take it in: that it founds a quorum of its own would be a second one. */
    @Test
    void aNewNodeOfADynamicQuorumVotesForNobody() {
        String dynamic = LISTENERS + " controller.quorum.bootstrap.servers=c1:9093,c2:9093";
        assertEquals(List.of(), voters(dynamic));
        assertEquals(
                List.of(new raft.Endpoint("CONTROLLER", "c1", 9093), new raft.Endpoint("CONTROLLER", "c2", 9093)),
                place(dynamic).bootstrap());
        assertEquals(
                List.of(SELF),
                place(dynamic).alone().voters().voters().stream()
                        .map(VoterSet.Voter::key)
                        .toList());
    }

    @Test
    void othersReachAControllerAsAdvertisedOrAsTheVotersSayOrByItsMachinesName() {
        Peers.Address machine = new Peers.Address("machine", 4711);
        String three = " controller.quorum.voters=1@c1:9093,2@c2:9093";
        String told = " advertised.listeners=PLAINTEXT://a:1,CONTROLLER://a:2";
        assertEquals(
                List.of(new raft.Endpoint("CONTROLLER", "a", 2)),
                QuorumEndpoints.of(config(LISTENERS + three + told), listener -> machine));
        assertEquals(List.of(HERE), QuorumEndpoints.of(config(LISTENERS + three), listener -> machine));
        assertEquals(
                List.of(new raft.Endpoint("CONTROLLER", "machine", 4711)),
                QuorumEndpoints.of(config(LISTENERS), listener -> machine));
        assertEquals(List.of(), QuorumEndpoints.of(config("node.id=1"), listener -> machine));
    }

    @Test
    void brokersReachOneAnotherByTheirOwnListener() {
        List<Endpoint> endpoints =
                List.of(new Endpoint("OUTSIDE", "o", 1, "PLAINTEXT"), new Endpoint("PLAINTEXT", "i", 2, "PLAINTEXT"));
        BrokerImage broker = new BrokerImage(3, 0, Uuid.ZERO_UUID, endpoints, null, false, List.of());
        InterBroker inter = InterBroker.of(config("node.id=1").node());
        assertEquals(new Peers.Address("i", 2), inter.addressOf(broker));
        assertNull(new InterBroker("OTHER").addressOf(broker));
        Endpoint nowhere = new Endpoint("PLAINTEXT", null, 0, "PLAINTEXT");
        assertNull(inter.addressOf(new BrokerImage(3, 0, Uuid.ZERO_UUID, List.of(nowhere), null, false, List.of())));
    }
}
