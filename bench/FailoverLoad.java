import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntPredicate;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Numbered records to the partitions of a topic in turn, from an acks=all producer that is idempotent (the default), and what became of those that were
 * acknowledged. Someone else breaks something meanwhile. Partitions that are added later get none.
 */
final class FailoverLoad {
  private static final int VALUE_BYTES = 100;
  private static final int LOOK_MS = 100;

  private final Clients clients;
  private final String topic;

  FailoverLoad(Clients clients, String topic) {
    this.clients = clients;
    this.topic = topic;
  }

  /** At a steady rate. @param begun runs when the producer is in place; @param tail that follows, or null */
  String measure(int rate, int seconds, Map<String, String> settings, Runnable begun, GroupTail tail) throws InterruptedException {
    int total = rate * seconds;
    var acks = new AckLog(total);
    int partitions;
    try (var producer = clients.promptProducer("all", settings)) {
      partitions = producer.partitionsFor(topic).size();
      begun.run();
      long start = System.nanoTime();
      for (int i = 0; i < total; i++) {
        Clients.awaitTurn(start, i, rate);
        int seq = i;
        long sent = System.nanoTime();
        producer.send(new ProducerRecord<>(topic, i % partitions, null, value(seq, VALUE_BYTES)), (meta, error) -> acks.done(seq, sent, error));
      }
    }
    return "sent=%d acked=%d failed=%d gap_ms=%.1f".formatted(total, acks.acked.cardinality(), acks.failed, acks.longestGap / 1e6)
        + Tally.percentiles("ack", acks.latency) + audit(total, partitions, acks.acked::get) + (tail == null ? "" : tail.end(acks.acked));
  }

  private static byte[] value(int seq, int bytes) {
    return ByteBuffer.allocate(bytes).putInt(seq).array();
  }

  private static final class AckLog {
    final BitSet acked;
    final Histogram latency = new Histogram(3);
    int failed;
    long longestGap;
    private long last;

    AckLog(int size) {
      acked = new BitSet(size);
    }

    synchronized void done(int seq, long sent, Exception error) {
      if (error != null) {
        failed++;
        return;
      }
      acked.set(seq);
      long now = System.nanoTime();
      latency.recordValue(now - sent);
      longestGap = last == 0 ? 0 : Math.max(longestGap, now - last);
      last = now;
    }
  }

  /** As fast as can be; fails if one is not acknowledged. */
  void fill(int records, int bytes) {
    var acks = new AckLog(records);
    try (var producer = Clients.producer(clients.base(), "all")) {
      for (int i = 0; i < records; i++) {
        int seq = i;
        long sent = System.nanoTime();
        producer.send(new ProducerRecord<>(topic, 0, null, value(seq, bytes)), (meta, error) -> acks.done(seq, sent, error));
      }
    }
    if (acks.failed > 0) {
      throw new IllegalStateException(acks.failed + " records were not acknowledged");
    }
  }

  /** What is there of the records that {@link #fill} wrote. */
  String filled(int records) {
    return audit(records, 1, seq -> true).trim();
  }

  /** The nodes that lead the topic and the metadata. */
  String roles() throws InterruptedException {
    try (var admin = Admin.create(clients.base())) {
      int leader = Topics.describe(admin, topic).partitions().get(0).leader().id();
      return "leader=" + leader + " controller=" + controller(admin);
    }
  }

  int controller() throws InterruptedException {
    try (var admin = Admin.create(clients.base())) {
      return controller(admin);
    }
  }

  /** -1 from brokers that do not tell. */
  private static int controller(Admin admin) throws InterruptedException {
    try {
      return admin.describeMetadataQuorum().quorumInfo().get(5, TimeUnit.SECONDS).leaderId();
    } catch (ExecutionException | TimeoutException e) {
      return -1;
    }
  }

  /** Reads all that there is: acknowledged records that are missing, records that are there twice, and steps backwards between two that are not. */
  private String audit(int total, int partitions, IntPredicate acked) {
    var copies = new byte[total];
    int backwards = 0;
    try (var consumer = clients.consumer()) {
      for (int p = 0; p < partitions; p++) {
        backwards += read(consumer, new TopicPartition(topic, p), copies);
      }
    }
    int lost = 0;
    int duplicated = 0;
    for (int i = 0; i < total; i++) {
      lost += acked.test(i) && copies[i] == 0 ? 1 : 0;
      duplicated += copies[i] > 1 ? 1 : 0;
    }
    return " lost=%d duplicated=%d reordered=%d".formatted(lost, duplicated, backwards);
  }

  /** Counts the copies of each record in a partition; the steps backwards. */
  private static int read(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, byte[] copies) {
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long end = consumer.endOffsets(List.of(partition), Duration.ofSeconds(Clients.PATIENCE_S)).get(partition);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Clients.PATIENCE_S);
    int highest = -1;
    int backwards = 0;
    while (consumer.position(partition) < end) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("cannot read " + partition + " beyond offset " + consumer.position(partition) + " of " + end);
      }
      for (var r : consumer.poll(Duration.ofMillis(LOOK_MS))) {
        int seq = ByteBuffer.wrap(r.value()).getInt();
        backwards += seq < highest && copies[seq] == 0 ? 1 : 0;
        highest = Math.max(highest, seq);
        copies[seq] = (byte) Math.min(copies[seq] + 1, Byte.MAX_VALUE);
      }
    }
    return backwards;
  }
}
