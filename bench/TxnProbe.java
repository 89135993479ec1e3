import static java.lang.Integer.parseInt;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Loads a broker with transactions; see {@link Commands}. Errors are counted and named in every answer. The broker is one node.
 */
public final class TxnProbe {
  private static final long PATIENCE_MS = 60_000;
  private static final long RETRY_MS = 50;
  /** About what Kafka's producer puts in a batch of 16 KiB. */
  private static final int BATCH_BYTES = 16 * 1024;
  private static final int RECORD_OVERHEAD = 10;

  private final String bootstrap;
  private Wire wire;
  private TxnLoad load;

  private TxnProbe(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  public static void main(String[] args) {
    Commands.serve(new TxnProbe(args[0])::run);
  }

  private String run(String[] w) throws Exception {
    return switch (w[0]) {
      // Creates __transaction_state and __consumer_offsets.
      case "ready" -> Coordinators.await(bootstrap, Coordinators.GROUPS, Coordinators.TRANSACTIONS);
      // producers PREFIX COUNT TOPIC PARTITIONS RECORDS VALUE_BYTES GROUP|-, then paced and fast as often as wanted, close
      case "producers" -> producers(w[1], parseInt(w[2]), shape(w[3], parseInt(w[4]), parseInt(w[5]), parseInt(w[6]), w[7]));
      case "paced" -> load.paced(Double.parseDouble(w[1]), parseInt(w[2]));
      case "fast" -> load.fast(parseInt(w[1]), parseInt(w[2]));
      case "close" -> close();
      // settled TOPIC PARTITIONS: once all markers are written
      case "settled" -> settled(w[1], parseInt(w[2]));
      // consume TOPIC PARTITIONS read_committed|read_uncommitted PASSES
      case "consume" -> consume(w[1], parseInt(w[2]), w[3], parseInt(w[4]));
      default -> throw new IllegalArgumentException("unknown command " + w[0]);
    };
  }

  /** @param records of a transaction, spread evenly over the partitions, in batches as large as they become but for {@link #BATCH_BYTES} */
  private static TxnProducer.Shape shape(String topic, int partitions, int records, int valueBytes, String group) {
    int each = records / partitions;
    int most = Math.max(1, BATCH_BYTES / (valueBytes + RECORD_OVERHEAD));
    int batches = (each + most - 1) / most;
    while (each % batches != 0) {
      batches++;
    }
    return new TxnProducer.Shape(topic, partitions, batches, each / batches, new TxnBatch(each / batches, valueBytes), group);
  }

  private String producers(String prefix, int count, TxnProducer.Shape shape) throws IOException {
    wire = new Wire(bootstrap);
    load = new TxnLoad(wire, shape);
    return load.init(prefix, count) + " batches=" + shape.batches() + " records_per_batch=" + shape.recordsPerBatch();
  }

  private String close() throws IOException {
    wire.close();
    return "ok=1";
  }

  private KafkaConsumer<byte[], byte[]> consumer(String isolation) {
    var settings = Map.<String, Object>of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap,
        ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation, ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5000,
        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static List<TopicPartition> partitions(String topic, int count) {
    return IntStream.range(0, count).mapToObj(i -> new TopicPartition(topic, i)).toList();
  }

  /** A commit is answered before its markers are written. */
  private String settled(String topic, int count) throws InterruptedException {
    var all = partitions(topic, count);
    try (var plain = consumer("read_uncommitted"); var committed = consumer("read_committed")) {
      long deadline = System.nanoTime() + PATIENCE_MS * 1_000_000;
      while (!plain.endOffsets(all).equals(committed.endOffsets(all))) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("transactions are still open");
        }
        Thread.sleep(RETRY_MS); // between two looks at the ends
      }
    }
    return "ok=1";
  }

  /** Reads the topic from its start to where it ended at first, {@code passes} times. */
  private String consume(String topic, int count, String isolation, int passes) {
    var all = partitions(topic, count);
    long records = 0;
    long bytes = 0;
    long start = System.nanoTime();
    try (var consumer = consumer(isolation)) {
      consumer.assign(all);
      var ends = consumer.endOffsets(all);
      for (int pass = 0; pass < passes; pass++) {
        consumer.seekToBeginning(all);
        while (all.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
          for (var each : consumer.poll(Duration.ofMillis(100))) {
            records++;
            bytes += each.value().length;
          }
        }
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    return "records=%d bytes=%d records_s=%.0f".formatted(records, bytes, records / seconds);
  }
}
