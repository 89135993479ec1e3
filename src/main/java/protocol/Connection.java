package protocol;

import common.Failure;
import common.FailureCode;
import common.InvariantViolation;
import java.util.ArrayDeque;
import metadata.MetadataImage;
import org.apache.kafka.common.protocol.ApiMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import services.ErrorMapping;

/**
 * One client connection, without its socket: bytes in, answers out in the order of the requests (rule V4), with a bound on what is under way: past it the
 * socket is not read. The host calls it on the server instance's thread.
 */
public final class Connection implements TransportListener, RequestMemory.Waiter {
    private static final Logger log = LoggerFactory.getLogger(Connection.class);
    /** So much output goes to the transport before the read batch is over. */
    private static final int EARLY_WRITE_BYTES = 1 << 20;
    /** Decoded fields that come free; each further one counts as so many bytes, as it may be an object. */
    private static final int FREE_FIELDS = 4096;

    private static final int FIELD_BYTES = 32;

    private final ConnectionInfo info;
    private final Transport transport;
    private final Instance instance;
    private final FrameDecoder frames;
    private final OutputWriter output;
    private final ArrayDeque<Exchange> queue = new ArrayDeque<>();
    private int partialBytes;
    private boolean waitsForMemory;
    private boolean paused;
    private boolean inReadBatch;
    private boolean flushComes;
    private boolean pumping;
    private boolean draining;
    private boolean ended;
    private boolean greeted;
    private final long acceptedNanos;
    private long lastActivity;

    public Connection(ConnectionInfo info, Transport transport, Instance instance) {
        this.info = info;
        this.transport = transport;
        this.instance = instance;
        this.frames = new FrameDecoder(
                instance.buffers(), instance.limits().maxRequestBytes(), "a request", "socket.request.max.bytes");
        this.output = new OutputWriter(instance.buffers());
        this.acceptedNanos = instance.clock().monotonicNanos();
        this.lastActivity = acceptedNanos;
    }

    @Override
    public String id() {
        return info.id();
    }

    public ConnectionInfo info() {
        return info;
    }

    MetadataImage image() {
        return instance.image();
    }

    @Override
    public void onBytes(Chunk chunk) {
        if (ended) {
            chunk.release();
            return;
        }
        inReadBatch = true;
        lastActivity = instance.clock().monotonicNanos();
        frames.feed(chunk);
        pump();
    }

    /** No more bytes for now: what was answered meanwhile is sent with one flush. */
    @Override
    public void onReadComplete() {
        inReadBatch = false;
        writeOut();
    }

    @Override
    public void onFlush() {
        flushComes = false;
        writeOut();
    }

    @Override
    public void onWritable() {
        lastActivity = instance.clock().monotonicNanos();
        drain();
    }

    @Override
    public void onClosed() {
        if (!ended) {
            ended = true;
            drop();
        }
    }

    /** About once a second: closes what idles or stalls. */
    public void onTick() {
        if (ended) {
            return;
        }
        long quietMillis = (instance.clock().monotonicNanos() - lastActivity) / 1_000_000;
        long idle = instance.limits().idleMillis();
        if (idle > 0 && quietMillis >= idle && (queue.isEmpty() || !transport.writable())) {
            end("idle for " + quietMillis + " ms (connections.max.idle.ms)");
        } else if (!greeted
                && !waitsForMemory
                && instance.clock().monotonicNanos() - acceptedNanos
                        >= instance.limits().loginMillis() * 1_000_000) {
            end("no complete request in time (connection.login.timeout.ms)");
        } else if (frames.midFrame()
                && !waitsForMemory
                && quietMillis >= instance.limits().stalledFrameMillis()
                && instance.memory().contended()) {
            end("a request stopped half-way for " + quietMillis + " ms while others wait for its memory");
        }
    }

    @Override
    public int missingBytes() {
        return ended ? 0 : frames.missing();
    }

    /** True if every request that was read has been answered and its answer written. */
    public boolean quiet() {
        return queue.isEmpty() && output.pending() == 0;
    }

    @Override
    public void memoryAvailable() {
        waitsForMemory = false;
        pump();
    }

    @Override
    public boolean hasBegun() {
        return frames.midFrame() || frames.hasInput();
    }

    @Override
    public boolean needsNoMore() {
        return frames.atRestOrWhole();
    }

    // ---- requests in

    private void pump() {
        if (pumping || ended) {
            return;
        }
        pumping = true;
        while (mayRead()) {
            FrameBuffer frame = frames.next();
            if (frame == null) {
                break;
            }
            accept(frame);
        }
        pumping = false;
        if (ended) {
            return;
        }
        if (frames.failure() != null) {
            refuse(frames.failure());
            return;
        }
        int held = frames.held();
        if (held != partialBytes) {
            int more = held - partialBytes;
            partialBytes = held;
            instance.memory().partial(more);
        }
        read(mayRead());
    }

    private boolean mayRead() {
        if (ended || queue.size() >= instance.limits().maxInFlight() || !transport.writable()) {
            return false;
        }
        RequestMemory memory = instance.memory();
        if (!memory.mayRead(this) && !waitsForMemory) {
            waitsForMemory = true;
            memory.await(this);
        }
        return !waitsForMemory;
    }

    private void read(boolean wanted) {
        if (ended || paused == !wanted) {
            return;
        }
        paused = !wanted;
        if (wanted) {
            transport.resume();
        } else {
            transport.pause();
        }
    }

    private void accept(FrameBuffer frame) {
        Exchange exchange = new Exchange(this, frame);
        String malformed = instance.decoder().decode(frame, exchange);
        if (malformed != null) {
            frame.release();
            refuse(malformed);
            return;
        }
        int charge = frame.size() + Math.max(0, exchange.fields() - FREE_FIELDS) * FIELD_BYTES;
        int before = partialBytes;
        partialBytes = 0;
        greeted = true;
        exchange.started(instance.clock().monotonicNanos(), charge);
        queue.add(exchange);
        instance.memory().whole(this, before, charge);
        try {
            exchange.handler().handle(exchange, exchange.request(), exchange);
        } catch (InvariantViolation bug) {
            throw bug;
        } catch (RuntimeException bug) {
            handlerFailed(exchange, bug);
        } finally {
            frame.release();
        }
    }

    private void handlerFailed(Exchange exchange, RuntimeException bug) {
        long suppressed = instance.failures().pass();
        if (suppressed >= 0) {
            log.error(
                    "{} version {} from {} failed; answered UNKNOWN_SERVER_ERROR. This is a bug: please report it."
                            + " ({} more such lines suppressed)",
                    exchange.apiKey(),
                    exchange.apiVersion(),
                    info.id(),
                    suppressed,
                    bug);
        }
        if (!exchange.answered()) {
            exchange.done(null, new Failure(FailureCode.INTERNAL, "an unexpected error; see the broker's log"));
        }
    }

    /** Closes for bytes that are no requests (rule V5). */
    private void refuse(String what) {
        long suppressed = instance.badInput().pass();
        if (suppressed >= 0) {
            log.warn(
                    "Closing connection {} on listener {}: it sent {}. Check the client's protocol and settings."
                            + " ({} more such lines suppressed)",
                    info.id(),
                    info.listener(),
                    what,
                    suppressed);
        }
        end(what);
    }

    // ---- answers out

    void onAnswer(Exchange exchange) {
        instance.requestMetrics()
                .answered(exchange.apiKey(), instance.clock().monotonicNanos() - exchange.startNanos());
        settle(exchange);
    }

    /** The connection is to end where the answer of {@code exchange} would stand. */
    void closeAfter(Exchange exchange, String reason) {
        log.debug("Closing connection {}: {}", info.id(), reason);
        settle(exchange);
    }

    private void settle(Exchange exchange) {
        if (ended) {
            FileRangeRecords.releaseAll(exchange.response());
            return;
        }
        boolean first = queue.peek() == exchange;
        instance.memory().release(exchange.charged());
        if (first) {
            drain();
        }
    }

    ApiMessage errorResponse(Exchange exchange, Failure failure) {
        instance.requestMetrics().failed(exchange.apiKey());
        try {
            return ErrorResponses.of(
                    exchange.apiKey(),
                    exchange.apiVersion(),
                    exchange.request(),
                    ErrorMapping.of(failure),
                    failure.message());
        } catch (RuntimeException bug) {
            log.error("No error response for {}; closing connection {}", exchange.apiKey(), info.id(), bug);
            return null;
        }
    }

    void answeredTwice(Exchange exchange, ApiMessage late) {
        FileRangeRecords.releaseAll(late);
        log.error("{} from {} was answered twice; the second answer is dropped", exchange.apiKey(), info.id());
    }

    private void drain() {
        if (draining || ended) {
            return;
        }
        draining = true;
        while (!ended && transport.writable()) {
            Exchange head = queue.peek();
            if (head == null || !head.answered()) {
                break;
            }
            queue.poll();
            send(head);
        }
        draining = false;
        if (!ended) {
            if (output.pending() > 0 && !inReadBatch && !flushComes) {
                flushComes = true;
                transport.flushSoon();
            }
            pump();
        }
    }

    private void send(Exchange exchange) {
        if (exchange.closing()) {
            end("after a request that could not be answered");
            return;
        }
        if (exchange.response() == null) {
            return;
        }
        try {
            ResponseEncoder.encode(
                    exchange.apiKey(), exchange.apiVersion(), exchange.correlationId(), exchange.response(), output);
        } catch (InvariantViolation bug) {
            throw bug;
        } catch (RuntimeException bug) {
            log.error(
                    "The response of {} version {} cannot be encoded; closing connection {}. This is a bug.",
                    exchange.apiKey(),
                    exchange.apiVersion(),
                    info.id(),
                    bug);
            abandonOutput();
            end("a response that cannot be encoded");
            return;
        }
        if (output.pending() >= EARLY_WRITE_BYTES) {
            writeOut();
        }
    }

    private void writeOut() {
        if (ended) {
            return;
        }
        ResponseParts parts = output.take();
        if (parts != null) {
            transport.write(parts);
            transport.flush();
        }
    }

    // ---- the end

    private void end(String reason) {
        if (ended) {
            return;
        }
        writeOut();
        ended = true;
        drop();
        transport.close(reason);
    }

    private void abandonOutput() {
        ResponseParts parts = output.take();
        if (parts != null) {
            parts.release();
        }
    }

    private void drop() {
        abandonOutput();
        frames.close();
        int partial = partialBytes;
        partialBytes = 0;
        Exchange pending = queue.poll();
        while (pending != null) {
            if (pending.answered()) {
                FileRangeRecords.releaseAll(pending.response());
            } else {
                instance.memory().release(pending.charged());
                pending.runOnClosed();
            }
            pending = queue.poll();
        }
        instance.memory().partial(-partial);
        instance.memory().leave(this);
    }
}
