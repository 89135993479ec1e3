package cli;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A record to each partition in turn, some a second, with acks=all; tells when the acknowledgements paused, and for how long. */
final class DemoLoad {
    private static final long PERIOD_MILLIS = 20;
    private static final long TOLD_MILLIS = 300;

    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final int partitions;
    private final PrintStream told;
    private long acknowledged;
    private long refused;
    private long lastNanos;

    DemoLoad(KafkaProducer<byte[], byte[]> producer, String topic, int partitions, PrintStream told) {
        this.producer = producer;
        this.topic = topic;
        this.partitions = partitions;
        this.told = told;
    }

    /** Until {@code end}; {@code eachTurn} runs between two records. */
    void run(CountDownLatch end, Runnable eachTurn) throws InterruptedException {
        long sent = 0;
        while (!end.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
            byte[] value = ("record " + sent).getBytes(StandardCharsets.UTF_8);
            producer.send(
                    new ProducerRecord<>(topic, (int) (sent % partitions), null, value),
                    (where, problem) -> answered(System.nanoTime(), problem));
            sent++;
            eachTurn.run();
        }
    }

    /** On the producer's thread, in the order of the answers. */
    synchronized void answered(long nowNanos, Exception problem) {
        if (problem != null) {
            refused++;
            told.println("a record was not acknowledged: " + problem.getMessage());
            return;
        }
        long pause = acknowledged == 0 ? 0 : (nowNanos - lastNanos) / 1_000_000;
        if (pause >= TOLD_MILLIS) {
            told.printf("acknowledgements paused for %d ms%n", pause);
        }
        lastNanos = nowNanos;
        acknowledged++;
    }

    synchronized String summary() {
        return acknowledged + " record(s) acknowledged, " + refused + " not";
    }
}
