import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Kafka's own consumers, one thread each, in one group, restarted one after the other: each is closed, is away for a while,
 * and is replaced, and the next follows once all partitions are spread evenly again. A consumer is stopped while it runs and
 * has no partition, though it had some: with the eager protocol that is every rebalance. The one that restarts does not count
 * as stopped; how long it takes until it has partitions again is told apart.
 */
final class RollingRestart {
  private static final long PATIENCE_MS = 60_000;
  private static final String RANGE = "org.apache.kafka.clients.consumer.RangeAssignor";
  private static final String COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor";
  private static final String STATIC = "-static";

  private final String bootstrap;
  private final String protocol;
  private final String group;
  private final String topic;
  private final long heartbeatMs;
  private final Owners owners;
  private final Tally tally = new Tally();
  private final Worker[] workers;

  /** @param protocol range, cooperative or consumer; with -static behind it the members are static */
  RollingRestart(String bootstrap, String protocol, String group, String topic, int partitions, int consumers, long heartbeatMs) {
    this.bootstrap = bootstrap;
    this.protocol = protocol;
    this.group = group;
    this.topic = topic;
    this.heartbeatMs = heartbeatMs;
    this.owners = new Owners(partitions);
    this.workers = new Worker[consumers];
  }

  String measure(long awayMs) throws InterruptedException {
    double start = System.nanoTime();
    for (int i = 0; i < workers.length; i++) {
      workers[i] = launch(i);
    }
    awaitStable("start");
    double startMs = (System.nanoTime() - start) / 1e6;
    int before = workers[0].generation;
    owners.startCounting(workers.length);
    double began = System.nanoTime();
    for (int i = 0; i < workers.length; i++) {
      workers[i].end();
      Thread.sleep(awayMs); // how long a consumer is away
      workers[i] = launch(i);
      awaitStable("restart");
    }
    double allMs = (System.nanoTime() - began) / 1e6;
    int rebalances = workers[0].generation - before;
    String stopped = owners.stopped();
    for (var worker : workers) {
      worker.stopping = true;
    }
    for (var worker : workers) {
      worker.end();
    }
    return "start_ms=%.1f rolling_ms=%.1f rebalances=%d%s".formatted(startMs, allMs, rebalances, stopped) + tally;
  }

  private Worker launch(int number) {
    var worker = new Worker(number);
    worker.start();
    return worker;
  }

  private void awaitStable(String phase) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
    while (!stable()) {
      if (System.nanoTime() > deadline) {
        tally.error(phase + ".UNFINISHED");
        return;
      }
      Thread.sleep(2); // between two looks at the members
    }
  }

  private boolean stable() {
    int generation = workers[0].generation;
    return generation > 0 && Arrays.stream(workers).allMatch(w -> w.generation == generation) && owners.even(workers);
  }

  /** Who owns which partition, and for how long none did. */
  private final class Owners {
    private final Worker[] owner;
    private final long[] ownerlessSince;
    private int ownerless;
    private long anyOwnerlessSince;
    private long sum;
    private long any;
    private int callbacks;
    private int moved;
    private final int[] lastNumber;
    private long[] stopped = new long[0];
    private long back;

    Owners(int partitions) {
      owner = new Worker[partitions];
      ownerlessSince = new long[partitions];
      lastNumber = new int[partitions];
      ownerless = partitions;
    }

    synchronized void startCounting(int consumers) {
      sum = 0;
      any = 0;
      callbacks = 0;
      moved = 0;
      back = 0;
      stopped = new long[consumers];
    }

    private void gained(Worker worker, int partitions, long now) {
      if (worker.owns == 0 && partitions > 0) {
        if (worker.stoppedSince == 0) {
          back += now - worker.launched;
        } else if (stopped.length > 0) {
          stopped[worker.number] += now - worker.stoppedSince;
        }
      }
      worker.owns += partitions;
    }

    private void gaveUp(Worker worker, int partitions, long now) {
      worker.owns -= partitions;
      if (worker.owns == 0 && partitions > 0) {
        worker.stoppedSince = now;
      }
    }

    synchronized void assigned(Worker to, Collection<TopicPartition> partitions) {
      long now = System.nanoTime();
      callbacks++;
      gained(to, partitions.size(), now);
      for (var each : partitions) {
        int p = each.partition();
        if (owner[p] != null && owner[p] != to) {
          tally("owner.TWO");
        } else if (owner[p] == null) {
          sum += now - ownerlessSince[p];
          if (--ownerless == 0) {
            any += now - anyOwnerlessSince;
          }
        }
        moved += lastNumber[p] == to.number ? 0 : 1;
        lastNumber[p] = to.number;
        owner[p] = to;
      }
    }

    synchronized void revoked(Worker from, Collection<TopicPartition> partitions) {
      long now = System.nanoTime();
      gaveUp(from, partitions.size(), now);
      for (var each : partitions) {
        int p = each.partition();
        if (owner[p] == from) {
          owner[p] = null;
          ownerlessSince[p] = now;
          if (ownerless++ == 0) {
            anyOwnerlessSince = now;
          }
        }
      }
    }

    synchronized boolean even(Worker[] among) {
      if (ownerless > 0) {
        return false;
      }
      int least = owner.length / among.length;
      int most = least + (owner.length % among.length == 0 ? 0 : 1);
      return Arrays.stream(among).allMatch(w -> {
        long has = Arrays.stream(owner).filter(o -> o == w).count();
        return has >= least && has <= most;
      });
    }

    synchronized String stopped() {
      return (" stopped_ms_per_consumer=%.1f stopped_ms_worst=%.1f back_ms=%.1f ownerless_partition_s=%.3f any_ownerless_s=%.3f"
          + " assigned_calls=%d moved=%d").formatted(
          Arrays.stream(stopped).sum() / 1e6 / stopped.length, Arrays.stream(stopped).max().orElse(0) / 1e6,
          back / 1e6 / stopped.length, sum / 1e9, any / 1e9, callbacks, moved);
    }
  }

  private synchronized void tally(String error) {
    tally.error(error);
  }

  private final class Worker extends Thread implements ConsumerRebalanceListener {
    final int number;
    final long launched = System.nanoTime();
    volatile int generation;
    private volatile boolean stopping;
    // Guarded by owners.
    private int owns;
    private long stoppedSince;

    Worker(int number) {
      super("consumer-" + number);
      this.number = number;
    }

    @Override
    public void run() {
      try (var consumer = new KafkaConsumer<>(settings(number), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
        consumer.subscribe(List.of(topic), this);
        while (!stopping) {
          consumer.poll(Duration.ofMillis(20));
          generation = consumer.groupMetadata().generationId();
        }
      } catch (RuntimeException e) {
        tally("consumer." + e.getClass().getSimpleName());
      }
      generation = 0;
    }

    void end() throws InterruptedException {
      stopping = true;
      join(PATIENCE_MS);
      if (isAlive()) {
        tally("close.UNFINISHED");
      }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      owners.assigned(this, partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      owners.revoked(this, partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      // Who closes while it joins again is told that its partitions are lost: it has no generation then, whatever the broker does.
      if (!partitions.isEmpty() && !stopping) {
        tally("partitions.LOST");
      }
      owners.revoked(this, partitions);
    }
  }

  private Properties settings(int number) {
    var settings = new Properties();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("group.id", group);
    settings.put("enable.auto.commit", "false");
    settings.put("auto.offset.reset", "earliest");
    settings.put("retry.backoff.ms", "20");
    settings.put("reconnect.backoff.ms", "20");
    if (protocol.endsWith(STATIC)) {
      settings.put("group.instance.id", "consumer-" + number);
    }
    if (protocol.startsWith("consumer")) {
      settings.put("group.protocol", "consumer");
      return settings;
    }
    settings.put("group.protocol", "classic");
    settings.put("partition.assignment.strategy", protocol.startsWith("cooperative") ? COOPERATIVE : RANGE);
    settings.put("heartbeat.interval.ms", String.valueOf(heartbeatMs));
    return settings;
  }
}
