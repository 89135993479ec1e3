package compat;

import java.util.Map;

/** Questions that we answer otherwise than Kafka, on purpose, each with the reason. */
final class KnownDifferences {
    static final Map<String, String> REASONS = Map.of(
            "partitions of unknown topic",
            "Kafka says it by the code alone, we also in words",
            "alter: unknown operation",
            "Kafka fails with UNKNOWN_SERVER_ERROR; INVALID_REQUEST says whose mistake it is",
            "alter: unknown key of a broker",
            "Kafka keeps any key for plug-ins; we have none, so it can only be a slip of the pen");

    private KnownDifferences() {}
}
