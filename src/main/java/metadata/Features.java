package controller;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Features and their levels, as Apache Kafka 4.4.0 tells its clients (ApiVersions, kafka-features). One is less: kraft.version 1 means a quorum whose
 * voters change while it runs, which is not built, so only 0 is offered.
 */
public final class Features {

    public static final String METADATA_VERSION = "metadata.version";

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
        table.put("eligible.leader.replicas.version", new Range((short) 0, (short) 1));
        table.put("group.version", new Range((short) 0, (short) 1));
        table.put("kraft.version", new Range((short) 0, (short) 0));
        // Level 7 is 3.3-IV3, level 33 is 4.4-IV2.
        table.put(METADATA_VERSION, new Range((short) 7, (short) 33));
        table.put("share.version", new Range((short) 0, (short) 2));
        table.put("streams.version", new Range((short) 0, (short) 1));
        table.put("transaction.version", new Range((short) 0, (short) 2));
        return Collections.unmodifiableMap(table);
    }
}
