import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A warm Kafka client that measures what the stock tools cannot. It reads one command a line from
 * standard input and answers each with one or more lines "= key=value ..."; times named _at are
 * milliseconds since the epoch. Every command uses fresh clients, so it carries no state from a
 * broker's earlier life.
 */
public final class Probe {
  private static final int PATIENCE_S = 120;

  private final String bootstrap;

  private Probe(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  public static void main(String[] args) {
    var probe = new Probe(args[0]);
    var in = new Scanner(System.in);
    while (in.hasNextLine()) {
      String[] words = in.nextLine().trim().split(" +");
      try {
        probe.run(words);
      } catch (Exception e) {
        answer("error=" + e.toString().replace(' ', '_'));
      }
    }
  }

  private void run(String[] w) throws Exception {
    switch (w[0]) {
      case "first" -> first(w[1]);
      case "create" -> create(w[1], Integer.parseInt(w[2]), Short.parseShort(w[3]), settings(w, 4));
      case "alter" -> alter(w[1], w[2], Long.parseLong(w[3]));
      case "durable" -> durable(w[1], Integer.parseInt(w[2]), Integer.parseInt(w[3]), Integer.parseInt(w[4]));
      case "requests" -> answer(new RequestLoad(bootstrap, w[1], Integer.parseInt(w[2]), Integer.parseInt(w[5]))
          .measure(Integer.parseInt(w[3]), Integer.parseInt(w[4])));
      case "delete" -> delete(w[1]);
      case "each" -> each(w[1], Integer.parseInt(w[2]));
      case "isr" -> awaitIsr(w[1], Integer.parseInt(w[2]));
      case "latency" -> latency(w[1], Integer.parseInt(w[2]), Integer.parseInt(w[3]),
          Integer.parseInt(w[4]), Integer.parseInt(w[5]), w[6]);
      case "consume" -> consume(w[1], Integer.parseInt(w[2]), Long.parseLong(w[3]), Integer.parseInt(w[4]));
      case "failover" -> failover(w[1], Integer.parseInt(w[2]), Integer.parseInt(w[3]));
      default -> throw new IllegalArgumentException("unknown command " + w[0]);
    }
  }

  /** Creates a topic and produces one record with acks=all, as soon as a broker allows it. */
  private void first(String topic) throws Exception {
    try (var admin = Admin.create(eager())) {
      createUntilDone(admin, new NewTopic(topic, 1, (short) 1));
    }
    double created = now();
    try (var producer = producer(eager(), "all")) {
      producer.send(new ProducerRecord<>(topic, new byte[100])).get(PATIENCE_S, TimeUnit.SECONDS);
    }
    answer("created_at=%.1f acked_at=%.1f".formatted(created, now()));
  }

  private static Map<String, String> settings(String[] words, int from) {
    var settings = new HashMap<String, String>();
    for (int i = from; i < words.length; i++) {
      String[] pair = words[i].split("=", 2);
      settings.put(pair[0], pair[1]);
    }
    return settings;
  }

  private void create(String topic, int partitions, short replicas, Map<String, String> settings) throws Exception {
    var spec = new NewTopic(topic, partitions, replicas);
    var configs = new HashMap<>(settings);
    if (replicas > 1) {
      configs.put("min.insync.replicas", "2");
    }
    spec.configs(configs);
    double start = now();
    try (var admin = Admin.create(eager())) {
      createUntilDone(admin, spec);
      answer("ms=%.1f".formatted(now() - start));
    }
  }

  private static void createUntilDone(Admin admin, NewTopic topic) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
    while (true) {
      try {
        admin.createTopics(List.of(topic)).all().get();
        return;
      } catch (ExecutionException e) {
        if (e.getCause() instanceof TopicExistsException) {
          return;
        }
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException(e.getCause());
        }
        Thread.sleep(5); // between two tries
      }
    }
  }

  /** Sets one topic setting after a delay, in the background. */
  private void alter(String topic, String setting, long delayMs) {
    String[] pair = setting.split("=", 2);
    var change = Map.<ConfigResource, Collection<AlterConfigOp>>of(
        new ConfigResource(ConfigResource.Type.TOPIC, topic),
        List.of(new AlterConfigOp(new ConfigEntry(pair[0], pair[1]), AlterConfigOp.OpType.SET)));
    var later = new Thread(() -> {
      try (var admin = Admin.create(eager())) {
        Thread.sleep(delayMs); // the change comes in the middle of the load
        admin.incrementalAlterConfigs(change).all().get();
      } catch (Exception e) {
        System.err.println("alter failed: " + e);
      }
    });
    later.start();
    answer("ok=1");
  }

  /** Producers that each send one record, wait for its ack and go on, for some seconds. */
  private void durable(String topic, int producers, int seconds, int size) throws Exception {
    var acks = new ConcurrentHistogram(3);
    var threads = new ArrayList<Thread>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int i = 0; i < producers; i++) {
      var thread = new Thread(() -> {
        var props = base();
        props.put("linger.ms", "0");
        try (var producer = producer(props, "all")) {
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
    answer("acks_s=%.1f".formatted(acks.getTotalCount() / (double) seconds) + percentiles(" ack", acks));
  }

  private void delete(String topic) throws Exception {
    try (var admin = Admin.create(eager())) {
      admin.deleteTopics(List.of(topic)).all().get();
    }
    answer("ok=1");
  }

  /**
   * Produces one record to each partition with acks=all. Retries are less eager here: thousands of
   * partitions that retry at once would be a load of their own.
   */
  private void each(String topic, int partitions) throws Exception {
    double start = now();
    var props = eager();
    props.put("retry.backoff.ms", "50");
    props.put("retry.backoff.max.ms", "50");
    try (var producer = producer(props, "all")) {
      var acks = new ArrayList<Future<RecordMetadata>>();
      for (int p = 0; p < partitions; p++) {
        acks.add(producer.send(new ProducerRecord<>(topic, p, null, new byte[100])));
      }
      double first = 0;
      for (var ack : acks) {
        ack.get(PATIENCE_S, TimeUnit.SECONDS);
        first = first == 0 ? now() : first;
      }
      answer("ms=%.1f first_at=%.1f all_at=%.1f".formatted(now() - start, first, now()));
    }
  }

  private void awaitIsr(String topic, int size) throws Exception {
    double start = now();
    try (var admin = Admin.create(eager())) {
      while (describe(admin, topic).partitions().get(0).isr().size() < size) {
        if (now() - start > PATIENCE_S * 1000) {
          throw new IllegalStateException("ISR too small");
        }
        Thread.sleep(50); // between two looks at the ISR
      }
    }
    answer("ms=%.1f".formatted(now() - start));
  }

  /**
   * Sends at a fixed rate to a one-partition topic and consumes it in the same JVM. A record's
   * clock starts right before its send() call.
   */
  private void latency(String topic, int rate, int warmupS, int seconds, int size, String acks)
      throws Exception {
    var props = base();
    props.put("linger.ms", "0");
    var e2e = new Histogram(3);
    var ack = new Histogram(3);
    int total = rate * (warmupS + seconds);
    int warmup = rate * warmupS;
    var ready = new CountDownLatch(1);
    var reader = new Thread(() -> readLatencies(topic, total, warmup, e2e, ready));
    reader.start();
    if (!ready.await(PATIENCE_S, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the reader is not in place after " + PATIENCE_S + " s");
    }
    try (var producer = producer(props, acks)) {
      long start = System.nanoTime();
      for (int i = 0; i < total; i++) {
        awaitTurn(start, i, rate);
        boolean counts = i >= warmup;
        long sent = System.nanoTime();
        byte[] value = ByteBuffer.allocate(size).putLong(sent).putInt(i).array();
        producer.send(new ProducerRecord<>(topic, 0, null, value), (meta, error) -> {
          if (counts && error == null) {
            ack.recordValue(System.nanoTime() - sent);
          }
        });
      }
    }
    reader.join();
    answer("sent=" + total + " received=" + e2e.getTotalCount()
        + percentiles(" e2e", e2e) + percentiles(" ack", ack));
  }

  private void readLatencies(String topic, int total, int warmup, Histogram into, CountDownLatch ready) {
    try (var consumer = consumer()) {
      var partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      consumer.position(partition);
      ready.countDown();
      int seen = 0;
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
      while (seen < total && System.nanoTime() < deadline) {
        for (var r : consumer.poll(Duration.ofMillis(100))) {
          long now = System.nanoTime();
          var value = ByteBuffer.wrap(r.value());
          long sent = value.getLong();
          if (value.getInt() >= warmup) {
            into.recordValue(now - sent);
          }
          seen++;
        }
      }
    }
  }

  /** Consumers that each read {@code records} of all partitions at once, from the beginning; the mean rate of one. */
  private void consume(String topic, int partitions, long records, int consumers) throws Exception {
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
    answer("rec_s_each=%.1f".formatted(sum / consumers));
  }

  private double readAll(String topic, int partitions, long records) {
    try (var consumer = consumer()) {
      var all = new ArrayList<TopicPartition>();
      for (int p = 0; p < partitions; p++) {
        all.add(new TopicPartition(topic, p));
      }
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long start = System.nanoTime();
      long deadline = start + TimeUnit.SECONDS.toNanos(PATIENCE_S);
      long seen = 0;
      while (seen < records && System.nanoTime() < deadline) {
        seen += consumer.poll(Duration.ofMillis(100)).count();
      }
      return seen < records ? 0 : seen * 1e9 / (System.nanoTime() - start);
    }
  }

  private static String percentiles(String name, Histogram h) {
    return "%s_p50_us=%.0f%s_p99_us=%.0f%s_p999_us=%.0f%s_max_us=%.0f".formatted(
        name, h.getValueAtPercentile(50) / 1e3, name, h.getValueAtPercentile(99) / 1e3,
        name, h.getValueAtPercentile(99.9) / 1e3, name, h.getMaxValue() / 1e3);
  }

  /**
   * A steady acks=all producer with default (idempotent) settings. Answers first with the ids of
   * the topic's leader and the controller, then, after the given time, with what became of the
   * records. Someone else kills the leader in between.
   */
  private void failover(String topic, int rate, int seconds) throws Exception {
    int total = rate * seconds;
    var log = new AckLog(total);
    var props = base();
    props.put("linger.ms", "0");
    try (var producer = producer(props, "all")) {
      producer.partitionsFor(topic);
      answer(roles(topic));
      long start = System.nanoTime();
      for (int i = 0; i < total; i++) {
        awaitTurn(start, i, rate);
        int seq = i;
        byte[] value = ByteBuffer.allocate(100).putInt(seq).array();
        producer.send(new ProducerRecord<>(topic, 0, null, value),
            (meta, error) -> log.done(seq, error));
      }
    }
    var copies = countCopies(topic);
    int lost = 0;
    int duplicated = 0;
    for (int i = 0; i < total; i++) {
      int n = copies.getOrDefault(i, 0);
      lost += log.acked.get(i) && n == 0 ? 1 : 0;
      duplicated += n > 1 ? 1 : 0;
    }
    answer("sent=%d acked=%d failed=%d gap_ms=%.1f lost=%d duplicated=%d".formatted(
        total, log.acked.cardinality(), log.failed, log.longestGap / 1e6, lost, duplicated));
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

  private String roles(String topic) throws Exception {
    try (var admin = Admin.create(base())) {
      int leader = describe(admin, topic).partitions().get(0).leader().id();
      int controller = -1;
      try {
        controller = admin.describeMetadataQuorum().quorumInfo().get(5, TimeUnit.SECONDS).leaderId();
      } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
        // Not every broker tells.
      }
      return "leader=" + leader + " controller=" + controller;
    }
  }

  private Map<Integer, Integer> countCopies(String topic) {
    var copies = new HashMap<Integer, Integer>();
    try (var consumer = consumer()) {
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

  private static TopicDescription describe(Admin admin, String topic) throws Exception {
    return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
  }

  private static void awaitTurn(long start, int i, int rate) {
    long due = start + i * 1_000_000_000L / rate;
    long wait;
    while ((wait = due - System.nanoTime()) > 0) {
      LockSupport.parkNanos(wait);
    }
  }

  private Properties base() {
    var props = new Properties();
    props.put("bootstrap.servers", bootstrap);
    return props;
  }

  /** Client settings that retry at once, so that waiting is the broker's, not the client's. */
  private Properties eager() {
    var props = base();
    props.put("reconnect.backoff.ms", "5");
    props.put("reconnect.backoff.max.ms", "5");
    props.put("retry.backoff.ms", "5");
    props.put("retry.backoff.max.ms", "5");
    return props;
  }

  private static KafkaProducer<byte[], byte[]> producer(Properties props, String acks) {
    props.put("acks", acks);
    props.put("max.block.ms", String.valueOf(PATIENCE_S * 1000));
    return new KafkaProducer<>(props, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    return new KafkaConsumer<>(base(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static double now() {
    var t = Instant.now();
    return t.getEpochSecond() * 1e3 + t.getNano() / 1e6;
  }

  private static void answer(String line) {
    System.out.println("= " + line);
  }
}
