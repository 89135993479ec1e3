package verticles;

import common.Metrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/**
 * The machines' instruments, shown through a Micrometer registry in Prometheus form. The instruments themselves are plain adders, so that counting costs
 * nanoseconds; the registry, which takes long to load, is made when somebody first asks for it and from then on sees every instrument. Thread safe.
 */
final class MicrometerMetrics implements Metrics {

    private record Id(String name, String tags) {}

    /** Something that can show itself in a registry. */
    interface Instrument {
        void bind(MeterRegistry registry);
    }

    private final Map<Id, Instrument> instruments = new LinkedHashMap<>();
    private PrometheusMeterRegistry registry;

    @Override
    public Counter counter(String name, String help, String... tags) {
        return find(name, tags, id -> new Adder(name, help, tags), Adder.class);
    }

    @Override
    public void gauge(String name, String help, DoubleSupplier value, String... tags) {
        find(
                name,
                tags,
                id -> to -> Gauge.builder(name, value::getAsDouble)
                        .description(help)
                        .tags(Tags.of(tags))
                        .strongReference(true)
                        .register(to),
                Instrument.class);
    }

    @Override
    public Histogram histogram(String name, String help, String... tags) {
        return find(name, tags, id -> new DurationHistogram(name, help, tags), DurationHistogram.class);
    }

    private synchronized <T extends Instrument> T find(
            String name, String[] tags, Function<Id, ? extends Instrument> make, Class<T> type) {
        Instrument found = instruments.computeIfAbsent(new Id(name, Arrays.toString(tags)), id -> {
            Instrument made = make.apply(id);
            if (registry != null) {
                made.bind(registry);
            }
            return made;
        });
        return type.cast(found);
    }

    /** The registry with all instruments; the first call takes a while. */
    synchronized PrometheusMeterRegistry registry() {
        if (registry == null) {
            PrometheusMeterRegistry made = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            instruments.values().forEach(instrument -> instrument.bind(made));
            registry = made;
        }
        return registry;
    }

    /** All instruments in Prometheus' text form. */
    String scrape() {
        return registry().scrape();
    }

    private static final class Adder implements Counter, Instrument {
        private final LongAdder sum = new LongAdder();
        private final String name;
        private final String help;
        private final String[] tags;

        Adder(String name, String help, String[] tags) {
            this.name = name;
            this.help = help;
            this.tags = tags;
        }

        @Override
        public void add(long amount) {
            sum.add(amount);
        }

        @Override
        public void bind(MeterRegistry to) {
            FunctionCounter.builder(name, sum, LongAdder::sum)
                    .description(help)
                    .tags(Tags.of(tags))
                    .register(to);
        }
    }
}
