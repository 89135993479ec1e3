package protocol;

import common.Clock;
import common.Metrics;
import java.util.function.Supplier;
import metadata.MetadataImage;

/** What the connections of one server instance share. Confined to its thread. */
public final class Instance {
    private final HandlerTable handlers;
    private final BufferPool buffers;
    private final RequestMemory memory;
    private final ConnectionLimits limits;
    private final Clock clock;
    private final Supplier<MetadataImage> image;
    private final RequestDecoder decoder;
    private final RequestMetrics requestMetrics;
    private final LogLimit badInput;
    private final LogLimit failures;

    /** @param image gives the image applied last; called on this instance's thread */
    public Instance(
            HandlerTable handlers,
            BufferPool buffers,
            RequestMemory memory,
            ConnectionLimits limits,
            Clock clock,
            Metrics metrics,
            Supplier<MetadataImage> image) {
        this.handlers = handlers;
        this.buffers = buffers;
        this.memory = memory;
        this.limits = limits;
        this.clock = clock;
        this.image = image;
        this.decoder = new RequestDecoder(handlers);
        this.requestMetrics = new RequestMetrics(handlers, metrics);
        this.badInput = new LogLimit(clock);
        this.failures = new LogLimit(clock);
    }

    public HandlerTable handlers() {
        return handlers;
    }

    public BufferPool buffers() {
        return buffers;
    }

    public RequestMemory memory() {
        return memory;
    }

    public ConnectionLimits limits() {
        return limits;
    }

    public Clock clock() {
        return clock;
    }

    MetadataImage image() {
        return image.get();
    }

    RequestDecoder decoder() {
        return decoder;
    }

    RequestMetrics requestMetrics() {
        return requestMetrics;
    }

    /** Of clients that send nonsense. */
    LogLimit badInput() {
        return badInput;
    }

    /** Of handlers that fail. */
    LogLimit failures() {
        return failures;
    }
}
