package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Peers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A line to another node against the real server side of a connection; the test plays network and time. */
class PeerLineTest {
    private static final Peers.Address ADDRESS = new Peers.Address("n2", 9093);

    private final PoisoningPool pool = new PoisoningPool();
    private final ManualTimers timers = new ManualTimers();
    private final List<PeerDialer.Attempt> attempts = new ArrayList<>();
    private final List<String> outcomes = new ArrayList<>();
    private final List<Callback<ApiMessage>> parked = new ArrayList<>();
    private final PeerConnections peers =
            new PeerConnections((to, attempt) -> attempts.add(attempt), pool, timers, "node-1");
    private final Peers.Peer line = peers.line(ADDRESS);
    private Wire server;
    private RecordingTransport transport;
    private TransportListener client;

    @AfterEach
    void nothingIsLeft() {
        line.close();
        assertEquals(0, pool.live(), "leaked memory");
        assertEquals(0, timers.pending(), "leaked timers");
    }

    private final class Heartbeats implements ApiHandler {
        @Override
        public ApiKeys key() {
            return ApiKeys.HEARTBEAT;
        }

        @Override
        public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
            HeartbeatRequestData heartbeat = (HeartbeatRequestData) request;
            if (heartbeat.memberId().equals("park")) {
                parked.add(respond);
            } else {
                respond.succeed(new HeartbeatResponseData().setThrottleTimeMs(heartbeat.generationId()));
            }
        }
    }

    private void send(int number, String member, int timeoutMillis) {
        HeartbeatRequestData request =
                new HeartbeatRequestData().setGroupId("g").setMemberId(member).setGenerationId(number);
        line.send(request, timeoutMillis, told(number));
    }

    private Callback<Peers.Answer> told(int number) {
        return (answer, failure) -> outcomes.add(number + ":"
                + (failure != null
                        ? failure.code()
                        : String.valueOf(((HeartbeatResponseData) answer.message()).throttleTimeMs())));
    }

    /** Lets the newest attempt succeed; what is written goes nowhere until {@link #exchange}. */
    private void connect(ApiHandler... handlers) {
        List<ApiHandler> all = new ArrayList<>(List.of(handlers));
        all.add(new ApiVersionsHandler(2));
        server = new Wire(all, MetadataImage.empty("c"));
        transport = new RecordingTransport();
        client = attempts.remove(attempts.size() - 1).connected(transport);
    }

    /** Carries bytes both ways until there are none. */
    private void exchange() {
        boolean moved = true;
        while (moved) {
            moved = false;
            if (transport.takeFlush()) {
                client.onFlush();
            }
            for (ByteBuffer frame : transport.frames()) {
                server.read(framed(frame));
                moved = true;
            }
            server.loop();
            for (ByteBuffer frame : server.transport.frames()) {
                deliver(framed(frame));
                moved = true;
            }
        }
    }

    private void deliver(byte[] bytes) {
        client.onBytes(pool.read(bytes, 0, bytes.length));
        client.onReadComplete();
    }

    private static byte[] framed(ByteBuffer frame) {
        byte[] bytes = new byte[4 + frame.remaining()];
        ByteBuffer.wrap(bytes).putInt(frame.remaining()).put(frame);
        return bytes;
    }

    private void lose() {
        client.onClosed();
        server.connection.onClosed();
    }

    @Test
    void nothingIsOpenedBeforeTheFirstRequest() {
        timers.advance(60_000);
        assertEquals(0, attempts.size());
    }

    @Test
    void requestsOfOneMomentShareAConnectionAndAreAnsweredInOrder() {
        send(1, "m", 1_000);
        send(2, "m", 1_000);
        assertEquals(1, attempts.size());
        connect(new Heartbeats());
        exchange();
        send(3, "m", 1_000);
        exchange();
        assertEquals(List.of("1:1", "2:2", "3:3"), outcomes);
        assertEquals(0, attempts.size());
        assertNull(transport.closed());
    }

    @Test
    void aRefusedConnectionFailsWhatWaitsAndTheNextAttemptComesALittleLater() {
        send(1, "m", 1_000);
        attempts.remove(0).failed(Failure.of(FailureCode.PEER_REFUSED, "refused"));
        assertEquals(List.of("1:PEER_REFUSED"), outcomes);
        send(2, "m", 1_000);
        assertEquals(0, attempts.size(), "rule L7: not at once");
        timers.advance(100);
        assertEquals(1, attempts.size());
        connect(new Heartbeats());
        exchange();
        assertEquals(List.of("1:PEER_REFUSED", "2:2"), outcomes);
    }

    @Test
    void aLostConnectionFailsWhatIsUnansweredAndTheNextRequestOpensAnother() {
        send(1, "park", 60_000);
        connect(new Heartbeats());
        exchange();
        assertEquals(1, parked.size());
        lose();
        assertEquals(List.of("1:PEER_LOST"), outcomes);
        parked.get(0).succeed(new HeartbeatResponseData().setThrottleTimeMs(1));
        send(2, "m", 1_000);
        timers.advance(100);
        connect(new Heartbeats());
        exchange();
        assertEquals(List.of("1:PEER_LOST", "2:2"), outcomes);
    }

    @Test
    void anUnansweredRequestEndsTheConnectionAtItsDeadline() {
        send(1, "park", 500);
        connect(new Heartbeats());
        exchange();
        send(2, "m", 5_000);
        exchange();
        timers.advance(500);
        assertEquals(List.of("1:TIMED_OUT", "2:PEER_LOST"), outcomes, "answers come in order: the second never would");
        assertNotNull(transport.closed());
        server.connection.onClosed();
        timers.advance(100);
        assertEquals(0, attempts.size(), "nothing waits");
    }

    @Test
    void aDeadlineWhileDiallingCounts() {
        send(1, "m", 500);
        timers.advance(500);
        assertEquals(List.of("1:TIMED_OUT"), outcomes);
        connect(new Heartbeats());
        exchange();
        assertEquals(List.of("1:TIMED_OUT"), outcomes);
    }

    @Test
    void whoDoesNotGreetIsGivenUp() {
        send(1, "m", 60_000);
        connect(new Heartbeats());
        timers.advance(10_000);
        assertEquals(List.of("1:PEER_UNREACHABLE"), outcomes);
        assertNotNull(transport.closed());
        if (transport.takeFlush()) {
            client.onFlush();
        }
    }

    @Test
    void whatTheOtherEndDoesNotOfferFails() {
        send(1, "m", 1_000);
        line.send(new LeaveGroupRequestData(), 1_000, told(2));
        connect(new Heartbeats());
        exchange();
        assertEquals(List.of("2:PEER_UNREACHABLE", "1:1"), outcomes);
    }

    @Test
    void aBoundedNumberOfRequestsWaits() {
        for (int i = 0; i < 1_000; i++) {
            send(i, "m", 1_000);
        }
        long refused =
                outcomes.stream().filter(each -> each.endsWith("OVERLOADED")).count();
        assertTrue(refused > 800 && refused < 1_000, refused + " were refused");
        connect(new Heartbeats());
        for (int round = 0; round < 50; round++) {
            exchange();
        }
        assertEquals(1_000, outcomes.size());
        assertEquals("0:0", outcomes.get((int) refused));
    }

    @Test
    void whileTheSocketTakesNothingRequestsWait() {
        send(1, "m", 1_000);
        connect(new Heartbeats());
        exchange();
        transport.setWritable(false);
        send(2, "m", 1_000);
        exchange();
        assertEquals(List.of("1:1"), outcomes);
        transport.setWritable(true);
        client.onWritable();
        exchange();
        assertEquals(List.of("1:1", "2:2"), outcomes);
    }

    @Test
    void aClosedLineFailsEverythingOnce() {
        send(1, "park", 60_000);
        connect(new Heartbeats());
        exchange();
        line.close();
        send(2, "m", 1_000);
        assertEquals(List.of("1:PEER_LOST", "2:SHUTTING_DOWN"), outcomes);
        assertNotNull(transport.closed());
        client.onClosed();
        server.connection.onClosed();
    }

    @Test
    void aLineClosedWhileDiallingDropsTheConnectionThatComes() {
        send(1, "m", 1_000);
        line.close();
        assertEquals(List.of("1:SHUTTING_DOWN"), outcomes);
        connect(new Heartbeats());
        assertNotNull(transport.closed());
    }

    @Test
    void nonsenseEndsTheConnection() {
        List<byte[]> nonsense = List.of(
                "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                new byte[] {0, 0, 0, 2, 1, 1},
                new byte[] {0, 0, 0, 4, 0, 0, 0, 99},
                new byte[] {0, 0, 0, 4, 0, 0, 0, 1},
                new byte[] {0, 0, 0, 9, 0, 0, 0, 1, 5, 5, 5, 5, 5});
        for (byte[] bytes : nonsense) {
            outcomes.clear();
            send(7, "park", 60_000);
            timers.advance(100);
            connect(new Heartbeats());
            exchange();
            deliver(bytes);
            assertEquals(List.of("7:PEER_LOST"), outcomes);
            assertNotNull(transport.closed());
            server.connection.onClosed();
            client.onClosed();
            timers.advance(100);
        }
    }

    @Test
    void aRefusedGreetingIsNotServing() {
        ApiHandler refusing = new ApiHandler() {
            @Override
            public ApiKeys key() {
                return ApiKeys.API_VERSIONS;
            }

            @Override
            public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
                respond.succeed(new ApiVersionsResponseData().setErrorCode(Errors.CLUSTER_AUTHORIZATION_FAILED.code()));
            }
        };
        send(1, "m", 1_000);
        server = new Wire(List.of(refusing), MetadataImage.empty("c"));
        transport = new RecordingTransport();
        client = attempts.remove(0).connected(transport);
        exchange();
        assertEquals(List.of("1:PEER_UNREACHABLE"), outcomes);
    }

    @Test
    void slicesOfAnAnswerLiveAsLongAsTheyAreRetained() {
        Peers.Answer[] kept = new Peers.Answer[1];
        line.send(new HeartbeatRequestData().setGroupId("g").setMemberId("m"), 1_000, (answer, failure) -> {
            answer.bytes().retain();
            kept[0] = answer;
        });
        connect(new Heartbeats());
        exchange();
        assertTrue(pool.live() > 0);
        kept[0].bytes().release();
        assertEquals(ApiKeys.HEARTBEAT.latestVersion(), kept[0].version());
    }
}
