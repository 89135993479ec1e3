package protocol;

import java.util.List;

/** The features that this broker understands, with the ranges of Kafka 4.4.0; which levels are in force is in the metadata image. */
public final class BrokerFeatures {

    /** A feature and the levels that are understood. */
    public record Range(String name, short min, short max) {
        Range(String name, int min, int max) {
            this(name, (short) min, (short) max);
        }
    }

    public static final List<Range> SUPPORTED = List.of(
            new Range("eligible.leader.replicas.version", 0, 1),
            new Range("group.version", 0, 1),
            new Range("kraft.version", 0, 1),
            new Range("metadata.version", 7, 33),
            new Range("share.version", 0, 2),
            new Range("streams.version", 0, 1),
            new Range("transaction.version", 0, 2));

    private BrokerFeatures() {}
}
