package replication;

/**
 * How many bytes of throttled replicas go to or come from other nodes, against a limit: over a window, as Kafka counts them of samples of which the oldest falls
 * out with time. Confined to the shard.
 */
public final class ReplicationRate {
    private final long[] bytes;
    private final long sampleNanos;
    /** Which sample is the current one, counted from the first. */
    private long current;

    private long oldest;
    private long startNanos;
    private boolean begun;
    private double limit = Double.POSITIVE_INFINITY;

    /**
     * @param samples replication.quota.window.num, > 0
     * @param sampleSeconds replication.quota.window.size.seconds, > 0
     */
    public ReplicationRate(int samples, int sampleSeconds) {
        this.bytes = new long[samples];
        this.sampleNanos = sampleSeconds * 1_000_000_000L;
    }

    /** @param bytesPerSecond Long.MAX_VALUE: no limit */
    public void limit(long bytesPerSecond) {
        limit = bytesPerSecond == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : bytesPerSecond;
    }

    public boolean isLimited() {
        return limit < Double.POSITIVE_INFINITY;
    }

    /** {@code count} bytes were moved. */
    public void record(long count, long nowNanos) {
        if (!begun) {
            begun = true;
            startNanos = nowNanos;
        }
        moveTo(nowNanos);
        bytes[(int) (current % bytes.length)] += count;
    }

    /** No more is to be moved for now. */
    public boolean exceeded(long nowNanos) {
        if (!begun || !isLimited()) {
            return false;
        }
        moveTo(nowNanos);
        long sum = 0;
        for (long each : bytes) {
            sum += each;
        }
        long window = Math.max(sampleNanos, nowNanos - startNanos - oldest * sampleNanos);
        return sum * 1e9 / window > limit;
    }

    private void moveTo(long nowNanos) {
        long now = Math.max(current, (nowNanos - startNanos) / sampleNanos);
        long first = Math.max(current + 1, now - bytes.length + 1);
        for (long sample = first; sample <= now; sample++) {
            bytes[(int) (sample % bytes.length)] = 0;
        }
        if (now - current >= bytes.length) {
            oldest = now;
        } else {
            oldest = Math.max(oldest, now - bytes.length + 1);
        }
        current = now;
    }
}
