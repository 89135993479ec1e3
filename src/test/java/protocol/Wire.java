package protocol;

import common.Metrics;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleSupplier;
import metadata.MetadataImage;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import sim.NoMetrics;

/** One connection to a set of handlers, driven with bytes that kafka-clients' own classes encode and decode. */
final class Wire {
    static final int MAX_REQUEST = 1 << 20;

    final PoisoningPool pool = new PoisoningPool();
    final ManualClock clock = new ManualClock();
    final RecordingTransport transport = new RecordingTransport();
    final RequestMemory memory;
    final Instance instance;
    final Connection connection;
    MetadataImage image;
    /** Requests whose handler failed as a whole. */
    int failures;

    Wire(List<? extends ApiHandler> handlers, MetadataImage image) {
        this(handlers, image, new ConnectionLimits(MAX_REQUEST, 16, 600_000, 30_000, 10_000), 64L << 20);
    }

    Wire(List<? extends ApiHandler> handlers, MetadataImage image, ConnectionLimits limits, long memoryBytes) {
        this.image = image;
        this.memory = new RequestMemory(memoryBytes);
        this.instance = new Instance(
                new HandlerTable(handlers), pool, memory, limits, clock, new CountingFailures(), () -> this.image);
        this.connection = new Connection(info("c-1"), transport, instance);
    }

    /** Keeps the count of failed handlers only. */
    private final class CountingFailures implements Metrics {
        private final Metrics none = new NoMetrics();

        @Override
        public Counter counter(String name, String help, String... tags) {
            return name.contains("errors") ? amount -> failures += (int) amount : none.counter(name, help, tags);
        }

        @Override
        public void gauge(String name, String help, DoubleSupplier value, String... tags) {}

        @Override
        public Histogram histogram(String name, String help, String... tags) {
            return none.histogram(name, help, tags);
        }
    }

    static ConnectionInfo info(String id) {
        return new ConnectionInfo(id, "PLAINTEXT", "10.0.0.9", 9092, "10.0.0.7", 50_000);
    }

    static byte[] request(ApiKeys key, short version, int correlation, Message body) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(key.id)
                .setRequestApiVersion(version)
                .setCorrelationId(correlation)
                .setClientId("client");
        short headerVersion = key.requestHeaderVersion(version);
        int size = header.size(cache, headerVersion) + body.size(cache, version);
        ByteBufferAccessor out = new ByteBufferAccessor(ByteBuffer.allocate(4 + size));
        out.writeInt(size);
        header.write(out, cache, headerVersion);
        body.write(out, cache, version);
        return out.buffer().array();
    }

    /** Feeds one read's bytes. */
    void read(byte[] bytes) {
        connection.onBytes(pool.read(bytes, 0, bytes.length));
        connection.onReadComplete();
    }

    /** Feeds bytes in pieces that {@code random} cuts. */
    void read(byte[] bytes, Random random) {
        int at = 0;
        while (at < bytes.length) {
            int to = Math.min(bytes.length, at + 1 + random.nextInt(random.nextBoolean() ? 7 : bytes.length));
            connection.onBytes(pool.read(bytes, at, to));
            if (random.nextBoolean()) {
                connection.onReadComplete();
            }
            at = to;
        }
        connection.onReadComplete();
    }

    void loop() {
        if (transport.takeFlush()) {
            connection.onFlush();
        }
    }

    /** Decodes a response frame; fails unless all of it is used. */
    static ApiMessage response(ApiKeys key, short version, int correlation, ByteBuffer frame) {
        ByteBufferAccessor in = new ByteBufferAccessor(frame);
        ResponseHeaderData header = new ResponseHeaderData(in, key.responseHeaderVersion(version));
        if (header.correlationId() != correlation) {
            throw new AssertionError("correlation id " + header.correlationId() + " instead of " + correlation);
        }
        ApiMessage body = key.messageType.newResponse();
        body.read(in, version);
        if (in.remaining() != 0) {
            throw new AssertionError(in.remaining() + " bytes behind the response");
        }
        return body;
    }

    static byte[] concat(List<byte[]> parts) {
        int size = parts.stream().mapToInt(each -> each.length).sum();
        byte[] all = new byte[size];
        int at = 0;
        for (byte[] each : parts) {
            System.arraycopy(each, 0, all, at, each.length);
            at += each.length;
        }
        return Arrays.copyOf(all, size);
    }
}
