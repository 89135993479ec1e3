package controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Supplier;
import metadata.MetadataImage;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was decided about a broker may be lost before it is committed, and the controller may go on without becoming active anew: nobody stays unfenced for ever (C2). */
class LostDecisionsTest {
    private ClusterLab lab;

    @BeforeEach
    void twoBrokers() {
        lab = new ClusterLab(1);
        lab.start(1);
        lab.start(2);
        lab.create("t", List.of(List.of(1, 2)));
    }

    /** As the host does when the metadata log takes no more. */
    private void lose(Decision<?> decision) {
        MetadataImage committed = lab.image();
        assertFalse(decision.records().isEmpty(), "something is decided");
        lab.commit(decision.records());
        lab.machine.revertTo(committed);
    }

    /** The first broker is never heard of again. */
    private void isFencedAfter(String what, Supplier<Decision<?>> decision) {
        twoBrokers();
        lose(decision.get());
        assertFalse(lab.image().broker(1).fenced(), what);
        lab.pass(3, 2);
        assertTrue(lab.commit(lab.machine.fenceStale(lab.now)), what);
        assertTrue(lab.image().broker(1).fenced(), what);
        assertEquals(2, lab.partition("t").leader(), what);
        assertFalse(lab.commit(lab.machine.fenceStale(lab.now)), what + ": the other one is there");
        lab.start(1, -1, "boot");
        assertFalse(lab.commit(lab.machine.fenceStale(lab.now)), what + ": it is back");
    }

    private BrokerHeartbeatRequestData beat() {
        return lab.beat(1);
    }

    @Test
    void whoIsGoneIsFencedWhicheverDecisionWasLost() {
        isFencedAfter("fence", () -> lab.machine.fence(1, lab.image().broker(1).epoch()));
        isFencedAfter("wantFence", () -> lab.machine.heartbeat(beat().setWantFence(true), lab.now));
        isFencedAfter(
                "unregister", () -> lab.machine.unregisterBroker(new UnregisterBrokerRequestData().setBrokerId(1)));
        isFencedAfter("the move of leaderships", () -> lab.machine.heartbeat(beat().setWantShutDown(true), lab.now));
        isFencedAfter("the end", () -> {
            lab.commit(lab.machine.heartbeat(beat().setWantShutDown(true), lab.now));
            lab.heartbeat(2);
            return lab.machine.heartbeat(beat().setWantShutDown(true), lab.now);
        });
        isFencedAfter("fenceStale", () -> {
            lab.pass(3, 2);
            return lab.machine.fenceStale(lab.now);
        });
        isFencedAfter("the registration of its next process", () -> {
            lab.pass(3, 2);
            return lab.machine.registerBroker(lab.registration(1, -1), null, lab.now);
        });
    }

    @Test
    void whoIsHeardOfAgainStays() {
        lose(lab.machine.unregisterBroker(new UnregisterBrokerRequestData().setBrokerId(1)));
        lab.heartbeat(1);
        lab.pass(2, 2);
        assertFalse(lab.commit(lab.machine.fenceStale(lab.now)));
        assertEquals(1, lab.partition("t").leader());
    }
}
