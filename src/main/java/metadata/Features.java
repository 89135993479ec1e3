package metadata;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Features and their levels, as Apache Kafka 4.4.0 tells its clients (ApiVersions, kafka-features), so far as they are served here: as in a Kafka without them, there
 * is no share.version and no streams.version while there are no such groups, and no kraft.version while the quorum's voters do not change as it runs.
 */
public final class Features {

    public static final String METADATA_VERSION = "metadata.version";

    /** With it, Kafka keeps {@link #MIN_ISR} for all brokers only (KIP-966). */
    public static final String ELIGIBLE_LEADERS = "eligible.leader.replicas.version";

    public static final String MIN_ISR = "min.insync.replicas";

    /** Finalized by earlier versions of this broker though nothing served them: a start takes them back. */
    public static final List<String> WITHDRAWN = List.of("share.version", "streams.version");

    /** Levels that this node supports, both ends included. */
    public record Range(short min, short max) {}

    private static final Map<String, Range> SUPPORTED = supportedTable();

    private Features() {}

    /** By name, sorted. */
    public static Map<String, Range> supported() {
        return SUPPORTED;
    }

    private static Map<String, Range> supportedTable() {
        TreeMap<String, Range> table = new TreeMap<>();
        table.put(ELIGIBLE_LEADERS, new Range((short) 0, (short) 1));
        table.put("group.version", new Range((short) 0, (short) 1));
        // Level 7 is 3.3-IV3, level 33 is 4.4-IV2.
        table.put(METADATA_VERSION, new Range((short) 7, (short) 33));
        table.put("transaction.version", new Range((short) 0, (short) 2));
        return Collections.unmodifiableMap(table);
    }
}
