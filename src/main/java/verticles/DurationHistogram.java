package verticles;

import common.Metrics;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Durations in buckets that each double the last one, from 1 microsecond to about 18 minutes: recording one is three additions. Quantiles read from it are
 * right to within a factor of two of the bucket, interpolated. Thread safe.
 */
final class DurationHistogram implements Metrics.Histogram, MicrometerMetrics.Instrument {
    private static final double[] QUANTILES = {0.5, 0.95, 0.99, 0.999};
    private static final int FIRST_BUCKET_BITS = 10;
    private static final int BUCKETS = 31;

    private final AtomicLongArray buckets = new AtomicLongArray(BUCKETS);
    private final LongAdder count = new LongAdder();
    private final LongAdder totalNanos = new LongAdder();
    private final String name;
    private final String help;
    private final String[] tags;

    DurationHistogram(String name, String help, String[] tags) {
        this.name = name;
        this.help = help;
        this.tags = tags;
    }

    @Override
    public void record(long nanos) {
        buckets.getAndIncrement(bucket(nanos));
        count.increment();
        totalNanos.add(nanos);
    }

    private static int bucket(long nanos) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(nanos, 0));
        return Math.min(Math.max(bits - FIRST_BUCKET_BITS, 0), BUCKETS - 1);
    }

    /** Nanoseconds at quantile {@code q} in (0, 1); 0 when nothing was recorded. */
    double quantile(double q) {
        long[] counts = new long[BUCKETS];
        long all = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            counts[bucket] = buckets.get(bucket);
            all += counts[bucket];
        }
        double rank = q * all;
        long below = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            if (counts[bucket] > 0 && below + counts[bucket] >= rank) {
                double low = bucket == 0 ? 0 : 1L << (bucket + FIRST_BUCKET_BITS - 1);
                double high = 1L << (bucket + FIRST_BUCKET_BITS);
                return low + (high - low) * (rank - below) / counts[bucket];
            }
            below += counts[bucket];
        }
        return 0;
    }

    @Override
    public void bind(MeterRegistry registry) {
        FunctionTimer.builder(name, this, it -> it.count.sum(), it -> it.totalNanos.sum(), TimeUnit.NANOSECONDS)
                .description(help)
                .tags(Tags.of(tags))
                .register(registry);
        for (double quantile : QUANTILES) {
            Gauge.builder(name + "_quantile_seconds", this, it -> it.quantile(quantile) / 1e9)
                    .description(help)
                    .tags(Tags.of(tags).and("quantile", String.valueOf(quantile)))
                    .register(registry);
        }
    }
}
