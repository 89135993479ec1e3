import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** A steady acks=all producer with default (idempotent) settings, and what became of its records. Someone else kills the leader meanwhile. */
final class FailoverLoad {
  private static final int VALUE_BYTES = 100;

  private final Clients clients;
  private final String topic;

  FailoverLoad(Clients clients, String topic) {
    this.clients = clients;
    this.topic = topic;
  }

  /** @param begun runs when the producer is in place */
  String measure(int rate, int seconds, Runnable begun) {
    int total = rate * seconds;
    var acks = new AckLog(total);
    try (var producer = clients.promptProducer("all")) {
      producer.partitionsFor(topic);
      begun.run();
      long start = System.nanoTime();
      for (int i = 0; i < total; i++) {
        Clients.awaitTurn(start, i, rate);
        int seq = i;
        byte[] value = ByteBuffer.allocate(VALUE_BYTES).putInt(seq).array();
        producer.send(new ProducerRecord<>(topic, 0, null, value), (meta, error) -> acks.done(seq, error));
      }
    }
    var copies = countCopies();
    int lost = 0;
    int duplicated = 0;
    for (int i = 0; i < total; i++) {
      int n = copies.getOrDefault(i, 0);
      lost += acks.acked.get(i) && n == 0 ? 1 : 0;
      duplicated += n > 1 ? 1 : 0;
    }
    return "sent=%d acked=%d failed=%d gap_ms=%.1f lost=%d duplicated=%d".formatted(
        total, acks.acked.cardinality(), acks.failed, acks.longestGap / 1e6, lost, duplicated);
  }

  private static final class AckLog {
    final BitSet acked;
    int failed;
    long longestGap;
    private long last;

    AckLog(int size) {
      acked = new BitSet(size);
    }

    synchronized void done(int seq, Exception error) {
      if (error != null) {
        failed++;
        return;
      }
      acked.set(seq);
      long now = System.nanoTime();
      longestGap = last == 0 ? 0 : Math.max(longestGap, now - last);
      last = now;
    }
  }

  /** The nodes that lead the topic and the metadata. */
  String roles() throws ExecutionException, InterruptedException {
    try (var admin = Admin.create(clients.base())) {
      int leader = Topics.describe(admin, topic).partitions().get(0).leader().id();
      int controller = -1;
      try {
        controller = admin.describeMetadataQuorum().quorumInfo().get(5, TimeUnit.SECONDS).leaderId();
      } catch (ExecutionException | TimeoutException e) {
        // Not every broker tells.
      }
      return "leader=" + leader + " controller=" + controller;
    }
  }

  private Map<Integer, Integer> countCopies() {
    var copies = new HashMap<Integer, Integer>();
    try (var consumer = clients.consumer()) {
      var partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (var r : consumer.poll(Duration.ofMillis(100))) {
          copies.merge(ByteBuffer.wrap(r.value()).getInt(), 1, Integer::sum);
        }
      }
    }
    return copies;
  }
}
