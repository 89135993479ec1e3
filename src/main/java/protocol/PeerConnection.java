package protocol;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Peers;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open connection to another node: greets it (ApiVersions), writes requests, matches answers with them in order. Ends once; {@code ended} is told then,
 * after every unanswered request has failed with PEER_LOST. On its loop.
 */
final class PeerConnection implements TransportListener {
    private static final Logger LOG = LoggerFactory.getLogger(PeerConnection.class);
    /** Fetches are bounded by what they ask for; this stops nonsense. */
    private static final int MAX_ANSWER_BYTES = 128 << 20;

    private static final String SOFTWARE = "highwater";

    private final String id;
    private final Transport transport;
    private final Events events;
    private final FrameDecoder frames;
    private final FrameReader reader = new FrameReader(new StringCache());
    private final OutputWriter output;
    private final RequestEncoder encoder;
    private final ArrayDeque<PeerCall> inFlight = new ArrayDeque<>();
    private PeerVersions versions;
    private int nextCorrelationId;
    private boolean flushComes;
    private boolean ended;

    /** What its line is told. */
    interface Events {
        /** It has been greeted: requests can be written. */
        void ready();

        /** More can be written, perhaps. */
        void writable();

        /** It is gone. */
        void ended();
    }

    PeerConnection(String id, Transport transport, BufferPool buffers, RequestEncoder encoder, Events events) {
        this.id = id;
        this.transport = transport;
        this.events = events;
        this.frames = new FrameDecoder(buffers, MAX_ANSWER_BYTES, "an answer", "the most that is read");
        this.output = new OutputWriter(buffers);
        this.encoder = encoder;
    }

    /** Asks what the other end offers; first of all, once. */
    void greet() {
        ApiVersionsRequestData request =
                new ApiVersionsRequestData().setClientSoftwareName(SOFTWARE).setClientSoftwareVersion("1");
        PeerCall greeting = new PeerCall(request, greeted());
        // Version 3 is the first that names the software; each broker since Kafka 2.4 has it.
        write(greeting, (short) 3);
    }

    private Callback<Peers.Answer> greeted() {
        return (answer, failure) -> {
            if (failure != null || ended) {
                return;
            }
            ApiVersionsResponseData offered = (ApiVersionsResponseData) answer.message();
            if (offered.errorCode() != Errors.NONE.code()) {
                fail("it refused the greeting: " + Errors.forCode(offered.errorCode()));
                return;
            }
            versions = new PeerVersions(offered);
            events.ready();
        };
    }

    boolean mayWrite() {
        return versions != null && !ended && transport.writable();
    }

    /** Only while {@link #mayWrite}. */
    void write(PeerCall call) {
        short version = versions.newest(call.key());
        if (version == PeerVersions.NONE) {
            call.fail(
                    FailureCode.PEER_UNREACHABLE,
                    id + " offers no version of " + call.key() + " that this node knows; its software differs");
            return;
        }
        write(call, version);
    }

    private void write(PeerCall call, short version) {
        call.sent(nextCorrelationId++, version);
        try {
            encoder.encode(call, output);
        } catch (UnsupportedVersionException older) {
            call.fail(
                    FailureCode.PEER_UNREACHABLE,
                    call.key() + " cannot be said in version " + version + " of " + id + ": " + older.getMessage());
            return;
        }
        inFlight.add(call);
        if (!flushComes) {
            flushComes = true;
            transport.flushSoon();
        }
    }

    int inFlight() {
        return inFlight.size();
    }

    /** Gives it up. */
    void close(String why) {
        if (!ended) {
            transport.close(why);
            end(why);
        }
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public void onFlush() {
        flushComes = false;
        ResponseParts written = output.take();
        if (written == null) {
            return;
        }
        if (ended) {
            written.release();
        } else {
            transport.write(written);
            transport.flush();
        }
    }

    @Override
    public void onWritable() {
        if (!ended) {
            events.writable();
        }
    }

    @Override
    public void onBytes(Chunk chunk) {
        if (ended) {
            chunk.release();
            return;
        }
        frames.feed(chunk);
        FrameBuffer frame = frames.next();
        while (frame != null) {
            String wrong;
            try {
                wrong = take(frame);
            } finally {
                frame.release();
            }
            if (wrong != null) {
                fail(wrong);
            }
            frame = ended ? null : frames.next();
        }
        if (!ended && versions != null) {
            events.writable();
        }
        if (!ended && frames.failure() != null) {
            fail("it sent " + frames.failure());
        }
    }

    /** Null, or why the bytes are no answer. */
    private String take(FrameBuffer frame) {
        ByteBuffer bytes = frame.bytes();
        PeerCall call = inFlight.peek();
        if (call == null) {
            return "it answered what it was not asked";
        }
        if (bytes.remaining() < 4) {
            return "an answer of " + bytes.remaining() + " bytes came";
        }
        int correlationId = bytes.getInt();
        if (correlationId != call.correlationId()) {
            return "it answered request " + correlationId + " where " + call.correlationId() + " was to be answered";
        }
        ApiMessage message = call.key().messageType.newResponse();
        try {
            reader.begin(bytes);
            if (call.key().responseHeaderVersion(call.version()) >= 1) {
                reader.skipTags();
            }
            message.read(reader, call.version());
        } catch (BufferUnderflowException shorter) {
            return "an answer to " + call.key() + " ended before its last field";
        } catch (RuntimeException malformed) {
            return "a malformed answer to " + call.key() + " came: " + malformed.getMessage();
        } finally {
            reader.end();
        }
        inFlight.poll();
        call.answer(new Peers.Answer(message, call.version(), frame));
        return null;
    }

    private void fail(String why) {
        if (!ended) {
            LOG.warn("closing the connection to {}: {}; it is opened again when needed", id, why);
            close(why);
        }
    }

    @Override
    public void onReadComplete() {}

    @Override
    public int missingBytes() {
        return ended ? 0 : frames.missing();
    }

    @Override
    public void onClosed() {
        end("the other end closed it, or the network did");
    }

    private void end(String why) {
        if (ended) {
            return;
        }
        ended = true;
        frames.close();
        ResponseParts unsent = output.take();
        if (unsent != null) {
            unsent.release();
        }
        Failure lost = new Failure(FailureCode.PEER_LOST, "the connection to " + id + " ended: " + why);
        while (!inFlight.isEmpty()) {
            inFlight.poll().fail(lost);
        }
        events.ended();
    }
}
