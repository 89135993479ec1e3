package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.FailureCode;
import common.Peers;
import config.NetworkConfig;
import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.DeploymentOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import metadata.MetadataImage;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import protocol.ApiHandler;
import protocol.ApiVersionsHandler;
import protocol.Connection;
import protocol.ConnectionLimits;
import protocol.HandlerTable;
import protocol.Instance;
import protocol.PeerConnections;
import protocol.RequestContext;
import protocol.RequestMemory;

/** Lines between real event loops over real sockets. */
@Timeout(600)
class SocketPeersTest {
    private final TestLoops test = new TestLoops(2);
    private final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);

    @AfterEach
    void close() {
        test.close();
        assertEquals(List.of(), test.fatal);
    }

    private static final class Echo implements ApiHandler {
        @Override
        public ApiKeys key() {
            return ApiKeys.HEARTBEAT;
        }

        @Override
        public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
            respond.succeed(
                    new HeartbeatResponseData().setThrottleTimeMs(((HeartbeatRequestData) request).generationId()));
        }
    }

    /** The port of a door with the handler above. */
    private int serve() throws Exception {
        NetworkConfig network =
                new NetworkConfig(2, -1, -1, 50, 1 << 20, -1, 100, 600_000, 1_000, 1_000, Map.of(), 1_000_000, 600_000);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Door door = Door.ofClients(test.loops, List.of(new Door.Address("CONTROLLER", any)), network, allocator);
        test.vertx
                .deployVerticle(() -> new KafkaServerVerticle(door), new DeploymentOptions().setInstances(2))
                .toCompletionStage()
                .toCompletableFuture()
                .get(TestLoops.PATIENCE_SECONDS, TimeUnit.SECONDS);
        door.open(owner -> {
            Instance instance = new Instance(
                    new HandlerTable(List.of(new Echo(), new ApiVersionsHandler(1))),
                    new NettyBufferPool(allocator),
                    new RequestMemory(1 << 24),
                    new ConnectionLimits(1 << 20, 100, 600_000, 600_000, 600_000),
                    new SystemClock(),
                    new MicrometerMetrics(),
                    () -> MetadataImage.empty("test"));
            return (info, transport) -> new Connection(info, transport, instance);
        });
        return door.port(0);
    }

    private Peers peers(int loop) {
        OwnerLoop owner = test.loops.get(loop);
        return new PeerConnections(
                new SocketPeers(test.vertx, owner, allocator),
                new NettyBufferPool(allocator),
                new VertxTimers(owner),
                "node-1");
    }

    private static HeartbeatRequestData heartbeat(int number) {
        return new HeartbeatRequestData().setGroupId("g").setMemberId("m").setGenerationId(number);
    }

    @Test
    void requestsAreAnsweredOnTheLoopThatAsks() throws Exception {
        int port = serve();
        for (int loop = 0; loop < 2; loop++) {
            int self = loop;
            List<Integer> answers = test.on(loop, (CompletableFuture<List<Integer>> done) -> {
                Peers.Peer line = peers(self).line(new Peers.Address("localhost", port));
                List<Integer> got = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    line.send(heartbeat(i), 60_000, (answer, failure) -> {
                        if (failure != null || !test.loops.get(self).isCurrentThread()) {
                            done.completeExceptionally(new AssertionError(failure));
                            return;
                        }
                        got.add(((HeartbeatResponseData) answer.message()).throttleTimeMs());
                        if (got.size() == 100) {
                            line.close();
                            done.complete(got);
                        }
                    });
                }
            });
            for (int i = 0; i < 100; i++) {
                assertEquals(i, answers.get(i));
            }
        }
    }

    @Test
    void aPortThatNobodyListensOnIsRefusedAndANameThatIsNoneIsUnreachable() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        assertEquals(FailureCode.PEER_REFUSED, failure(new Peers.Address("127.0.0.1", free)));
        assertEquals(FailureCode.PEER_UNREACHABLE, failure(new Peers.Address("no-such-host.invalid", 9093)));
    }

    private FailureCode failure(Peers.Address to) throws Exception {
        return test.on(0, (CompletableFuture<FailureCode> done) -> {
            Peers.Peer line = peers(0).line(to);
            line.send(heartbeat(1), 60_000, (answer, failure) -> {
                line.close();
                done.complete(failure.code());
            });
        });
    }

    @Test
    void aLineThatIsClosedWhileItDialsLeavesNoConnection() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            FailureCode code = test.on(0, (CompletableFuture<FailureCode> done) -> {
                Peers.Peer line = peers(0).line(new Peers.Address("127.0.0.1", server.getLocalPort()));
                line.send(heartbeat(1), 60_000, (answer, failure) -> done.complete(failure.code()));
                line.close();
            });
            assertEquals(FailureCode.SHUTTING_DOWN, code);
            try (java.net.Socket accepted = server.accept()) {
                assertEquals(-1, accepted.getInputStream().read(), "closed, with nothing said");
            }
        }
    }

    @Test
    void whoClosesTheConnectionLosesTheRequest() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread closing = new Thread(() -> {
                try {
                    server.accept().close();
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            closing.start();
            FailureCode code = failure(new Peers.Address("127.0.0.1", server.getLocalPort()));
            assertTrue(code == FailureCode.PEER_UNREACHABLE || code == FailureCode.PEER_LOST, code.toString());
            closing.join();
        }
    }
}
