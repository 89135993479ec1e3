import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A group of one that follows a topic of numbered records and commits, while something breaks: how long it got nothing, and what it never got. */
final class GroupTail extends Thread {
  private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Clients clients;
  private final String topic;
  private final Map<String, String> settings;
  private final BitSet seen = new BitSet();
  private long longestGap;
  private int failedCommits;
  private volatile boolean stopping;
  private volatile Exception died;

  GroupTail(Clients clients, String topic, Map<String, String> settings) {
    super("tail");
    this.clients = clients;
    this.topic = topic;
    this.settings = settings;
  }

  @Override
  public void run() {
    var props = clients.base();
    props.put("group.id", topic);
    props.put("enable.auto.commit", "false");
    props.put("auto.offset.reset", "earliest");
    props.putAll(settings);
    try (var consumer = new KafkaConsumer<>(props, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(topic));
      long last = 0;
      long committed = System.nanoTime();
      while (!stopping) {
        var records = consumer.poll(Duration.ofMillis(50));
        long now = System.nanoTime();
        if (!records.isEmpty()) {
          take(last == 0 ? 0 : now - last, records);
          last = now;
        }
        if (now - committed > COMMIT_NANOS && last > 0) {
          committed = now;
          consumer.commitAsync((offsets, error) -> failedCommits += error == null || error instanceof RetriableException ? 0 : 1);
        }
      }
    } catch (RuntimeException e) {
      died = e;
    }
  }

  private synchronized void take(long gap, Iterable<org.apache.kafka.clients.consumer.ConsumerRecord<byte[], byte[]>> records) {
    longestGap = Math.max(longestGap, gap);
    records.forEach(r -> seen.set(ByteBuffer.wrap(r.value()).getInt()));
  }

  private synchronized int missing(BitSet acked) {
    var missing = (BitSet) acked.clone();
    missing.andNot(seen);
    return missing.cardinality();
  }

  /** Waits until it has all of these, or patience is at its end. */
  String end(BitSet acked) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Clients.PATIENCE_S);
    while (missing(acked) > 0 && isAlive() && System.nanoTime() < deadline) {
      Thread.sleep(20); // between two looks
    }
    int unread = missing(acked);
    stopping = true;
    join();
    if (died != null) {
      throw new IllegalStateException("the group's consumer failed: " + died, died);
    }
    return " read_gap_ms=%.1f unread=%d failed_commits=%d".formatted(longestGap / 1e6, unread, failedCommits);
  }
}
