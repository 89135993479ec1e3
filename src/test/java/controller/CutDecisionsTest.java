package controller;

import static controller.ClusterLab.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import highwater.metadata.MetadataRecord;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.junit.jupiter.api.Test;

/** Decisions whose records are written in parts, of which the later ones are lost at any point, with the controller or without; and controllers that stand still. */
class CutDecisionsTest {
    private ClusterLab lab;

    private void threeBrokers() {
        lab = new ClusterLab(1);
        lab.start(1);
        lab.start(2);
        lab.start(3);
        lab.create("t", List.of(List.of(1, 2, 3), List.of(1, 3, 2), List.of(2, 1, 3)));
        lab.create("sole", List.of(List.of(1)));
    }

    /** @param failOver the controller is lost with them; else it goes on */
    private void cut(Decision<?> decision, int kept, boolean failOver) {
        List<MetadataRecord> records = decision.records();
        lab.commit(records.subList(0, kept));
        if (failOver) {
            lab.failOver();
        } else {
            MetadataImage committed = lab.image();
            lab.commit(records.subList(kept, records.size()));
            lab.machine.revertTo(committed);
        }
    }

    private interface Attempt {
        Decision<?> decide();
    }

    /** Runs {@code then} after each way to cut it; how many records it has, at least 2. */
    private void eachCut(Runnable before, Attempt attempt, Runnable then) {
        int records = 2;
        for (boolean failOver : List.of(true, false)) {
            for (int kept = 0; kept < records; kept++) {
                threeBrokers();
                before.run();
                Decision<?> decision = attempt.decide();
                records = decision.records().size();
                cut(decision, kept, failOver);
                then.run();
            }
        }
        assertTrue(records > 2, "several records: " + records);
    }

    private BrokerHeartbeatResponseData wantToEnd() {
        return lab.commit(lab.machine.heartbeat(lab.beat(1).setWantShutDown(true), lab.now));
    }

    private boolean holdsSomething(int broker) {
        return lab.image().topics().stream()
                .flatMap(each -> each.partitions().stream())
                .anyMatch(each -> each.leader() == broker || each.isr().contains(broker));
    }

    /** Whoever still asks the old leaders would find nobody there. */
    @Test
    void aBrokerEndsOnlyWhenTheOthersKnowWhoLeads() {
        eachCut(() -> {}, () -> lab.machine.heartbeat(lab.beat(1).setWantShutDown(true), lab.now), () -> {
            for (int i = 0; i < 4; i++) {
                assertFalse(wantToEnd().shouldShutDown(), "nobody else has been heard of since");
            }
            assertFalse(holdsSomething(1));
            lab.heartbeat(2);
            assertFalse(wantToEnd().shouldShutDown(), "broker 3 does not know");
            lab.heartbeat(3);
            BrokerHeartbeatResponseData last = wantToEnd();
            assertTrue(last.shouldShutDown() && last.isFenced());
            assertTrue(lab.image().broker(1).fenced());
        });
    }

    /** A broker takes part, but what waited for it was not written. */
    @Test
    void nothingStaysWithoutALeaderWhoCouldLead() {
        eachCut(
                () -> {
                    lab.create("s2", List.of(List.of(1), List.of(1), List.of(1)));
                    lab.lose(1);
                    lab.register(lab.registration(1, lab.image().broker(1).epoch()));
                },
                () -> lab.machine.heartbeat(lab.beat(1), lab.now),
                () -> {
                    lab.heartbeat(1);
                    while (lab.commit(lab.machine.fenceStale(lab.now))) {}
                    for (TopicImage topic : lab.image().topics()) {
                        for (PartitionImage each : topic.partitions()) {
                            assertTrue(each.leader() >= 0, topic.name() + ": " + each);
                        }
                    }
                });
    }

    @Test
    void whoIsFencedByHalvesIsFenced() {
        eachCut(() -> {}, () -> lab.machine.fence(1, lab.image().broker(1).epoch()), () -> {
            lab.pass(3, 2, 3);
            while (lab.commit(lab.machine.fenceStale(lab.now))) {}
            assertTrue(lab.image().broker(1).fenced());
            assertFalse(lab.image().broker(2).fenced() || lab.image().broker(3).fenced());
            assertFalse(holdsSomething(1));
        });
    }

    /** The voters change while a registration is being written: the broker's epoch is what it was told (C1). */
    @Test
    void aControlRecordBetweenThePartsOfARegistration() {
        threeBrokers();
        lab.lose(1);
        lab.start(1, -1, "boot");
        lab.lose(1);
        Decision<BrokerRegistrationResponseData> decision =
                lab.machine.registerBroker(lab.registration(1, -1), new BootReport("other", false), lab.now);
        List<MetadataRecord> records = decision.records();
        assertTrue(records.size() > 1, "several records");
        lab.commit(records.subList(0, 1));
        lab.machine.replay(records.subList(1, records.size()), lab.image().version() + 1);
        assertEquals(decision.answer().brokerEpoch(), lab.image().broker(1).epoch());
        assertEquals(0, lab.heartbeat(1).errorCode());
        assertFalse(lab.image().broker(1).fenced());
    }

    /** Its process was stopped, or its disk: the heartbeats of that time are still to be read. */
    @Test
    void aControllerThatStoodStillFencesNobodyForIt() {
        threeBrokers();
        lab.now += 20 * SECOND;
        assertFalse(lab.commit(lab.machine.fenceStale(lab.now)), "asked before any heartbeat was read");
        lab.now += 20 * SECOND;
        lab.heartbeat(2);
        assertFalse(lab.commit(lab.machine.fenceStale(lab.now)), "asked between two of them");
        lab.pass(2, 2, 3);
        assertFalse(lab.commit(lab.machine.fenceStale(lab.now)), "broker 1 has its session");
        lab.pass(1, 2, 3);
        assertTrue(lab.commit(lab.machine.fenceStale(lab.now)), "but no more than that");
        assertTrue(lab.image().broker(1).fenced());
        assertFalse(lab.commit(lab.machine.fenceStale(lab.now)));
    }
}
