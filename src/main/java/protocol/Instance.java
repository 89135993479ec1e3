package protocol;

import common.Clock;
import common.Metrics;
import java.util.function.Supplier;
import metadata.MetadataImage;

/** What the connections of one server instance share. */
public record Instance(
        HandlerTable handlers,
        BufferPool buffers,
        RequestMemory memory,
        ConnectionLimits limits,
        Clock clock,
        Metrics metrics,
        Supplier<MetadataImage> image) {}
