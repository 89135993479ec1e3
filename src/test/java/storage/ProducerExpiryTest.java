package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;

/** Rule P6, for many producers: all of them are looked at, none of the turns is long, and the next round comes after the interval. */
final class ProducerExpiryTest {
    private static final long INTERVAL_MILLIS = 60_000;
    private static final long EXPIRATION_MILLIS = 1_000;

    @Test
    void looksAtAFewAtATime() {
        LogBench bench = new LogBench(1, LogBench.tiny("internal.segment.bytes", "10000000"));
        bench.open();
        int producers = 2 * ProducerExpiry.MOST + 10;
        for (int i = 0; i < producers; i++) {
            bench.append(bench.batch(1, 0, new BatchBuilder.Producer(i, (short) 0, 0, i % 100 == 0)));
        }
        bench.host.runFor(2_000);
        ProducerExpiry expiry =
                new ProducerExpiry(bench.host.ports(), () -> List.of(bench.log), EXPIRATION_MILLIS, INTERVAL_MILLIS);
        expiry.start();
        bench.host.runFor(INTERVAL_MILLIS - 1);
        assertEquals(producers, bench.log.activeProducers().size());
        bench.host.runFor(2);
        int afterOneTurn = bench.log.activeProducers().size();
        assertTrue(producers - afterOneTurn <= ProducerExpiry.MOST, producers - afterOneTurn + " in one turn");
        assertTrue(afterOneTurn < producers);
        bench.host.runFor(1_000);
        assertEquals(producers / 100 + 1, bench.log.activeProducers().size(), "those with open transactions");

        bench.append(bench.batch(1, 0, new BatchBuilder.Producer(7, (short) 0, 0, false)));
        bench.host.runFor(INTERVAL_MILLIS / 2);
        assertEquals(producers / 100 + 2, bench.log.activeProducers().size());
        bench.host.runFor(INTERVAL_MILLIS);
        assertEquals(producers / 100 + 1, bench.log.activeProducers().size());

        expiry.configure(3 * INTERVAL_MILLIS);
        bench.append(bench.batch(1, 0, new BatchBuilder.Producer(9, (short) 0, 0, false)));
        bench.host.runFor(2 * INTERVAL_MILLIS);
        assertEquals(producers / 100 + 2, bench.log.activeProducers().size(), "in force since it was changed");
        bench.host.runFor(2 * INTERVAL_MILLIS);
        assertEquals(producers / 100 + 1, bench.log.activeProducers().size());
        expiry.stop();
    }
}
