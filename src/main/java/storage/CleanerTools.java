package storage;

import common.Clock;
import config.CleanerConfig;

/**
 * What the cleanings of one shard share: memory bounds and the rate at which they may read and write. Confined to the shard.
 */
public final class CleanerTools {

    private static final int LARGEST_STEP = 4 << 20;
    private static final int SMALLEST_STEP = 1 << 16;
    private static final double STEPS_PER_SECOND = 4;
    private static final double NANOS = 1e9;

    private final Clock clock;
    private final long heapShareBytes;
    private final int shards;
    private CleanerConfig config;
    private long freeNanos;

    /**
     * @param heapShareBytes most memory for keys, whatever is configured
     * @param shards that share what is configured
     */
    public CleanerTools(Clock clock, CleanerConfig config, long heapShareBytes, int shards) {
        this.clock = clock;
        this.config = config;
        this.heapShareBytes = heapShareBytes;
        this.shards = shards;
        this.freeNanos = clock.monotonicNanos();
    }

    void configure(CleanerConfig changed) {
        config = changed;
    }

    CleanerConfig config() {
        return config;
    }

    long mapBytes() {
        return Math.min(config.dedupeBufferBytes() / shards, heapShareBytes);
    }

    int bufferBytes() {
        return Math.max(1 << 12, config.ioBufferBytes() / shards / 2);
    }

    /** Bytes for one job: small enough that nothing else waits long for its thread, and that the rate is kept without long pauses. */
    int stepBytes() {
        double byRate = config.maxBytesPerSecond() / STEPS_PER_SECOND;
        return (int) Math.max(SMALLEST_STEP, Math.min(LARGEST_STEP, byRate));
    }

    /** So many bytes were read and written: milliseconds to wait before the next, mostly 0. */
    long pauseMillis(int bytes) {
        long now = clock.monotonicNanos();
        double nanos = bytes / Math.max(1, config.maxBytesPerSecond()) * NANOS;
        freeNanos = Math.max(freeNanos, now) + (long) nanos;
        return (freeNanos - now) / 1_000_000L;
    }
}
