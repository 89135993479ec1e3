package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Rules V4 and V5 on one connection, with handlers that answer when the test says so. */
class ConnectionTest {
    private static final short VERSION = 9;

    /** Keeps every request until told. */
    private static final class Slow implements ApiHandler {
        final List<RequestContext> contexts = new ArrayList<>();
        final List<Callback<ApiMessage>> waiting = new ArrayList<>();

        @Override
        public ApiKeys key() {
            return ApiKeys.METADATA;
        }

        @Override
        public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
            contexts.add(context);
            waiting.add(respond);
        }

        void answer(int index) {
            waiting.get(index).succeed(new MetadataResponseData().setClusterId("c" + index));
        }
    }

    /** Fails in its own way. */
    private static final class Broken implements ApiHandler {
        @Override
        public ApiKeys key() {
            return ApiKeys.DESCRIBE_CLUSTER;
        }

        @Override
        public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
            throw new IllegalStateException("a bug");
        }
    }

    private final Slow slow = new Slow();
    private final Wire wire = new Wire(List.of(slow, new Broken()), new Images().image());

    private static byte[] metadata(int correlation) {
        return Wire.request(ApiKeys.METADATA, VERSION, correlation, new MetadataRequestData());
    }

    private static byte[] metadata(int from, int to) {
        List<byte[]> all = new ArrayList<>();
        for (int i = from; i < to; i++) {
            all.add(metadata(i));
        }
        return Wire.concat(all);
    }

    @Test
    void answersComeInTheOrderOfRequestsWhateverTheOrderOfCompletion() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Slow handler = new Slow();
            Wire one = new Wire(List.of(handler), new Images().image());
            int total = 1 + random.nextInt(60);
            one.read(metadata(0, total), random);
            List<Integer> open = new ArrayList<>();
            int seen = 0;
            int answered = 0;
            int received = 0;
            while (answered < total) {
                for (; seen < handler.waiting.size(); seen++) {
                    open.add(seen);
                }
                assertTrue(open.size() <= 16, "in-flight bound, seed " + seed);
                handler.answer(open.remove(random.nextInt(open.size())));
                answered++;
                if (random.nextBoolean()) {
                    one.loop();
                }
            }
            one.loop();
            for (ByteBuffer frame : one.transport.frames()) {
                MetadataResponseData response =
                        (MetadataResponseData) Wire.response(ApiKeys.METADATA, VERSION, received, frame);
                assertEquals("c" + received, response.clusterId(), "seed " + seed);
                received++;
            }
            assertEquals(total, received, "seed " + seed);
            assertFalse(one.transport.paused());
            assertEquals(0, one.memory.used(), "seed " + seed);
            assertEquals(0, one.pool.live(), "seed " + seed);
        }
    }

    @Test
    void pastTheInFlightBoundTheSocketIsNotReadAndNothingIsDecoded() {
        wire.read(metadata(0, 40));
        assertEquals(16, slow.waiting.size());
        assertTrue(wire.transport.paused());
        slow.answer(3);
        assertEquals(16, slow.waiting.size(), "the first in line still waits");
        slow.answer(0);
        assertEquals(17, slow.waiting.size());
        assertTrue(wire.transport.paused());
        for (int i = 0; i < 40; i++) {
            if (i != 0 && i != 3) {
                slow.answer(i);
            }
        }
        assertFalse(wire.transport.paused());
        wire.loop();
        assertEquals(40, wire.transport.frames().size());
    }

    @Test
    void oneFlushForAllAnswersOfAReadBatchOrLoopTurn() {
        Wire prompt = new Wire(List.of(new ApiVersionsHandler(1)), new Images().image());
        byte[] ask = Wire.request(
                ApiKeys.API_VERSIONS, (short) 0, 1, new org.apache.kafka.common.message.ApiVersionsRequestData());
        prompt.read(Wire.concat(List.of(ask, ask, ask)));
        assertEquals(1, prompt.transport.flushes());
        assertEquals(3, prompt.transport.frames().size());
        wire.read(metadata(0, 5));
        for (int i = 0; i < 5; i++) {
            slow.answer(i);
        }
        assertEquals(0, wire.transport.flushes());
        wire.loop();
        assertEquals(1, wire.transport.flushes());
        assertEquals(5, wire.transport.frames().size());
    }

    @Test
    void aHandlerThatThrowsAnswersUnknownServerErrorAndTheConnectionGoesOn() {
        wire.read(Wire.request(ApiKeys.DESCRIBE_CLUSTER, (short) 1, 5, new DescribeClusterRequestData()));
        wire.loop();
        DescribeClusterResponseData response = (DescribeClusterResponseData) Wire.response(
                ApiKeys.DESCRIBE_CLUSTER, (short) 1, 5, wire.transport.frames().get(0));
        assertEquals(Errors.UNKNOWN_SERVER_ERROR.code(), response.errorCode());
        assertNull(wire.transport.closed());
        wire.read(metadata(6));
        slow.answer(0);
        wire.loop();
        assertEquals(1, wire.transport.frames().size());
    }

    @Test
    void aFailureIsAnsweredInTheApisOwnForm() {
        wire.read(metadata(1));
        slow.waiting.get(0).done(null, new Failure(FailureCode.TIMED_OUT, "too late"));
        wire.loop();
        assertEquals(1, wire.transport.frames().size());
        assertNull(wire.transport.closed());
    }

    @Test
    void aSilentAnswerKeepsItsPlace() {
        wire.read(metadata(0, 3));
        slow.answer(2);
        slow.waiting.get(0).succeed(null);
        wire.loop();
        assertEquals(0, wire.transport.frames().size());
        slow.answer(1);
        wire.loop();
        List<ByteBuffer> frames = wire.transport.frames();
        assertEquals(2, frames.size());
        Wire.response(ApiKeys.METADATA, VERSION, 1, frames.get(0));
        Wire.response(ApiKeys.METADATA, VERSION, 2, frames.get(1));
    }

    @Test
    void closingForARequestSendsWhatCameBeforeAndNothingAfter() {
        wire.read(metadata(0, 4));
        slow.contexts.get(2).closeConnection("for a reason");
        slow.answer(3);
        slow.answer(0);
        assertNull(wire.transport.closed());
        slow.answer(1);
        assertNotNull(wire.transport.closed());
        assertEquals(2, wire.transport.frames().size());
        wire.connection.onClosed();
        assertEquals(0, wire.memory.used());
        assertEquals(0, wire.pool.live());
    }

    @Test
    void aClosedConnectionCancelsWhatWaitsAndDropsLateAnswers() {
        List<String> cancelled = new ArrayList<>();
        wire.read(metadata(0, 3));
        slow.contexts.get(0).onConnectionClosed(() -> cancelled.add("first"));
        slow.contexts.get(1).onConnectionClosed(() -> cancelled.add("second"));
        slow.answer(1);
        wire.connection.onClosed();
        assertEquals(List.of("first"), cancelled);
        slow.answer(0);
        slow.answer(2);
        assertEquals(0, wire.transport.frames().size());
        assertEquals(0, wire.memory.used());
        assertEquals(0, wire.pool.live());
    }

    @Test
    void aSlowReaderStopsTheReadingNotTheMemory() {
        wire.transport.setWritable(false);
        wire.read(metadata(0, 8));
        assertEquals(0, slow.waiting.size());
        assertTrue(wire.transport.paused());
        wire.transport.setWritable(true);
        wire.connection.onWritable();
        assertEquals(8, slow.waiting.size());
        wire.transport.setWritable(false);
        for (int i = 0; i < 8; i++) {
            slow.answer(i);
        }
        wire.loop();
        assertEquals(0, wire.transport.frames().size(), "not encoded while nobody takes it");
        wire.transport.setWritable(true);
        wire.connection.onWritable();
        wire.loop();
        assertEquals(8, wire.transport.frames().size());
        assertFalse(wire.transport.paused());
    }

    @Test
    void idleConnectionsAreClosedBusyOnesAreNot() {
        wire.read(metadata(0));
        wire.clock.advanceMillis(600_001);
        wire.connection.onTick();
        assertNull(wire.transport.closed(), "a request is under way");
        slow.answer(0);
        wire.loop();
        wire.connection.onTick();
        assertNotNull(wire.transport.closed());
    }

    @Test
    void whoSendsNoCompleteRequestInTimeIsClosed() {
        byte[] request = metadata(0);
        wire.read(Arrays.copyOf(request, request.length - 1));
        wire.clock.advanceMillis(29_999);
        wire.connection.onTick();
        assertNull(wire.transport.closed());
        wire.clock.advanceMillis(1);
        wire.connection.onTick();
        assertNotNull(wire.transport.closed());
    }

    @Test
    void whoHasSentOneMayBeSilent() {
        wire.read(metadata(0));
        slow.answer(0);
        wire.loop();
        wire.clock.advanceMillis(40_000);
        wire.connection.onTick();
        assertNull(wire.transport.closed());
    }

    @Test
    void garbageClosesTheConnection() {
        List<byte[]> inputs = List.of(
                ByteBuffer.allocate(7).putInt(3).put(new byte[3]).array(),
                frame(9999, 0),
                frame(-1, 0),
                frame(3, 99),
                frame(3, -1),
                "GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        for (byte[] input : inputs) {
            Wire one = new Wire(List.of(new Slow(), new ApiVersionsHandler(1)), new Images().image());
            one.read(input);
            assertNotNull(one.transport.closed());
            assertEquals(0, one.pool.live());
            assertEquals(0, one.memory.used());
        }
    }

    private static byte[] frame(int key, int version) {
        ByteBuffer bytes = ByteBuffer.allocate(4 + 2 + 2 + 4 + 3 + 8);
        return bytes.putInt(19)
                .putShort((short) key)
                .putShort((short) version)
                .putInt(1)
                .putShort((short) 1)
                .put((byte) 'c')
                .array();
    }
}
