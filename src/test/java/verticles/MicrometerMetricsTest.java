package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Metrics;
import org.junit.jupiter.api.Test;

class MicrometerMetricsTest {
    private final MicrometerMetrics metrics = new MicrometerMetrics();

    @Test
    void whatWasCountedBeforeAndAfterTheFirstScrapeShows() {
        Metrics.Counter early = metrics.counter("kafka_server_brokertopicmetrics_bytesin_total", "bytes", "topic", "a");
        early.add(5);
        double[] level = {7};
        metrics.gauge("kafka_server_level", "level", () -> level[0]);
        assertLine("kafka_server_brokertopicmetrics_bytesin_total{topic=\"a\"} 5.0");
        assertLine("kafka_server_level 7.0");
        early.add(1);
        level[0] = 8;
        metrics.counter("kafka_server_brokertopicmetrics_bytesin_total", "bytes", "topic", "b")
                .add(2);
        assertLine("kafka_server_brokertopicmetrics_bytesin_total{topic=\"a\"} 6.0");
        assertLine("kafka_server_brokertopicmetrics_bytesin_total{topic=\"b\"} 2.0");
        assertLine("kafka_server_level 8.0");
    }

    private void assertLine(String line) {
        String scraped = metrics.scrape();
        assertTrue(scraped.lines().anyMatch(line::equals), line + " is not in\n" + scraped);
    }

    @Test
    void theSameNameAndTagsAreTheSameInstrument() {
        assertSame(metrics.counter("c_total", "x", "a", "b"), metrics.counter("c_total", "x", "a", "b"));
        assertSame(metrics.histogram("h", "x"), metrics.histogram("h", "x"));
    }

    @Test
    void durations() {
        DurationHistogram histogram = (DurationHistogram) metrics.histogram("request_time", "time", "request", "Fetch");
        assertEquals(0, histogram.quantile(0.5));
        for (int nanos = 1; nanos <= 1_000; nanos++) {
            histogram.record(nanos * 10_000L);
        }
        histogram.record(0);
        histogram.record(Long.MAX_VALUE);
        double median = histogram.quantile(0.5);
        assertTrue(median > 2_500_000 && median < 10_000_000, "median " + median);
        assertTrue(histogram.quantile(0.99) >= median);
        assertLine("request_time_seconds_count{request=\"Fetch\"} 1002");
    }
}
