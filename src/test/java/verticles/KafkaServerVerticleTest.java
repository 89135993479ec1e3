package verticles;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import config.NetworkConfig;
import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.DeploymentOptions;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import metadata.MetadataImage;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import protocol.ApiHandler;
import protocol.Connection;
import protocol.ConnectionLimits;
import protocol.HandlerTable;
import protocol.Instance;
import protocol.RequestContext;
import protocol.RequestMemory;
import protocol.ResponseParts;
import protocol.Transport;
import storage.FileHandle;
import storage.FileRange;
import storage.FileSystem.Mode;

/** Real sockets against real event loops; behind them a handler that answers each Heartbeat with its own generation as throttle time. */
@Timeout(600)
class KafkaServerVerticleTest {
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final TestLoops test = newLoops();
    private final Map<Integer, Transport> transports = new ConcurrentHashMap<>();
    private final AtomicInteger handled = new AtomicInteger();
    private final List<Callback<ApiMessage>> parked = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();
    private Door door;
    private Door.Connections connections;
    private boolean open = true;
    private String deployment;

    @TempDir
    Path directory;

    /** As production has them: epoll where it loads. */
    TestLoops newLoops() {
        return new TestLoops(2, true);
    }

    private final class HeartbeatHandler implements ApiHandler {
        @Override
        public ApiKeys key() {
            return ApiKeys.HEARTBEAT;
        }

        @Override
        public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
            handled.incrementAndGet();
            HeartbeatRequestData heartbeat = (HeartbeatRequestData) request;
            if (heartbeat.memberId().equals("park")) {
                parked.add(respond);
            } else if (heartbeat.memberId().equals("bug")) {
                throw new IllegalStateException("planted");
            } else {
                respond.succeed(new HeartbeatResponseData().setThrottleTimeMs(heartbeat.generationId()));
            }
        }
    }

    private static NetworkConfig network(int maxConnections, int maxPerIp, int rate) {
        return new NetworkConfig(
                2, -1, -1, 50, 1 << 20, -1, 100, 600_000, maxConnections, maxPerIp, Map.of(), rate, 600_000);
    }

    private int start(NetworkConfig network, String... hosts) throws Exception {
        PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
        List<Door.Address> addresses = new ArrayList<>();
        for (String host : hosts) {
            addresses.add(new Door.Address("PLAINTEXT", new InetSocketAddress(InetAddress.getByName(host), 0)));
        }
        door = Door.ofClients(test.loops, addresses, network, allocator);
        connections = owner -> {
            Instance instance = new Instance(
                    new HandlerTable(List.of(new HeartbeatHandler())),
                    new NettyBufferPool(allocator),
                    new RequestMemory(1 << 24),
                    new ConnectionLimits(1 << 20, 100, 600_000, 600_000, 600_000),
                    new SystemClock(),
                    new MicrometerMetrics(),
                    () -> MetadataImage.empty("test"));
            return (info, transport) -> {
                transports.put(info.clientPort(), transport);
                return new Connection(info, transport, instance);
            };
        };
        deployment = test.vertx
                .deployVerticle(() -> new KafkaServerVerticle(door), new DeploymentOptions().setInstances(2))
                .toCompletionStage()
                .toCompletableFuture()
                .get(TestLoops.PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (open) {
            door.open(connections);
        }
        return door.port(0);
    }

    private void stop() throws Exception {
        test.vertx
                .undeploy(deployment)
                .toCompletionStage()
                .toCompletableFuture()
                .get(TestLoops.PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        test.close();
        assertEquals(List.of(), test.fatal);
    }

    private Socket connect(int port) throws IOException {
        return connect("127.0.0.1", port);
    }

    private Socket connect(String host, int port) throws IOException {
        Socket socket = new Socket(host, port);
        socket.setSoTimeout(TestLoops.PATIENCE_SECONDS * 1_000);
        sockets.add(socket);
        return socket;
    }

    private static byte[] heartbeat(int correlation, int generation, String member) {
        ByteBuffer bytes = ByteBuffer.allocate(200 + member.length());
        bytes.position(4);
        bytes.putShort(ApiKeys.HEARTBEAT.id)
                .putShort((short) 1)
                .putInt(correlation)
                .putShort((short) -1);
        text(bytes, "group");
        bytes.putInt(generation);
        text(bytes, member);
        bytes.putInt(0, bytes.position() - 4);
        return java.util.Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static void text(ByteBuffer bytes, String text) {
        bytes.putShort((short) text.length()).put(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void expect(DataInputStream in, int correlation, int generation) throws IOException {
        assertEquals(10, in.readInt(), "length");
        assertEquals(correlation, in.readInt());
        assertEquals(generation, in.readInt());
        assertEquals(0, in.readShort(), "error code");
    }

    private static void assertClosed(Socket socket) throws IOException {
        try {
            assertEquals(-1, socket.getInputStream().read());
        } catch (java.net.SocketException reset) {
            // Closed with bytes of ours unread.
        }
    }

    @Test
    void answersOnBothLoopsOfTwoListeners() throws Exception {
        start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1", "0.0.0.0");
        assertTrue(door.port(0) > 0 && door.port(1) > 0 && door.port(0) != door.port(1));
        for (int client = 0; client < 8; client++) {
            Socket socket = connect(door.port(client % 2));
            socket.getOutputStream().write(heartbeat(client, 100 + client, "m"));
            expect(new DataInputStream(socket.getInputStream()), client, 100 + client);
        }
        assertEquals(8, door.admission().open());
    }

    /** Clients and controllers may both have free ports; those of controllers come to the loop where the controller lives. */
    @Test
    void controllersHaveADoorOfTheirOwnOnLoop0() throws Exception {
        int clients = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1");
        List<Door.Address> addresses =
                List.of(new Door.Address("CONTROLLER", new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        Door own = Door.ofControllers(test.loops, addresses, network(UNLIMITED, 8, UNLIMITED), door.allocator());
        String second = test.vertx
                .deployVerticle(() -> new KafkaServerVerticle(own), new DeploymentOptions().setInstances(2))
                .toCompletionStage()
                .toCompletableFuture()
                .get(TestLoops.PATIENCE_SECONDS, TimeUnit.SECONDS);
        List<Integer> loops = new ArrayList<>();
        own.open(loop -> {
            loops.add(loop.index());
            return connections.apply(loop);
        });
        assertTrue(own.port(0) > 0 && own.port(0) != clients);
        assertEquals(0, own.find("CONTROLLER"));
        assertEquals(-1, own.find("PLAINTEXT"));
        for (int client = 0; client < 8; client++) {
            Socket socket = connect(own.port(0));
            socket.getOutputStream().write(heartbeat(client, client, "m"));
            expect(new DataInputStream(socket.getInputStream()), client, client);
        }
        assertEquals(List.of(0), loops);
        assertEquals(0, door.admission().open(), "they take no client's place");
        test.vertx
                .undeploy(second)
                .toCompletionStage()
                .toCompletableFuture()
                .get(TestLoops.PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void whoComesEarlyIsServedOnceTheNodeServes() throws Exception {
        open = false;
        int port = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1");
        List<Socket> early = new ArrayList<>();
        for (int client = 0; client < 5; client++) {
            early.add(connect(port));
            early.get(client).getOutputStream().write(heartbeat(client, client, "m"));
        }
        early.remove(4).close();
        assertEquals(0, handled.get());
        door.open(connections);
        for (int client = 0; client < 4; client++) {
            expect(new DataInputStream(early.get(client).getInputStream()), client, client);
        }
    }

    @Test
    void aPortInUseIsRefusedWithWordsForPeople() throws Exception {
        int port = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1");
        Door second = Door.ofClients(
                test.loops,
                List.of(new Door.Address("PLAINTEXT", new InetSocketAddress(InetAddress.getLoopbackAddress(), port))),
                network(UNLIMITED, UNLIMITED, UNLIMITED),
                door.allocator());
        TestLoops other = newLoops();
        Door foreign = Door.ofClients(other.loops, second.addresses(), second.network(), second.allocator());
        ExecutionException failed = assertThrows(
                ExecutionException.class,
                () -> other.vertx
                        .deployVerticle(() -> new KafkaServerVerticle(foreign), new DeploymentOptions().setInstances(2))
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(TestLoops.PATIENCE_SECONDS, TimeUnit.SECONDS));
        other.close();
        assertTrue(failed.getCause() instanceof StartException, String.valueOf(failed.getCause()));
        assertTrue(
                failed.getCause().getMessage().contains(String.valueOf(port)),
                failed.getCause().getMessage());
    }

    @Test
    void ipv6() throws Exception {
        if (!hasIpv6()) {
            assertThrows(ExecutionException.class, () -> start(network(UNLIMITED, UNLIMITED, UNLIMITED), "::1"));
            return;
        }
        int port = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "::1");
        Socket socket = connect("::1", port);
        socket.getOutputStream().write(heartbeat(1, 2, "m"));
        expect(new DataInputStream(socket.getInputStream()), 1, 2);
    }

    private static boolean hasIpv6() {
        byte[] loopback = new byte[16];
        loopback[15] = 1;
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getByAddress(loopback))) {
            return any.isBound();
        } catch (IOException without) {
            return false;
        }
    }

    @Test
    void pipelinedRequestsCutAnywhereAreAnsweredInOrder() throws Exception {
        Random random = new Random(5);
        int port = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1");
        Socket socket = connect(port);
        socket.setTcpNoDelay(true);
        int requests = 3_000;
        ByteBuffer all = ByteBuffer.allocate(1 << 20);
        for (int request = 0; request < requests; request++) {
            all.put(heartbeat(request, request * 3, "member-" + random.nextInt(1000)));
        }
        CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
            int position = 0;
            while (position < all.position()) {
                int length = Math.min(all.position() - position, 1 + random.nextInt(random.nextBoolean() ? 20 : 5_000));
                try {
                    socket.getOutputStream().write(all.array(), position, length);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
                position += length;
            }
        });
        DataInputStream in = new DataInputStream(socket.getInputStream());
        for (int request = 0; request < requests; request++) {
            expect(in, request, request * 3);
        }
        sent.get();
    }

    /** Parts of memory and of files leave in order, whole, and give their references back; the file stays open for others. */
    @Test
    void filesAreSentInPlace() throws Exception {
        int port = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1");
        Socket socket = connect(port);
        socket.getOutputStream().write(heartbeat(1, 1, "m"));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        expect(in, 1, 1);
        byte[] content = new byte[3 << 20];
        new Random(7).nextBytes(content);
        RealFileSystem files = new RealFileSystem(directory);
        FileHandle file = files.open("segment", Mode.CREATE_NEW);
        file.write(new ByteBuffer[] {ByteBuffer.wrap(content)}, 1, 0);
        Transport transport = transports.get(socket.getLocalPort());
        NettyBufferPool pool = new NettyBufferPool(door.allocator());
        for (int loop = 0; loop < 2; loop++) {
            int self = loop;
            test.on(loop, (CompletableFuture<Void> done) -> {
                if (((SocketConnection) transport).owner().index() == self) {
                    ResponseParts parts = new ResponseParts();
                    var chunk = pool.acquire(4);
                    parts.add(chunk, chunk.bytes().duplicate().putInt(42).flip());
                    assertTrue(file.retain());
                    parts.add(new FileRange(file, 100, 2 << 20));
                    assertTrue(file.retain());
                    parts.add(new FileRange(file, 5, 10));
                    var last = pool.acquire(8);
                    last.bytes().putInt(1).putInt(43);
                    parts.add(last, last.bytes().duplicate().flip().position(4).slice());
                    transport.write(parts);
                    transport.flush();
                }
                done.complete(null);
            });
        }
        assertEquals(42, in.readInt());
        assertArrayEquals(java.util.Arrays.copyOfRange(content, 100, 100 + (2 << 20)), in.readNBytes(2 << 20));
        assertArrayEquals(java.util.Arrays.copyOfRange(content, 5, 15), in.readNBytes(10));
        assertEquals(43, in.readInt());
        socket.getOutputStream().write(heartbeat(2, 2, "m"));
        expect(in, 2, 2);
        assertEquals(1, file.read(ByteBuffer.allocate(1), 0), "still open");
        file.release();
        assertTrue(!file.retain(), "all references came back");
    }

    @Test
    void limitsOfConnections() throws Exception {
        int port = start(network(3, 2, UNLIMITED), "127.0.0.1");
        Socket first = connect(port);
        Socket second = connect(port);
        for (Socket socket : List.of(first, second)) {
            socket.getOutputStream().write(heartbeat(1, 1, "m"));
            expect(new DataInputStream(socket.getInputStream()), 1, 1);
        }
        assertClosed(connect(port));
        first.close();
        // A place that became free can be taken, or else the class's time-out ends this.
        Socket again = null;
        while (again == null) {
            Socket socket = connect(port);
            try {
                socket.getOutputStream().write(heartbeat(1, 9, "m"));
                expect(new DataInputStream(socket.getInputStream()), 1, 9);
                again = socket;
            } catch (IOException refused) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void hostileBytesCloseOnlyTheirOwnConnection() throws Exception {
        int port = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1");
        Socket good = connect(port);
        byte[][] attacks = {
            {0x7f, -1, -1, -1},
            {-1, -1, -1, -1},
            {0, 0, 0, 0},
            {0, 0, 0, 2, 1, 1},
            "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8),
            {0, 0, 0, 12, 0, 99, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
            {0, 0, 0, 14, 0, 12, 0, 1, 0, 0, 0, 1, -1, -1, 0x7f, -1, 0, 0},
        };
        for (byte[] attack : attacks) {
            Socket socket = connect(port);
            socket.getOutputStream().write(attack);
            assertClosed(socket);
        }
        Random random = new Random(99);
        for (int round = 0; round < 50; round++) {
            Socket socket = connect(port);
            byte[] noise = new byte[1 + random.nextInt(2_000)];
            random.nextBytes(noise);
            try {
                socket.getOutputStream().write(noise);
                socket.setSoLinger(true, 0);
            } catch (IOException closedAlready) {
                // As it should be.
            }
            socket.close();
        }
        good.getOutputStream().write(heartbeat(1, 5, "m"));
        expect(new DataInputStream(good.getInputStream()), 1, 5);
    }

    @Test
    void aFailingHandlerIsAnsweredAndDoesNotStopTheBroker() throws Exception {
        int port = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1");
        Socket socket = connect(port);
        socket.getOutputStream().write(heartbeat(1, 5, "bug"));
        socket.getOutputStream().write(heartbeat(2, 6, "m"));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        assertEquals(10, in.readInt());
        assertEquals(1, in.readInt());
        in.readInt();
        assertEquals(-1, in.readShort(), "UNKNOWN_SERVER_ERROR");
        expect(in, 2, 6);
    }

    /** A client that sends without reading is stopped by back-pressure: the broker neither handles nor holds more than the bounds. */
    @Test
    void aClientThatNeverReadsIsStopped() throws Exception {
        int port = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1");
        Socket lazy = new Socket();
        lazy.setReceiveBufferSize(4_096);
        lazy.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        sockets.add(lazy);
        DataOutputStream out = new DataOutputStream(lazy.getOutputStream());
        byte[] request = heartbeat(1, 1, "m");
        byte[] many = new byte[request.length * 1_000];
        for (int copy = 0; copy < 1_000; copy++) {
            System.arraycopy(request, 0, many, copy * request.length, request.length);
        }
        int total = 3_000_000;
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            try {
                for (int sent = 0; sent < total; sent += 1_000) {
                    out.write(many);
                }
            } catch (IOException closed) {
                // The test is over.
            }
        });
        while (handled.get() == 0) {
            Thread.onSpinWait();
        }
        int before = -1;
        while (before != handled.get()) {
            before = handled.get();
            int now = before;
            assertThrows(
                    java.util.concurrent.TimeoutException.class,
                    () -> writer.get(1_500, TimeUnit.MILLISECONDS),
                    "all was taken: " + now);
        }
        assertTrue(before < total, "reading stands still: " + before);
        Socket other = connect(port);
        other.getOutputStream().write(heartbeat(7, 7, "m"));
        expect(new DataInputStream(other.getInputStream()), 7, 7);
        DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(lazy.getInputStream(), 1 << 16));
        for (int answer = 0; answer < 2 * before; answer++) {
            expect(in, 1, 1);
        }
        lazy.close();
        writer.get(TestLoops.PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void stoppingAnswersWhatWasReadAndAcceptsNothingNew() throws Exception {
        int port = start(network(UNLIMITED, UNLIMITED, UNLIMITED), "127.0.0.1");
        Socket idle = connect(port);
        Socket waiting = connect(port);
        waiting.getOutputStream().write(heartbeat(3, 3, "park"));
        while (handled.get() == 0) {
            Thread.onSpinWait();
        }
        CompletableFuture<Void> stopped =
                test.vertx.undeploy(deployment).toCompletionStage().toCompletableFuture();
        assertClosed(idle);
        awaitRefusal(port);
        for (int loop = 0; loop < 2; loop++) {
            int self = loop;
            test.on(loop, (CompletableFuture<Void> done) -> {
                Transport transport = transports.get(waiting.getLocalPort());
                if (((SocketConnection) transport).owner().index() == self) {
                    parked.get(0).succeed(new HeartbeatResponseData().setThrottleTimeMs(3));
                }
                done.complete(null);
            });
        }
        expect(new DataInputStream(waiting.getInputStream()), 3, 3);
        assertClosed(waiting);
        stopped.get(TestLoops.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertEquals(0, door.admission().open());
    }

    /** Ends by the class's time-out if the door stays open. */
    private static void awaitRefusal(int port) {
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertClosed(socket);
            } catch (IOException refused) {
                return;
            }
        }
    }

    @Test
    void aStoppedServerFreesItsPlaces() throws Exception {
        int port = start(network(UNLIMITED, UNLIMITED, 1_000_000), "127.0.0.1");
        Socket socket = connect(port);
        socket.getOutputStream().write(heartbeat(1, 1, "m"));
        expect(new DataInputStream(socket.getInputStream()), 1, 1);
        stop();
        assertClosed(socket);
        assertEquals(0, door.admission().open());
    }
}
