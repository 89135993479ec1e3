package sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * A client's line to one node: encodes requests, decodes answers, checks that they come in the order of the requests (V4), connects again when it was
 * closed. A request without an answer has an unknown outcome.
 */
final class SimLine implements SimWire.ClientEnd {
    private static final int MAX_FRAME = 64 << 20;

    private final SimNet net;
    private final SimRandom random;
    private final String clientId;
    private final int node;
    private final Runnable onConnected;
    private final Runnable onLost;
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private SimWire wire;
    private SimLife answering;
    private byte[] received = new byte[0];
    private int correlation;
    private boolean connecting;
    private boolean stopped;

    /** A request that waits; {@code onAnswer} gets null when its outcome is unknown. */
    private static final class Pending {
        private final int correlation;
        private final ApiKeys key;
        private final short version;
        private final Consumer<ApiMessage> onAnswer;
        private SimScheduler.Event timeout;

        private Pending(int correlation, ApiKeys key, short version, Consumer<ApiMessage> onAnswer) {
            this.correlation = correlation;
            this.key = key;
            this.version = version;
            this.onAnswer = onAnswer;
        }
    }

    /**
     * @param node the first is 0
     * @param onConnected told each time that a new connection is open
     * @param onLost told each time that a connection has ended, or that none came about; before it connects again
     */
    SimLine(SimNet net, SimRandom random, String clientId, int node, Runnable onConnected, Runnable onLost) {
        this.net = net;
        this.random = random;
        this.clientId = clientId;
        this.node = node;
        this.onConnected = onConnected;
        this.onLost = onLost;
    }

    int node() {
        return node;
    }

    boolean up() {
        return wire != null && !stopped;
    }

    int inFlight() {
        return pending.size();
    }

    /** Whose answer is being handled: valid inside of onAnswer with an answer. */
    SimLife answering() {
        return answering;
    }

    /** Connects unless it is, now or a little later, again and again. */
    void connect() {
        if (wire == null && !connecting && !stopped) {
            connecting = true;
            long delay = SimScheduler.MILLI * (1 + random.below(200));
            net.scheduler().after(delay, null, "connect", () -> {
                connecting = false;
                if (!stopped) {
                    wire = net.connect(clientId, node, this);
                    if (wire == null) {
                        onLost.run();
                        connect();
                    } else {
                        received = new byte[0];
                        onConnected.run();
                    }
                }
            });
        }
    }

    /** Gives up for good. */
    void stop() {
        stopped = true;
        disconnect();
    }

    /** Closes the connection; what waits gets no answer; connects again unless stopped. */
    void disconnect() {
        if (wire != null) {
            wire.closeByClient();
            onClosed();
        }
    }

    /**
     * Sends a request on the open connection.
     *
     * @param timeoutMillis after which the client closes the connection
     * @param expectAnswer false for acks=0
     * @param onAnswer gets null when the connection ended first; not called if no answer is expected
     */
    void send(
            ApiKeys key,
            short version,
            ApiMessage request,
            long timeoutMillis,
            boolean expectAnswer,
            Consumer<ApiMessage> onAnswer) {
        if (wire == null) {
            throw new IllegalStateException("not connected");
        }
        int id = correlation++;
        byte[] frame = encode(key, version, id, clientId, request);
        if (expectAnswer) {
            Pending waiting = new Pending(id, key, version, onAnswer);
            pending.add(waiting);
            waiting.timeout = net.scheduler()
                    .after(timeoutMillis * SimScheduler.MILLI, null, "request-timeout", this::disconnect);
        }
        net.trace(clientId, "sends", request);
        SimWire now = wire;
        now.send(frame);
        net.sent(key, frame);
    }

    static byte[] encode(ApiKeys key, short version, int correlation, String clientId, ApiMessage request) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(key.id)
                .setRequestApiVersion(version)
                .setCorrelationId(correlation)
                .setClientId(clientId);
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header, key.requestHeaderVersion(version))
                .buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(request, version).buffer();
        ByteBuffer frame = ByteBuffer.allocate(4 + head.remaining() + body.remaining());
        frame.putInt(head.remaining() + body.remaining()).put(head).put(body);
        return frame.array();
    }

    @Override
    public void onBytes(byte[] bytes) {
        int before = received.length;
        received = Arrays.copyOf(received, before + bytes.length);
        System.arraycopy(bytes, 0, received, before, bytes.length);
        SimWire from = wire;
        int at = 0;
        while (received.length - at >= 4 && wire == from) {
            int length = ByteBuffer.wrap(received, at, 4).getInt();
            if (length < 4 || length > MAX_FRAME) {
                throw new RuleBroken("V5 frames", "answer of length " + length);
            }
            if (received.length - at - 4 < length) {
                break;
            }
            byte[] frame = Arrays.copyOfRange(received, at + 4, at + 4 + length);
            at += 4 + length;
            answer(ByteBuffer.wrap(frame));
        }
        if (wire == from) {
            received = Arrays.copyOfRange(received, at, received.length);
        }
    }

    private void answer(ByteBuffer frame) {
        Pending first = pending.poll();
        if (first == null) {
            throw new RuleBroken(
                    "V4 answers in order", "an answer without a request, correlation id " + frame.getInt(0));
        }
        first.timeout.cancel();
        ByteBufferAccessor readable = new ByteBufferAccessor(frame);
        ResponseHeaderData header = new ResponseHeaderData(readable, first.key.responseHeaderVersion(first.version));
        if (header.correlationId() != first.correlation) {
            throw new RuleBroken(
                    "V4 answers in order", "got " + header.correlationId() + ", waited for " + first.correlation);
        }
        ApiMessage response = ApiMessageType.fromApiKey(first.key.id).newResponse();
        response.read(readable, first.version);
        if (readable.remaining() > 0) {
            throw new RuleBroken("V5 frames", readable.remaining() + " bytes too many in an answer to " + first.key);
        }
        answering = wire.server();
        net.trace(clientId, "gets", response);
        first.onAnswer.accept(response);
    }

    @Override
    public void onClosed() {
        net.trace(clientId, "loses its connection", null);
        wire = null;
        List<Pending> lost = new ArrayList<>(pending);
        pending.clear();
        for (Pending each : lost) {
            each.timeout.cancel();
        }
        for (Pending each : lost) {
            each.onAnswer.accept(null);
        }
        onLost.run();
        connect();
    }
}
