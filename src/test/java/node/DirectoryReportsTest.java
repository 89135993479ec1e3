package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Ports;
import controller.Controller;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import metadata.MetadataImage.BrokerImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import services.HeldMailboxes;
import sim.LoggedLines;
import sim.QuietLogs;
import sim.SimHost;

/** A log directory that does not work any more is told until the controller takes it (KIP-858). */
@ExtendWith(QuietLogs.class)
class DirectoryReportsTest {
    private static final Uuid A = new Uuid(5, 1);
    private static final Uuid B = new Uuid(5, 2);
    private static final long LONG_ENOUGH_MILLIS = 60_000;

    private final SimHost host = new SimHost(1);
    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final List<List<Uuid>> told = new ArrayList<>();
    private final DirectoryReports reports = new DirectoryReports(
            ports(), new BrokerImage(1, 7, new Uuid(1, 1), List.of(), null, false, List.of(A, B)), 1 << 20);

    private Ports ports() {
        Ports own = host.ports();
        return new Ports(
                own.clock(), own.timers(), own.random(), mailboxes, own.metrics(), own.chance(), own.mutations());
    }

    /** What waits is answered so. */
    private void answer(Consumer<Callback<BrokerHeartbeatResponseData>> reply) {
        mailboxes.deliver(Proxy.newProxyInstance(
                Controller.class.getClassLoader(), new Class<?>[] {Controller.class}, (proxy, method, arguments) -> {
                    assertEquals("offlineDirectories", method.getName());
                    told.add(((BrokerHeartbeatRequestData) arguments[0]).offlineLogDirs());
                    @SuppressWarnings("unchecked")
                    Callback<BrokerHeartbeatResponseData> done = (Callback<BrokerHeartbeatResponseData>) arguments[1];
                    reply.accept(done);
                    return null;
                }));
    }

    private void answer(Errors error) {
        answer(done -> done.succeed(new BrokerHeartbeatResponseData().setErrorCode(error.code())));
    }

    @Test
    void whatIsRefusedIsToldAgainAfterAWhile() {
        try (LoggedLines lines = new LoggedLines("node.DirectoryReports")) {
            reports.offline(A);
            answer(Errors.STALE_BROKER_EPOCH);
            assertEquals(0, mailboxes.waiting(), "not at once");
            assertTrue(
                    lines.lines().get(0).contains(Errors.STALE_BROKER_EPOCH.name()),
                    lines.lines().toString());
        }
        host.runFor(LONG_ENOUGH_MILLIS);
        assertEquals(1, mailboxes.waiting());
        answer(done -> done.fail(Failure.of(FailureCode.OVERLOADED, "many wait")));
        host.runFor(LONG_ENOUGH_MILLIS);
        reports.offline(B);
        answer(Errors.NONE);
        answer(Errors.NONE);
        host.runFor(LONG_ENOUGH_MILLIS);
        assertEquals(0, mailboxes.waiting(), "all is told");
        assertEquals(List.of(List.of(A), List.of(A), List.of(A), List.of(B)), told);
    }

    @Test
    void aNodeThatStopsTellsNoMore() {
        reports.offline(A);
        answer(done -> done.fail(Failure.of(FailureCode.SHUTTING_DOWN, "this node is stopping")));
        host.runFor(LONG_ENOUGH_MILLIS);
        assertEquals(0, mailboxes.waiting());
    }
}
