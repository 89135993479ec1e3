import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;

/** Creates, changes and deletes topics. */
record Topics(Clients clients) {
  private static final long RETRY_MS = 5;
  private static final long LOOK_MS = 50;

  /** Tries until a broker allows it. */
  void create(String topic, int partitions, short replicas, Map<String, String> settings) throws InterruptedException {
    create(new NewTopic(topic, partitions, replicas), replicas, settings);
  }

  /** With one partition, on these nodes; the first one leads. Tries until a broker allows it. */
  void place(String topic, List<Integer> nodes, Map<String, String> settings) throws InterruptedException {
    create(new NewTopic(topic, Map.of(0, nodes)), nodes.size(), settings);
  }

  private void create(NewTopic topic, int replicas, Map<String, String> settings) throws InterruptedException {
    var configs = new HashMap<>(settings);
    if (replicas > 1) {
      configs.put("min.insync.replicas", "2");
    }
    var wanted = List.of(topic.configs(configs));
    long deadline = deadline();
    try (var admin = Admin.create(clients.eager())) {
      while (true) {
        try {
          admin.createTopics(wanted).all().get();
          return;
        } catch (ExecutionException e) {
          if (e.getCause() instanceof TopicExistsException) {
            return;
          }
          if (System.nanoTime() > deadline) {
            throw new IllegalStateException(e.getCause());
          }
          Thread.sleep(RETRY_MS); // between two tries
        }
      }
    }
  }

  /** Sets one topic setting after a delay, in the background. */
  void alterLater(String topic, String setting, long delayMs) {
    String[] pair = setting.split("=", 2);
    var change = Map.<ConfigResource, Collection<AlterConfigOp>>of(new ConfigResource(ConfigResource.Type.TOPIC, topic),
        List.of(new AlterConfigOp(new ConfigEntry(pair[0], pair[1]), AlterConfigOp.OpType.SET)));
    new Thread(() -> {
      try (var admin = Admin.create(clients.eager())) {
        Thread.sleep(delayMs); // the change comes in the middle of the load
        admin.incrementalAlterConfigs(change).all().get();
      } catch (Exception e) {
        System.err.println("alter failed: " + e);
      }
    }).start();
  }

  void delete(String topic) throws ExecutionException, InterruptedException {
    try (var admin = Admin.create(clients.eager())) {
      admin.deleteTopics(List.of(topic)).all().get();
    }
  }

  /** Of all partitions. */
  void awaitIsr(String topic, int size) throws InterruptedException {
    long deadline = deadline();
    try (var admin = Admin.create(clients.eager())) {
      while (!hasIsr(admin, topic, size)) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("ISR too small");
        }
        Thread.sleep(LOOK_MS); // between two looks at the ISR
      }
    }
  }

  /** Until the node is in sync nowhere: somebody noticed that it is gone. */
  void awaitOut(String topic, int node) throws InterruptedException {
    long deadline = deadline();
    try (var admin = Admin.create(clients.eager())) {
      while (describe(admin, topic).partitions().stream().anyMatch(p -> p.isr().stream().anyMatch(n -> n.id() == node))) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("node " + node + " stays in sync");
        }
        Thread.sleep(LOOK_MS); // between two looks at the ISR
      }
    }
  }

  private static boolean hasIsr(Admin admin, String topic, int size) throws InterruptedException {
    return describe(admin, topic).partitions().stream().allMatch(p -> p.isr().size() >= size);
  }

  /** Asks until a node answers who knows the topic. */
  static TopicDescription describe(Admin admin, String topic) throws InterruptedException {
    long deadline = deadline();
    while (true) {
      try {
        return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
      } catch (ExecutionException e) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException(e.getCause());
        }
        Thread.sleep(LOOK_MS); // between two tries
      }
    }
  }

  private static long deadline() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(Clients.PATIENCE_S);
  }
}
