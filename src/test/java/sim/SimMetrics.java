package sim;

import common.Metrics;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;

/** Metrics that a test can read back; histograms keep a count only. */
public final class SimMetrics implements Metrics {
    private final TreeMap<String, long[]> cells = new TreeMap<>();
    private final TreeMap<String, DoubleSupplier> gauges = new TreeMap<>();

    @Override
    public Counter counter(String name, String help, String... tags) {
        long[] cell = cell(name, tags);
        return amount -> cell[0] += amount;
    }

    @Override
    public void gauge(String name, String help, DoubleSupplier value, String... tags) {
        gauges.put(key(name, tags), value);
    }

    @Override
    public Histogram histogram(String name, String help, String... tags) {
        long[] cell = cell(name, tags);
        return nanos -> cell[0]++;
    }

    /** A counter's value or a histogram's count; 0 if it was never made. */
    public long count(String name, String... tags) {
        long[] cell = cells.get(key(name, tags));
        return cell == null ? 0 : cell[0];
    }

    /** All counters above zero, by name and tags. */
    public TreeMap<String, Long> counts() {
        TreeMap<String, Long> counts = new TreeMap<>();
        cells.forEach((name, cell) -> {
            if (cell[0] > 0) {
                counts.put(name, cell[0]);
            }
        });
        return counts;
    }

    /** A gauge's value; NaN if it was never made. */
    public double gauge(String name, String... tags) {
        DoubleSupplier supplier = gauges.get(key(name, tags));
        return supplier == null ? Double.NaN : supplier.getAsDouble();
    }

    private long[] cell(String name, String... tags) {
        return cells.computeIfAbsent(key(name, tags), key -> new long[1]);
    }

    private static String key(String name, String... tags) {
        return tags.length == 0 ? name : name + "{" + String.join(",", tags) + "}";
    }
}
