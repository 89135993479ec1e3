package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;

/** Rule V5: whatever bytes come, no exception leaves the connection, nothing leaks, and memory is bounded. Over all of Kafka's request types. */
class HostileInputTest {
    /** Decodes everything, answers nothing. */
    private static final class Swallow implements ApiHandler {
        private final ApiKeys key;
        private ApiMessage expected;
        private int seen;

        Swallow(ApiKeys key) {
            this.key = key;
        }

        @Override
        public ApiKeys key() {
            return key;
        }

        @Override
        public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
            seen++;
            if (expected != null) {
                assertEquals(expected, request);
            }
            respond.succeed(null);
        }
    }

    private static List<Swallow> allKeys() {
        List<Swallow> all = new ArrayList<>();
        for (ApiKeys key : ApiKeys.values()) {
            if (key.hasValidVersion()) {
                all.add(new Swallow(key));
            }
        }
        return all;
    }

    private final List<Swallow> handlers = allKeys();

    private Wire feed(byte[] bytes, Random random, String where) {
        Wire wire = new Wire(handlers, new Images().image());
        try {
            wire.read(bytes, random);
            wire.loop();
            wire.connection.onTick();
        } catch (RuntimeException | Error e) {
            throw new AssertionError(where + ": " + Arrays.toString(bytes), e);
        }
        wire.connection.onClosed();
        assertEquals(0, wire.pool.live(), where);
        assertEquals(0, wire.memory.used(), where);
        return wire;
    }

    /** One filled request of each key and version. */
    private static List<byte[]> samples(ApiKeys key, Random random) {
        List<byte[]> all = new ArrayList<>();
        for (short version : Broker.versions(key)) {
            ApiMessage request = RandomMessages.fill(key.messageType.newRequest(), version, random);
            all.add(Wire.request(key, version, 7, request));
        }
        return all;
    }

    @Test
    void everyRequestOfEveryVersionIsUnderstoodAsByKafkasOwnReader() {
        Random random = new Random(11);
        for (Swallow handler : handlers) {
            for (short version : Broker.versions(handler.key())) {
                ApiMessage request =
                        RandomMessages.fill(handler.key().messageType.newRequest(), version, random);
                handler.expected = handler.key().messageType.newRequest();
                handler.expected.read(MessageUtil.toByteBufferAccessor(request, version), version);
                int before = handler.seen;
                Wire wire = feed(Wire.request(handler.key(), version, 7, request), random, handler.key().name);
                assertNull(wire.transport.closed(), handler.key().name);
                assertEquals(before + 1, handler.seen);
                assertEquals(0, wire.failures, handler.key().name + " version " + version);
            }
            handler.expected = null;
        }
    }

    @Test
    void flippedBitsDoNotUpsetTheDataPlane() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            Broker broker = new Broker(seed);
            List<ApiHandler> served =
                    new ArrayList<>(broker.wire.instance.handlers().all());
            for (int i = 0; i < 20; i++) {
                List<byte[]> samples =
                        samples(served.get(random.nextInt(served.size())).key(), random);
                byte[] sample = samples.get(random.nextInt(samples.size()));
                for (int flips = random.nextInt(4); flips > 0; flips--) {
                    sample[12 + random.nextInt(sample.length - 12)] ^= (byte) (1 << random.nextInt(8));
                }
                broker.wire.read(sample, random);
                broker.settle();
            }
            broker.wire.connection.onClosed();
            broker.settle();
            assertEquals(0, broker.wire.failures, "seed " + seed);
            assertEquals(0, broker.wire.memory.used(), "seed " + seed);
            assertEquals(0, broker.wire.pool.live(), "seed " + seed);
            assertEquals(0, broker.shard.readers(), "seed " + seed);
            assertEquals(0, broker.shard.parked(), "seed " + seed);
        }
    }

    @Test
    void truncationsCloseTheConnection() {
        Random random = new Random(12);
        for (ApiHandler handler : handlers) {
            for (byte[] sample : samples(handler.key(), random)) {
                for (int cut = 1; cut < sample.length - 4; cut += 1 + random.nextInt(1 + sample.length / 40)) {
                    byte[] shorter = Arrays.copyOf(sample, sample.length - cut);
                    ByteBuffer.wrap(shorter).putInt(shorter.length - 4);
                    Wire wire = feed(shorter, random, handler.key().name + " cut by " + cut);
                    assertNotNull(wire.transport.closed(), handler.key().name + " cut by " + cut);
                }
            }
        }
    }

    @Test
    void flippedBitsNeverGetThrough() {
        for (long seed = 0; seed < 12; seed++) {
            Random random = new Random(seed);
            for (ApiHandler handler : handlers) {
                for (byte[] sample : samples(handler.key(), random)) {
                    for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                        sample[4 + random.nextInt(sample.length - 4)] ^= (byte) (1 << random.nextInt(8));
                    }
                    feed(sample, random, handler.key().name + " seed " + seed);
                }
            }
        }
    }

    @Test
    void noiseNeverGetsThrough() {
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            byte[] noise = new byte[12 + random.nextInt(200)];
            random.nextBytes(noise);
            ByteBuffer head = ByteBuffer.wrap(noise);
            ApiKeys key = handlers.get(random.nextInt(handlers.size())).key();
            head.putInt(noise.length - 4).putShort(key.id);
            head.putShort((short) (key.oldestVersion() + random.nextInt(3)));
            feed(noise, random, "seed " + seed);
        }
    }

    @Test
    void hugeCountsReserveNothing() {
        byte[][] counts = {
            {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff},
            {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xfe},
            {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f},
            {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x07},
            {(byte) 0x80, 0, 0, 0}
        };
        for (ApiHandler handler : handlers) {
            for (short version : Broker.versions(handler.key())) {
                for (byte[] count : counts) {
                    for (int before = 0; before < 20; before += 4) {
                        ByteBuffer frame = ByteBuffer.allocate(4 + 8 + 2 + 1 + before + count.length);
                        frame.putInt(frame.capacity() - 4)
                                .putShort(handler.key().id)
                                .putShort(version)
                                .putInt(1);
                        frame.putShort((short) -1).put(new byte[1 + before]).put(count);
                        long allocated = allocated();
                        feed(frame.array(), new Random(before), handler.key().name);
                        assertTrue(allocated() - allocated < 4 << 20, handler.key().name + " allocates for a count");
                    }
                }
            }
        }
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean())
                .getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
