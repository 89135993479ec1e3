package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Ports;
import config.BrokerConfig;
import controller.BootReport;
import controller.Controller;
import highwater.metadata.MetadataRecord;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import protocol.PeerTags;
import services.HeldMailboxes;
import sim.QuietLogs;
import sim.SimHost;

/** A broker's place in the cluster, against a controller that answers as the test says. */
@ExtendWith(QuietLogs.class)
class BrokerMembershipTest {
    private static final Uuid ME = new Uuid(1, 1);
    private static final Uuid DIRECTORY = new Uuid(5, 1);

    private final SimHost host = new SimHost(1);
    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final BrokerConfig config = ControllerLab.config("initial.broker.registration.timeout.ms", "20000");
    private final List<Object> asked = new ArrayList<>();
    private final List<String> outcomes = new ArrayList<>();
    private Failure halted;
    private final BrokerMembership membership = new BrokerMembership(
            ports(),
            config,
            new BrokerMembership.Self(
                    "c", ME, List.of(DIRECTORY), config.node().advertised(), 3, new BootReport("boot", false)),
            why -> halted = why);

    private Ports ports() {
        Ports own = host.ports();
        return new Ports(
                own.clock(), own.timers(), own.random(), mailboxes, own.metrics(), own.chance(), own.mutations());
    }

    /** What waits is answered so, whatever it is. */
    private void answer(Object answer, FailureCode failure) {
        mailboxes.deliver(Proxy.newProxyInstance(
                Controller.class.getClassLoader(), new Class<?>[] {Controller.class}, (proxy, method, arguments) -> {
                    asked.add(arguments[0]);
                    @SuppressWarnings("unchecked")
                    Callback<Object> done = (Callback<Object>) arguments[arguments.length - 1];
                    done.done(answer, failure == null ? null : Failure.of(failure, "no"));
                    return null;
                }));
    }

    private void registration(Errors error, long epoch) {
        answer(new BrokerRegistrationResponseData().setErrorCode(error.code()).setBrokerEpoch(epoch), null);
    }

    private BrokerHeartbeatRequestData heartbeat(BrokerHeartbeatResponseData answer) {
        answer(answer, null);
        return (BrokerHeartbeatRequestData) asked.get(asked.size() - 1);
    }

    private static BrokerHeartbeatResponseData fenced(boolean fenced) {
        return new BrokerHeartbeatResponseData().setIsFenced(fenced);
    }

    private void register() {
        membership.register((epoch, failure) -> outcomes.add(
                failure == null ? "registered " + epoch : failure.code().name()));
    }

    private static MetadataImage image(long version, BrokerImage... brokers) {
        MetadataDelta delta = new MetadataDelta(MetadataImage.empty("c"));
        for (BrokerImage each : brokers) {
            MetadataRecord record = MetadataRecords.broker(each);
            delta.apply(record, each.epoch());
        }
        return delta.image(version);
    }

    private static BrokerImage broker(int id, long epoch, Uuid incarnation, boolean fenced) {
        return new BrokerImage(id, epoch, incarnation, List.of(), null, fenced, List.of(new Uuid(5, id)));
    }

    /** A broker that takes part. */
    private void joined() {
        register();
        registration(Errors.NONE, 7);
        membership.applied(image(8, broker(1, 7, ME, true)));
        membership.join((done, failure) -> outcomes.add("joined"));
        heartbeat(fenced(false));
        membership.applied(image(9, broker(1, 7, ME, false), broker(2, 5, new Uuid(2, 2), false)));
        assertEquals(List.of("registered 7", "joined"), outcomes);
        outcomes.clear();
    }

    @Test
    void triesToRegisterUntilThereIsAController() {
        register();
        for (FailureCode each : List.of(FailureCode.NOT_LEADER, FailureCode.TIMED_OUT)) {
            answer(null, each);
            assertEquals(0, mailboxes.waiting(), "not at once");
            host.runFor(1_000);
        }
        registration(Errors.DUPLICATE_BROKER_REGISTRATION, -1);
        host.runFor(1_000);
        registration(Errors.NONE, 7);
        assertEquals(List.of("registered 7"), outcomes);
        BrokerRegistrationRequestData told = (BrokerRegistrationRequestData) asked.get(0);
        assertEquals(ME, told.incarnationId());
        assertEquals(3, told.previousBrokerEpoch());
        assertEquals(List.of(DIRECTORY), told.logDirs());
        assertEquals("", told.listeners().iterator().next().host(), "it advertises none");
    }

    @Test
    void givesUpWhenTheTimeIsOverOrNoRepeatHelps() {
        register();
        for (int second = 0; second < 30 && outcomes.isEmpty(); second++) {
            answer(null, FailureCode.NOT_LEADER);
            host.runFor(1_000);
        }
        assertEquals(List.of("NOT_LEADER"), outcomes);
        for (Errors each :
                List.of(Errors.INCONSISTENT_CLUSTER_ID, Errors.UNSUPPORTED_VERSION, Errors.INVALID_REGISTRATION)) {
            register();
            registration(each, -1);
        }
        register();
        answer(null, FailureCode.DISK_FULL);
        assertEquals(List.of("NOT_LEADER", "INTERNAL", "INTERNAL", "INTERNAL", "DISK_FULL"), outcomes);
    }

    /** Rule C2: it takes part when it has followed the metadata past its registration, and this node knows that it does. */
    @Test
    void joinsOnceItHasCaughtUpAndKnowsIt() {
        register();
        registration(Errors.NONE, 7);
        membership.join((done, failure) -> outcomes.add("joined"));
        membership.applied(image(7));
        assertEquals(0, mailboxes.waiting(), "not caught up: nothing new to tell");
        membership.applied(image(8, broker(1, 7, ME, true)));
        assertEquals(7, heartbeat(fenced(false)).currentMetadataOffset());
        assertFalse(outcomes.contains("joined"), "nobody here knows it yet");
        membership.applied(image(10, broker(1, 7, ME, false)));
        assertTrue(outcomes.contains("joined"));
    }

    @Test
    void beatsInTimeWhateverIsAnswered() {
        joined();
        for (int i = 0; i < 20; i++) {
            host.runFor(1_100);
            assertEquals(1, mailboxes.waiting(), "one at a time");
            if (i % 3 == 0) {
                answer(null, FailureCode.TIMED_OUT);
            } else {
                assertEquals(8, heartbeat(fenced(i % 3 == 1)).currentMetadataOffset());
            }
        }
        assertNull(halted);
    }

    @Test
    void directoriesThatWentOfflineAreToldFromNowOn() {
        joined();
        membership.offline(DIRECTORY);
        membership.offline(DIRECTORY);
        assertEquals(List.of(DIRECTORY), heartbeat(fenced(false)).offlineLogDirs(), "at once");
        membership.offline(new Uuid(5, 2));
        answer(null, FailureCode.NOT_LEADER);
        host.runFor(1_000);
        assertEquals(
                List.of(DIRECTORY, new Uuid(5, 2)), heartbeat(fenced(false)).offlineLogDirs());
    }

    @Test
    void suspectsAreToldAtOnceUntilSomebodyHears_L1() {
        joined();
        membership.suspect(2);
        membership.suspect(2);
        membership.suspect(1);
        membership.suspect(77);
        answer(null, FailureCode.NOT_LEADER);
        host.runFor(1_000);
        assertEquals(List.of(2), PeerTags.suspects(heartbeat(fenced(false))));
        assertEquals(List.of(2), PeerTags.suspects((BrokerHeartbeatRequestData) asked.get(asked.size() - 2)));
        host.runFor(1_100);
        assertEquals(List.of(), PeerTags.suspects(heartbeat(fenced(false))));
        assertEquals(0, mailboxes.waiting());
    }

    @Test
    void endsWhenTheControllerSaysSo() {
        joined();
        membership.leave((done, failure) -> outcomes.add("left"));
        assertTrue(heartbeat(fenced(false)).wantShutDown(), "at once");
        assertEquals(List.of(), outcomes);
        host.runFor(500);
        heartbeat(fenced(true).setShouldShutDown(true));
        assertEquals(List.of("left"), outcomes);
        host.runFor(60_000);
        assertEquals(0, mailboxes.waiting(), "no heartbeats of a broker that has left");
    }

    @Test
    void asksNobodyWhenNobodyCanTakeOver() {
        joined();
        membership.applied(image(12, broker(1, 7, ME, false), broker(2, 5, new Uuid(2, 2), true)));
        membership.leave((done, failure) -> outcomes.add("left"));
        assertEquals(List.of("left"), outcomes);
        host.runFor(60_000);
        assertEquals(0, mailboxes.waiting());
    }

    /** A cluster that is stopped as a whole has no controller any more when its last broker asks. */
    @Test
    void doesNotWaitForAControllerThatIsGone() {
        joined();
        membership.leave((done, failure) -> outcomes.add("left"));
        for (int i = 0; i < 100 && outcomes.isEmpty(); i++) {
            answer(null, FailureCode.NOT_LEADER);
            host.runFor(300);
        }
        assertEquals(List.of("left"), outcomes);
        assertTrue(host.ports().clock().monotonicNanos() < 10_000_000_000L, "a session's time");
    }

    @Test
    void doesNotWaitForOthersForEver() {
        joined();
        membership.leave((done, failure) -> outcomes.add("left"));
        for (int second = 0; second < 600 && outcomes.isEmpty(); second++) {
            heartbeat(fenced(false));
            host.runFor(1_000);
        }
        assertEquals(List.of("left"), outcomes);
    }

    /** Others wait for it: whoever leaves may end when all know who leads now. */
    @Test
    void tellsAtOnceThatItKnowsOfOneThatLeaves() {
        joined();
        BrokerImage leaving =
                new BrokerImage(2, 3, ME, List.of(), null, false, List.of(), MetadataImage.BrokerStart.UNKNOWN, true);
        membership.applied(image(20, broker(1, 7, ME, false), leaving));
        assertEquals(19, heartbeat(fenced(false)).currentMetadataOffset());
    }

    /** Rule C1: there is one process of an id. */
    @Test
    void endsWhenAnotherProcessHasItsId() {
        joined();
        host.runFor(1_100);
        membership.applied(image(30, broker(1, 29, new Uuid(9, 9), true)));
        heartbeat(new BrokerHeartbeatResponseData().setErrorCode(Errors.STALE_BROKER_EPOCH.code()));
        assertTrue(halted.message().contains("node.id"), halted.message());
    }

    @Test
    void registersAgainWhenItWasUnregistered() {
        joined();
        host.runFor(1_100);
        membership.applied(image(30));
        heartbeat(new BrokerHeartbeatResponseData().setErrorCode(Errors.STALE_BROKER_EPOCH.code()));
        registration(Errors.NONE, 31);
        assertEquals(31, membership.epoch());
        membership.applied(image(32, broker(1, 31, ME, true)));
        host.runFor(1_100);
        assertEquals(31, heartbeat(fenced(false)).brokerEpoch());
        assertNull(halted);
    }
}
