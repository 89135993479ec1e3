package compat;

import java.util.Map;

/** Questions that we answer otherwise than Kafka, on purpose, each with the reason. */
final class KnownDifferences {
    static final Map<String, String> REASONS = Map.of();

    private KnownDifferences() {}
}
