import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Transactions of a few records one after the other, while something breaks. What was committed must be read as committed, whole and once; what was aborted not at
 * all; an outcome that the producer never learned may be either, but whole.
 */
final class FailoverTxns extends Thread {
  private static final int RECORDS = 5;

  private final Clients clients;
  private final String topic;
  private final Map<String, String> settings;
  private final Set<Integer> committed = new HashSet<>();
  private final Set<Integer> unknown = new HashSet<>();
  private long longestGap;
  private volatile boolean stopping;

  FailoverTxns(Clients clients, String topic, Map<String, String> settings) {
    super("transactions");
    this.clients = clients;
    this.topic = topic;
    this.settings = settings;
  }

  @Override
  public void run() {
    int number = 0;
    long last = 0;
    KafkaProducer<byte[], byte[]> producer = null;
    while (!stopping) {
      number++;
      try {
        producer = producer == null ? fresh() : producer;
        producer.beginTransaction();
        for (int i = 0; i < RECORDS; i++) {
          producer.send(new ProducerRecord<>(topic, 0, null, ByteBuffer.allocate(100).putInt(number).putInt(i).array()));
        }
        unknown.add(number);
        producer.commitTransaction();
        unknown.remove(number);
        committed.add(number);
        long now = System.nanoTime();
        longestGap = last == 0 ? 0 : Math.max(longestGap, now - last);
        last = now;
      } catch (KafkaException e) {
        // Whatever it was: a new producer of the id ends what the old one left, one way or the other.
        if (producer != null) {
          producer.close(Duration.ZERO);
        }
        producer = null;
      }
    }
    if (producer != null) {
      producer.close();
    }
  }

  private KafkaProducer<byte[], byte[]> fresh() {
    var props = clients.base();
    props.put("transactional.id", topic);
    props.put("linger.ms", "0");
    props.putAll(settings);
    var producer = Clients.producer(props, "all");
    try {
      producer.initTransactions();
      return producer;
    } catch (KafkaException e) {
      producer.close(Duration.ZERO);
      throw e;
    }
  }

  String end() throws InterruptedException {
    stopping = true;
    join();
    var got = read();
    int wrong = 0;
    for (int number : committed) {
      wrong += complete(got.get(number)) ? 0 : 1;
    }
    for (var each : got.entrySet()) {
      boolean may = committed.contains(each.getKey()) || unknown.contains(each.getKey());
      wrong += may && complete(each.getValue()) ? 0 : 1;
    }
    return " txns=%d txn_gap_ms=%.1f txn_unknown=%d txn_wrong=%d".formatted(committed.size(), longestGap / 1e6, unknown.size(), wrong);
  }

  private static boolean complete(List<Integer> parts) {
    if (parts == null || parts.size() != RECORDS) {
      return false;
    }
    for (int i = 0; i < RECORDS; i++) {
      if (parts.get(i) != i) {
        return false;
      }
    }
    return true;
  }

  /** By transaction, as committed. Waits for the last one to end, as a last stable offset at the end of the log shows. */
  private Map<Integer, List<Integer>> read() throws InterruptedException {
    fresh().close(); // ends what a failed producer left open
    var props = clients.base();
    props.put("isolation.level", "read_committed");
    var got = new HashMap<Integer, List<Integer>>();
    try (var consumer = new KafkaConsumer<>(props, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        var all = clients.consumer()) {
      var partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Clients.PATIENCE_S);
      long end = all.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("a transaction stays open at offset " + consumer.position(partition) + " of " + end);
        }
        for (var r : consumer.poll(Duration.ofMillis(100))) {
          var value = ByteBuffer.wrap(r.value());
          got.computeIfAbsent(value.getInt(), n -> new ArrayList<>()).add(value.getInt());
        }
      }
    }
    return got;
  }
}
