package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Peers;
import config.BrokerConfig;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import sim.SimHost;
import storage.DiskExecutor.Lane;

/** The first start of nodes of a dynamic quorum, formatted or not. */
class NodeFormatTest {
    private static final Uuid DIRECTORY = Uuid.fromString("AAAAAAAAQAGAAAAAAAAAAg");
    private static final NodeFormat.Founder SELF = new NodeFormat.Founder(1, "c1", 9093, DIRECTORY);

    private final SimHost host = new SimHost(1);

    private static BrokerConfig config(String servers) {
        return ControllerLab.config(
                "listeners", "PLAINTEXT://:9092,CONTROLLER://c1:9093",
                "controller.listener.names", "CONTROLLER",
                "controller.quorum.bootstrap.servers", servers);
    }

    /** A process on its machine, alone in the network. */
    private ControllerLab lab(SimHost machine, BrokerConfig config) {
        ControllerLab lab = new ControllerLab(machine, config);
        Peers nobody = to -> new Peers.Peer() {
            @Override
            public void send(ApiMessage request, int timeoutMillis, Callback<Peers.Answer> done) {
                Failure refused = Failure.of(FailureCode.PEER_REFUSED, "nobody listens");
                machine.ports().timers().after(1, () -> done.fail(refused));
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
        lab.place = self -> QuorumPlace.of(
                config,
                self,
                QuorumEndpoints.of(config, listener -> new Peers.Address(listener.host(), listener.port())),
                new QuorumLines(nobody, "CONTROLLER", 1_000));
        return lab;
    }

    private boolean format(BrokerConfig config, List<NodeFormat.Founder> founders) {
        NodeFormat format = new NodeFormat(config, ControllerLab.CLUSTER, founders, 1);
        return host.<Boolean>await(done -> host.executor().run(Lane.BLOCKING, format.directory(true, DIRECTORY), done));
    }

    private static List<Integer> voters(ControllerLab lab) {
        DescribeQuorumRequestData request = new DescribeQuorumRequestData();
        request.topics()
                .add(new DescribeQuorumRequestData.TopicData()
                        .setTopicName("__cluster_metadata")
                        .setPartitions(List.of(new DescribeQuorumRequestData.PartitionData())));
        DescribeQuorumResponseData answer =
                lab.host.await(done -> lab.controller.quorum().describeQuorum(request, done));
        return answer.topics().get(0).partitions().get(0).currentVoters().stream()
                .map(DescribeQuorumResponseData.ReplicaState::replicaId)
                .toList();
    }

    /** Whoever is named beside it may be added later. */
    @Test
    void whoWasFormattedStandaloneLeadsThoughOthersAreNamed() {
        BrokerConfig several = config("c1:9093,c2:9093");
        assertTrue(format(several, List.of(SELF)));
        assertFalse(format(several, List.of(SELF)), "once");
        ControllerLab lab = lab(host, several).open();
        assertTrue(lab.controller.active().local());
        assertEquals(List.of(1), voters(lab));
        DescribeClusterResponseData controllers =
                host.await(done -> lab.controller.quorum().describeControllers("CONTROLLER", done));
        assertEquals(1, controllers.controllerId());
        assertEquals("c1", controllers.brokers().find(1).host());
        assertEquals(9093, controllers.brokers().find(1).port());
        lab.stop();
        assertTrue(lab(host.kill(), several).open().controller.active().local(), "and after a restart");
    }

    /** Two of three are not there, so nothing is decided; that it leads alone would be a second quorum. */
    @Test
    void whoWasFormattedWithOthersWaitsForThem() {
        BrokerConfig several = config("c1:9093,c2:9093");
        NodeFormat.Founder second = new NodeFormat.Founder(2, "c2", 9093, new Uuid(5, 6));
        NodeFormat.Founder third = new NodeFormat.Founder(3, "c3", 9093, new Uuid(7, 8));
        assertTrue(format(several, List.of(SELF, second, third)));
        assertFalse(leadsAfterAWhile(lab(host, several)));
    }

    @Test
    void whoWasNotFormattedWaitsToBeTakenIn() {
        assertFalse(leadsAfterAWhile(lab(host, config("c1:9093,c2:9093"))));
    }

    private boolean leadsAfterAWhile(ControllerLab lab) {
        lab.openReplica();
        host.runFor(60_000);
        return lab.controller.active().local();
    }

    /** Of a release before its log said who votes, or without a listener of controllers: it is all there is of its cluster. */
    @Test
    void whoWasAloneGoesOnWhenOthersAreNamed() {
        ControllerLab alone = new ControllerLab(host, ControllerLab.config()).open();
        long before = alone.image().version();
        alone.stop();
        ControllerLab next = lab(host.kill(), config("c1:9093,c2:9093")).open();
        assertTrue(next.controller.active().local());
        assertTrue(next.image().version() > before);
        assertEquals(List.of(1), voters(next));
    }
}
