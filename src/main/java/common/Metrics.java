package common;

import java.util.function.DoubleSupplier;

/**
 * Where the machines report. Names and tags follow Kafka's MBeans in Prometheus form (e.g. {@code kafka_server_brokertopicmetrics_bytesin_total}).
 * Instruments are made once and kept in a field; the same name and tags give the same instrument.
 */
public interface Metrics {

    Counter counter(String name, String help, String... tags);

    /** {@code value} is read by the scraping thread at any time: it must be cheap and safe to read without a lock. */
    void gauge(String name, String help, DoubleSupplier value, String... tags);

    /** A distribution of durations in nanoseconds. */
    Histogram histogram(String name, String help, String... tags);

    interface Counter {
        void add(long amount);
    }

    interface Histogram {
        void record(long nanos);
    }
}
