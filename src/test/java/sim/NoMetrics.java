package sim;

import common.Metrics;
import java.util.function.DoubleSupplier;

/** Metrics that go nowhere. */
public final class NoMetrics implements Metrics {
    @Override
    public Counter counter(String name, String help, String... tags) {
        return amount -> {};
    }

    @Override
    public void gauge(String name, String help, DoubleSupplier value, String... tags) {}

    @Override
    public Histogram histogram(String name, String help, String... tags) {
        return nanos -> {};
    }
}
