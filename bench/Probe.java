import static java.lang.Integer.parseInt;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** A warm Kafka client that measures what the stock tools cannot; see {@link Commands}. Times named _at are milliseconds since the epoch. */
public final class Probe {
  private final Clients clients;
  private final Topics topics;

  private Probe(String bootstrap) {
    clients = new Clients(bootstrap);
    topics = new Topics(clients);
  }

  public static void main(String[] args) {
    Commands.serve(new Probe(args[0])::run);
  }

  private String run(String[] w) throws Exception {
    return switch (w[0]) {
      // Of one topic: create TOPIC PARTITIONS REPLICAS [SETTING=VALUE]..., alter TOPIC SETTING=VALUE DELAY_MS, delete TOPIC, isr TOPIC SIZE, out TOPIC NODE
      case "create" -> timed(() -> topics.create(w[1], parseInt(w[2]), Short.parseShort(w[3]), settings(w, 4)));
      case "alter" -> timed(() -> topics.alterLater(w[1], w[2], Long.parseLong(w[3])));
      case "delete" -> timed(() -> topics.delete(w[1]));
      case "isr" -> timed(() -> topics.awaitIsr(w[1], parseInt(w[2])));
      case "out" -> timed(() -> topics.awaitOut(w[1], parseInt(w[2])));
      // first TOPIC, each TOPIC PARTITIONS
      case "first" -> first(w[1]);
      case "each" -> each(w[1], parseInt(w[2]));
      // durable TOPIC PRODUCERS SECONDS BYTES, requests TOPIC PARTITIONS CONNECTIONS SECONDS BYTES
      case "durable" -> durable(w[1], parseInt(w[2]), parseInt(w[3]), parseInt(w[4]));
      case "requests" -> new RequestLoad(clients.bootstrap(), w[1], parseInt(w[2]), parseInt(w[5]))
          .measure(parseInt(w[3]), parseInt(w[4]));
      // latency TOPIC RATE WARM_UP_S SECONDS BYTES ACKS
      case "latency" -> new LatencyLoad(clients, w[1], parseInt(w[5]), w[6])
          .measure(parseInt(w[2]), parseInt(w[3]), parseInt(w[4]));
      // keyed TOPIC RECORDS KEYS CODEC
      case "keyed" -> timed(() -> CompactionLoad.write(clients, w[1], parseInt(w[2]), parseInt(w[3]), w[4]));
      // consume TOPIC PARTITIONS RECORDS CONSUMERS
      case "consume" -> consume(w[1], parseInt(w[2]), Long.parseLong(w[3]), parseInt(w[4]));
      // failover TOPIC RATE SECONDS [CLIENT_SETTING=VALUE]...: answers twice, first with who leads; failover+: with a group and transactions (to TOPIC-t)
      case "failover" -> failover(w[1], parseInt(w[2]), parseInt(w[3]), settings(w, 4), false);
      case "failover+" -> failover(w[1], parseInt(w[2]), parseInt(w[3]), settings(w, 4), true);
      // place TOPIC NODE[,NODE]... [SETTING=VALUE]..., controller, fill TOPIC RECORDS BYTES, filled TOPIC RECORDS
      case "place" -> timed(() -> topics.place(w[1], Arrays.stream(w[2].split(",")).map(Integer::valueOf).toList(), settings(w, 3)));
      case "controller" -> "id=" + new FailoverLoad(clients, "").controller();
      case "fill" -> timed(() -> new FailoverLoad(clients, w[1]).fill(parseInt(w[2]), parseInt(w[3])));
      case "filled" -> new FailoverLoad(clients, w[1]).filled(parseInt(w[2]));
      default -> throw new IllegalArgumentException("unknown command " + w[0]);
    };
  }

  private interface Step {
    void run() throws Exception;
  }

  private static String timed(Step step) throws Exception {
    double start = Clients.now();
    step.run();
    return "ms=%.1f".formatted(Clients.now() - start);
  }

  private static Map<String, String> settings(String[] words, int from) {
    var settings = new HashMap<String, String>();
    for (int i = from; i < words.length; i++) {
      String[] pair = words[i].split("=", 2);
      settings.put(pair[0], pair[1]);
    }
    return settings;
  }

  /** Creates a topic and produces one record with acks=all, as soon as a broker allows it. */
  private String first(String topic) throws Exception {
    topics.create(topic, 1, (short) 1, Map.of());
    double created = Clients.now();
    try (var producer = Clients.producer(clients.eager(), "all")) {
      producer.send(new ProducerRecord<>(topic, new byte[100])).get(Clients.PATIENCE_S, TimeUnit.SECONDS);
    }
    return "created_at=%.1f acked_at=%.1f".formatted(created, Clients.now());
  }

  /** Producers that each send one record, wait for its ack and go on, for some seconds. */
  private String durable(String topic, int producers, int seconds, int size) throws Exception {
    var acks = new ConcurrentHistogram(3);
    var threads = new ArrayList<Thread>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int i = 0; i < producers; i++) {
      var thread = new Thread(() -> {
        try (var producer = clients.promptProducer("all")) {
          while (System.nanoTime() < end) {
            long sent = System.nanoTime();
            producer.send(new ProducerRecord<>(topic, 0, null, new byte[size])).get();
            acks.recordValue(System.nanoTime() - sent);
          }
        } catch (Exception e) {
          System.err.println("durable failed: " + e);
        }
      });
      threads.add(thread);
      thread.start();
    }
    for (var thread : threads) {
      thread.join();
    }
    return "acks_s=%.1f".formatted(acks.getTotalCount() / (double) seconds) + Tally.percentiles("ack", acks);
  }

  /**
   * Produces one record to each partition with acks=all. Retries are less eager here: thousands of
   * partitions that retry at once would be a load of their own.
   */
  private String each(String topic, int partitions) throws Exception {
    double start = Clients.now();
    var props = clients.eager();
    props.put("retry.backoff.ms", "50");
    props.put("retry.backoff.max.ms", "50");
    try (var producer = Clients.producer(props, "all")) {
      var acks = new ArrayList<Future<RecordMetadata>>();
      for (int p = 0; p < partitions; p++) {
        acks.add(producer.send(new ProducerRecord<>(topic, p, null, new byte[100])));
      }
      double first = 0;
      for (var ack : acks) {
        ack.get(Clients.PATIENCE_S, TimeUnit.SECONDS);
        first = first == 0 ? Clients.now() : first;
      }
      return "ms=%.1f first_at=%.1f all_at=%.1f".formatted(Clients.now() - start, first, Clients.now());
    }
  }

  /** Consumers that each read {@code records} of all partitions at once, from the beginning; the mean rate of one. */
  private String consume(String topic, int partitions, long records, int consumers) throws Exception {
    var rates = new double[consumers];
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < consumers; i++) {
      int me = i;
      var thread = new Thread(() -> rates[me] = readAll(topic, partitions, records));
      threads.add(thread);
      thread.start();
    }
    double sum = 0;
    for (int i = 0; i < consumers; i++) {
      threads.get(i).join();
      if (rates[i] == 0) {
        throw new IllegalStateException("a consumer did not get its records");
      }
      sum += rates[i];
    }
    return "rec_s_each=%.1f".formatted(sum / consumers);
  }

  private double readAll(String topic, int partitions, long records) {
    try (var consumer = clients.consumer()) {
      var all = new ArrayList<TopicPartition>();
      for (int p = 0; p < partitions; p++) {
        all.add(new TopicPartition(topic, p));
      }
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long start = System.nanoTime();
      long deadline = start + TimeUnit.SECONDS.toNanos(Clients.PATIENCE_S);
      long seen = 0;
      while (seen < records && System.nanoTime() < deadline) {
        seen += consumer.poll(Duration.ofMillis(100)).count();
      }
      return seen < records ? 0 : seen * 1e9 / (System.nanoTime() - start);
    }
  }

  private String failover(String topic, int rate, int seconds, Map<String, String> settings, boolean all) throws Exception {
    var load = new FailoverLoad(clients, topic);
    String roles = load.roles();
    var tail = all ? new GroupTail(clients, topic, settings) : null;
    var txns = all ? new FailoverTxns(clients, topic + "-t", settings) : null;
    return load.measure(rate, seconds, settings, () -> {
      if (all) {
        tail.start();
        txns.start();
      }
      Commands.answer(roles);
    }, tail) + (all ? txns.end() : "");
  }
}
