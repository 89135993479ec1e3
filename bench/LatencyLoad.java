import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** Sends at a fixed rate to a one-partition topic and consumes it in the same JVM. A record's clock starts right before its send() call. */
final class LatencyLoad {
  private final Clients clients;
  private final String topic;
  private final int size;
  private final String acks;
  private final Histogram endToEnd = new Histogram(3);
  private final Histogram acknowledged = new Histogram(3);
  private final CountDownLatch readerReady = new CountDownLatch(1);

  LatencyLoad(Clients clients, String topic, int size, String acks) {
    this.clients = clients;
    this.topic = topic;
    this.size = size;
    this.acks = acks;
  }

  String measure(int rate, int warmupS, int seconds) throws InterruptedException {
    int total = rate * (warmupS + seconds);
    int warmup = rate * warmupS;
    var reader = new Thread(() -> read(total, warmup));
    reader.start();
    if (!readerReady.await(Clients.PATIENCE_S, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the reader is not in place after " + Clients.PATIENCE_S + " s");
    }
    try (var producer = clients.promptProducer(acks)) {
      long start = System.nanoTime();
      for (int i = 0; i < total; i++) {
        Clients.awaitTurn(start, i, rate);
        boolean counts = i >= warmup;
        long sent = System.nanoTime();
        byte[] value = ByteBuffer.allocate(size).putLong(sent).putInt(i).array();
        producer.send(new ProducerRecord<>(topic, 0, null, value), (meta, error) -> {
          if (counts && error == null) {
            acknowledged.recordValue(System.nanoTime() - sent);
          }
        });
      }
    }
    reader.join();
    return "sent=" + total + " received=" + endToEnd.getTotalCount() + Tally.percentiles("e2e", endToEnd)
        + Tally.percentiles("ack", acknowledged);
  }

  private void read(int total, int warmup) {
    try (var consumer = clients.consumer()) {
      var partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      consumer.position(partition);
      readerReady.countDown();
      int seen = 0;
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Clients.PATIENCE_S);
      while (seen < total && System.nanoTime() < deadline) {
        for (var r : consumer.poll(Duration.ofMillis(100))) {
          long now = System.nanoTime();
          var value = ByteBuffer.wrap(r.value());
          long sent = value.getLong();
          if (value.getInt() >= warmup) {
            endToEnd.recordValue(now - sent);
          }
          seen++;
        }
      }
    }
  }
}
