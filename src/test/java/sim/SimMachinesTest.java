package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import common.FailureCode;
import common.Mutations;
import common.Peers;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import protocol.PeerConnections;

/** What one node sees of another whose process or machine ends, stands still, or is cut off. */
@ExtendWith(QuietLogs.class)
class SimMachinesTest {
    private static final int PATIENCE_MILLIS = 8_000;

    private final SimWorld world = new SimWorld(
            new SimRandom(5),
            new SimProfile(new SimRandom(5), Map.of("nodes", "2", "voters", "0", "faults", "", "disks", "1")),
            Mutations.NONE);
    private final SimMachine other = world.machines().get(1);
    private final SimLife asking = new SimLife("asking");
    private final SimPeers dialer = new SimPeers(world.network(), asking, new SimRandom(6), "n0", world);
    private final Peers.Peer line = new PeerConnections(
                    dialer,
                    world.network().chunks(),
                    new SimTimers(world.scheduler(), other.clock(), asking, new SimRandom(7), 0),
                    "node-1")
            .line(new Peers.Address("n1", SimNode.CLIENT_PORT));

    SimMachinesTest() {
        world.machines().forEach(SimMachine::start);
        world.machines().forEach(each -> each.awaitServing("L start"));
    }

    /** Null: it answers. */
    private FailureCode ask() {
        Object[] got = {null};
        boolean[] done = {false};
        MetadataRequestData request = new MetadataRequestData().setTopics(List.of());
        line.send(request, PATIENCE_MILLIS, (answer, failure) -> {
            done[0] = true;
            got[0] = failure == null ? ((MetadataResponseData) answer.message()).brokers() : failure.code();
        });
        world.await("one outcome", 2 * PATIENCE_MILLIS, () -> done[0]);
        return got[0] instanceof FailureCode code ? code : null;
    }

    @Test
    void aNodeThatServesAnswers() {
        assertEquals(null, ask());
    }

    @Test
    void aProcessThatIsGoneRefuses() {
        assertEquals(null, ask());
        other.crash(false, false);
        // The connection ends first.
        world.scheduler().runFor(100 * SimScheduler.MILLI);
        assertEquals(FailureCode.PEER_REFUSED, ask());
        other.start();
        other.awaitServing("L start");
        assertEquals(null, ask());
    }

    @Test
    void aMachineWithoutPowerDoesNotEvenRefuse() {
        other.crash(true, true);
        assertEquals(FailureCode.PEER_UNREACHABLE, ask());
    }

    @Test
    void aProcessThatStandsStillAcceptsAndAnswersLater() {
        assertEquals(null, ask());
        other.node().life().pause();
        assertEquals(FailureCode.TIMED_OUT, ask());
        // The machine accepts, and nobody says a word.
        assertEquals(FailureCode.PEER_UNREACHABLE, ask());
        other.node().life().resume();
        assertEquals(null, ask());
    }

    @Test
    void oneDirectionThatIsCutIsEnough() {
        world.network().path("n1", "n0").cut();
        assertEquals(FailureCode.PEER_UNREACHABLE, ask());
        world.network().heal();
        assertEquals(null, ask());
    }

    @Test
    void whoAsksMayStandStillAsWell() {
        asking.pause();
        MetadataRequestData request = new MetadataRequestData().setTopics(List.of());
        boolean[] done = {false};
        line.send(request, PATIENCE_MILLIS, (answer, failure) -> done[0] = true);
        world.scheduler().runFor(2L * PATIENCE_MILLIS * SimScheduler.MILLI);
        assertFalse(done[0]);
        asking.resume();
        world.await("one outcome", 2 * PATIENCE_MILLIS, () -> done[0]);
        assertEquals(null, ask());
    }
}
