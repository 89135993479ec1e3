package controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import metadata.MetadataImage.Eligible;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a broker that is back may have lost, and who leads then (rules C3, C4, S13). */
class ReturningBrokerTest {

    private ClusterLab lab;

    @BeforeEach
    void threeBrokers() {
        lab = new ClusterLab(1);
        lab.start(1);
        lab.start(2);
        lab.start(3);
    }

    /** C3: whether records were synced before they were acknowledged depends on the process that wrote them, not on the one that comes back. */
    @Test
    void durabilityIsThatOfTheProcessThatWrote() {
        lab.create("t", List.of(List.of(1)));
        restart("b", true);
        assertTrue(recovering(), "the writer did not sync, whatever its successor does");
        restart("c", false);
        assertFalse(recovering(), "the writer did sync");
        restart("d", true);
        assertTrue(recovering());
        restart("e", false);
        restart("e", true);
        assertFalse(recovering(), "the page cache survived");
        restart("f", true);
        assertTrue(recovering(), "and what the first process of that boot left in it is lost now");
        lab.set("", "log.flush.interval.messages", "10");
        restart("g", true);
        assertTrue(recovering(), "a dynamic setting took the durability away");
        lab.set("t", "flush.messages", "1");
        restart("h", true);
        assertFalse(recovering(), "the topic's own setting is stronger");
    }

    /** Not cleanly. */
    private void restart(String boot, boolean durable) {
        if (recovering()) {
            assertEquals(Errors.NONE, lab.alter(lab.proposal("t", List.of(1))));
        }
        lab.lose(1);
        lab.start(1, -1, new BootReport(boot, durable));
        assertEquals(1, lab.partition("t").leader());
    }

    private boolean recovering() {
        return lab.partition("t").eligible().recovering();
    }

    private void startWithOtherDisk(int broker, Uuid directory) {
        BrokerRegistrationRequestData request =
                lab.registration(broker, lab.image().broker(broker).epoch());
        BootReport report = new BootReport("boot", true);
        assertEquals(
                0, lab.register(request.setLogDirs(List.of(directory)), report).errorCode());
        lab.heartbeat(broker);
        lab.assign(broker, directory, "t");
    }

    /** S13: the disk of the last ISR member is replaced. What a replica that lagged has is all that is left: an empty one must not make it cut that off. */
    @Test
    void anEmptyDiskDoesNotLeadWhileAnotherReplicaHasRecords() {
        lab.create("t", List.of(List.of(1, 2)));
        Uuid id = lab.image().topic("t").id();
        assertEquals(Errors.NONE, lab.alter(lab.proposal("t", List.of(1))), "broker 2 lags");
        lab.lose(1);
        startWithOtherDisk(1, new Uuid(6, 6));
        assertEquals(-1, lab.partition("t").leader(), "it has nothing");
        assertEquals(
                0,
                lab.commit(
                        lab.machine.recover(1, lab.image().broker(1).epoch(), List.of(new ReplicaEnd(id, 0, -1, 0)))));
        assertEquals(
                1,
                lab.commit(
                        lab.machine.recover(2, lab.image().broker(2).epoch(), List.of(new ReplicaEnd(id, 0, 0, 7)))));
        assertEquals(2, lab.partition("t").leader());
        assertTrue(lab.partition("t").eligible().recovering(), "records are lost, and that is said");
    }

    /** As above, with one more that only may have lost some: it has the most, and the replaced disk is not waited for. */
    @Test
    void anEmptyDiskIsNotWaitedFor() {
        lab.create("t", List.of(List.of(1, 2, 3)));
        lab.set("t", "min.insync.replicas", "2");
        lab.lose(3);
        lab.lose(2);
        lab.lose(1);
        startWithOtherDisk(1, new Uuid(6, 6));
        assertEquals(
                new Eligible(List.of(2), List.of(), false), lab.partition("t").eligible());
        lab.start(2, -1, "after the power cut");
        assertEquals(2, lab.partition("t").leader());
        assertTrue(lab.partition("t").eligible().recovering());
    }

    /** L1: a process that was killed and started again at once does not wait for the session of the dead one, nor do its partitions. */
    @Test
    void aSuccessorOnTheSameHostIsTakenAtOnce() {
        lab.create("t", List.of(List.of(1, 2)));
        long dead = lab.image().broker(1).epoch();
        BrokerRegistrationRequestData request = lab.registration(1, -1);
        assertEquals(Errors.DUPLICATE_BROKER_REGISTRATION, register(request, null));
        assertEquals(Errors.DUPLICATE_BROKER_REGISTRATION, register(request, new BootReport("other", false)));
        BootReport same = new BootReport("boot", false);
        assertEquals(
                Errors.DUPLICATE_BROKER_REGISTRATION,
                register(lab.registration(1, -1).setLogDirs(List.of(new Uuid(6, 6))), same),
                "another process of that host, which has not its directories");
        assertEquals(1, lab.partition("t").leader());
        assertEquals(Errors.NONE, register(request, same));
        assertTrue(lab.image().broker(1).fenced() && lab.image().broker(1).epoch() > dead);
        assertEquals(2, lab.partition("t").leader());
        lab.heartbeat(1);
        assertEquals(Errors.NONE, lab.alter(lab.proposal("t", List.of(2, 1))));
        assertFalse(lab.commit(lab.machine.fenceStale(lab.now)));
    }

    private Errors register(BrokerRegistrationRequestData request, BootReport report) {
        return Errors.forCode(lab.register(request, report).errorCode());
    }
}
