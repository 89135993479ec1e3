package replication;

/** The timestamps of ListOffsets that are no times (KIP-79, KIP-734, KIP-405, KIP-1005, KIP-1023). */
enum SpecialTimestamp {
    NONE(0),
    LATEST(-1),
    EARLIEST(-2),
    MAX_TIMESTAMP(-3),
    EARLIEST_LOCAL(-4),
    LATEST_TIERED(-5),
    EARLIEST_PENDING_UPLOAD(-6);

    private final long value;

    SpecialTimestamp(long value) {
        this.value = value;
    }

    static SpecialTimestamp of(long timestamp) {
        if (timestamp < 0) {
            for (SpecialTimestamp each : values()) {
                if (each.value == timestamp) {
                    return each;
                }
            }
        }
        return NONE;
    }
}
