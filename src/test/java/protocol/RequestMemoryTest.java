package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import sim.NoMetrics;

/** Request memory is bounded over connections and half-read requests cannot block each other. */
class RequestMemoryTest {
    private static final int LIMIT = 1 << 20;
    private static final int BODY = 300_000;

    private final PoisoningPool pool = new PoisoningPool();
    private final ManualClock clock = new ManualClock();
    private final RequestMemory memory = new RequestMemory(LIMIT);
    private final List<Callback<ApiMessage>> waiting = new ArrayList<>();
    private final Instance instance = new Instance(
            new HandlerTable(List.of(new ApiHandler() {
                @Override
                public ApiKeys key() {
                    return ApiKeys.METADATA;
                }

                @Override
                public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
                    waiting.add(respond);
                }
            })),
            pool,
            memory,
            new ConnectionLimits(1 << 20, 8, 600_000, 30_000, 10_000),
            clock,
            new NoMetrics(),
            () -> new Images().image());

    private final class Client {
        final RecordingTransport transport = new RecordingTransport();
        final Connection connection = new Connection(Wire.info("c"), transport, instance);
        final byte[] bytes;
        int at;

        Client() {
            MetadataRequestData request = new MetadataRequestData();
            request.topics().add(new MetadataRequestData.MetadataRequestTopic().setName("x".repeat(30_000)));
            for (int i = 1; i < BODY / 30_000; i++) {
                request.topics().add(new MetadataRequestData.MetadataRequestTopic().setName("x".repeat(30_000)));
            }
            bytes = Wire.request(ApiKeys.METADATA, (short) 4, 1, request);
        }

        Client(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean step(int bytesPerRead) {
            if (at == bytes.length || transport.paused()) {
                return false;
            }
            int to = Math.min(bytes.length, at + bytesPerRead);
            connection.onBytes(pool.read(bytes, at, to));
            connection.onReadComplete();
            at = to;
            return true;
        }
    }

    @Test
    void manyLargeRequestsAtOnceStayNearTheBoundAndAllFinish() {
        for (long seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                clients.add(new Client());
            }
            int answered = 0;
            while (answered < clients.size()) {
                boolean moved = false;
                int start = random.nextInt(clients.size());
                for (int i = 0; i < clients.size(); i++) {
                    moved |= clients.get((start + i) % clients.size()).step(1 + random.nextInt(20_000));
                    assertTrue(memory.used() <= LIMIT * 3 / 2 + 4 * BODY, "used " + memory.used() + ", seed " + seed);
                }
                if (!moved || random.nextInt(20) == 0) {
                    assertTrue(moved || !waiting.isEmpty(), "stuck at " + answered + ", seed " + seed);
                    if (!waiting.isEmpty()) {
                        waiting.remove(0).succeed(new MetadataResponseData());
                        answered++;
                    }
                }
            }
            assertEquals(0, memory.used(), "seed " + seed);
            clients.forEach(each -> each.connection.onClosed());
        }
    }

    @Test
    void whoStopsHalfWayWhileOthersWaitIsClosed() {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            clients.add(new Client());
        }
        for (int round = 0; round < 10; round++) {
            clients.forEach(each -> each.step(20_000));
        }
        assertTrue(memory.contended());
        assertEquals(0, waiting.size(), "nobody got through while all were half-way");
        Client goesOn = clients.stream()
                .filter(each -> !each.transport.paused())
                .findFirst()
                .orElseThrow();
        clock.advanceMillis(10_001);
        for (Client each : clients) {
            each.connection.onTick();
            if (each != goesOn && each.transport.paused()) {
                assertNull(each.transport.closed(), "it is us who do not read it");
            }
        }
        assertNotNull(goesOn.transport.closed());
        assertTrue(clients.stream().anyMatch(each -> each != goesOn && !each.transport.paused()), "the next goes on");
    }

    /** Old and new connections alike: whoever sends small requests is served while all of the memory is held by requests that stopped half-way. */
    @Test
    void smallRequestsAreServedWhileStalledOnesHoldTheMemory() {
        Client old = new Client(small());
        while (old.step(1 << 20)) {}
        waiting.remove(0).succeed(new MetadataResponseData());
        List<Client> stalled = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            stalled.add(new Client());
        }
        for (int round = 0; round < 10; round++) {
            stalled.forEach(each -> each.step(20_000));
        }
        assertTrue(memory.contended() && memory.used() >= LIMIT);
        Client fresh = new Client(small());
        for (int request = 0; request < 5; request++) {
            for (Client each : List.of(old, fresh)) {
                each.at = 0;
                assertTrue(each.step(1 << 20), "not read, request " + request);
                assertEquals(1, waiting.size(), "not served, request " + request);
                waiting.remove(0).succeed(new MetadataResponseData());
            }
        }
        Client another = new Client();
        assertTrue(another.step(20_000));
        assertTrue(another.transport.paused(), "a large one stands in line");
    }

    private static byte[] small() {
        return Wire.request(ApiKeys.METADATA, (short) 4, 1, new MetadataRequestData());
    }

    @Test
    void fieldsCountMoreThanTheirBytes() {
        MetadataRequestData request = new MetadataRequestData();
        for (int i = 0; i < 100_000; i++) {
            request.topics().add(new MetadataRequestData.MetadataRequestTopic().setName(""));
        }
        byte[] bytes = Wire.request(ApiKeys.METADATA, (short) 4, 1, request);
        Connection connection = new Connection(Wire.info("c"), new RecordingTransport(), instance);
        connection.onBytes(pool.read(bytes, 0, bytes.length));
        assertTrue(memory.used() > 3_000_000, "counted " + memory.used() + " for 100,000 objects");
        connection.onClosed();
        assertEquals(0, memory.used());
    }
}
