package records;

/** The compression codecs of the batch format, by their id in the attributes and their name in {@code compression.type}. */
public enum Codec {
    NONE(0, "uncompressed"),
    GZIP(1, "gzip"),
    SNAPPY(2, "snappy"),
    LZ4(3, "lz4"),
    ZSTD(4, "zstd");

    /** The value of {@code compression.type} that keeps what the producer chose. */
    public static final String PRODUCER = "producer";

    private static final Codec[] BY_ID = values();

    private final int id;
    private final String configName;

    Codec(int id, String configName) {
        this.id = id;
        this.configName = configName;
    }

    public int id() {
        return id;
    }

    public String configName() {
        return configName;
    }

    /** null for an id that names no codec. */
    public static Codec forId(int id) {
        return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
    }

    /** null for {@link #PRODUCER} and unknown names. */
    public static Codec forConfigName(String name) {
        for (Codec codec : BY_ID) {
            if (codec.configName.equals(name)) {
                return codec;
            }
        }
        return null;
    }
}
