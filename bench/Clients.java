import java.time.Instant;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes Kafka's clients for one broker; fresh ones for each command, so that none carries state from a broker's earlier life. */
record Clients(String bootstrap) {
  static final int PATIENCE_S = 120;

  Properties base() {
    var props = new Properties();
    props.put("bootstrap.servers", bootstrap);
    return props;
  }

  /** Client settings that retry at once, so that waiting is the broker's, not the client's. */
  Properties eager() {
    var props = base();
    props.put("reconnect.backoff.ms", "5");
    props.put("reconnect.backoff.max.ms", "5");
    props.put("retry.backoff.ms", "5");
    props.put("retry.backoff.max.ms", "5");
    return props;
  }

  KafkaProducer<byte[], byte[]> promptProducer(String acks) {
    return promptProducer(acks, Map.of());
  }

  /** With settings that send each record at once, and some more. */
  KafkaProducer<byte[], byte[]> promptProducer(String acks, Map<String, String> settings) {
    var props = base();
    props.put("linger.ms", "0");
    props.putAll(settings);
    return producer(props, acks);
  }

  static KafkaProducer<byte[], byte[]> producer(Properties props, String acks) {
    props.put("acks", acks);
    props.put("max.block.ms", String.valueOf(PATIENCE_S * 1000));
    return new KafkaProducer<>(props, new ByteArraySerializer(), new ByteArraySerializer());
  }

  KafkaConsumer<byte[], byte[]> consumer() {
    return new KafkaConsumer<>(base(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Milliseconds since the epoch. */
  static double now() {
    var t = Instant.now();
    return t.getEpochSecond() * 1e3 + t.getNano() / 1e6;
  }

  /** Waits until the {@code i}th of {@code rate} records a second is due. */
  static void awaitTurn(long startNanos, int i, int rate) {
    long due = startNanos + i * 1_000_000_000L / rate;
    long wait;
    while ((wait = due - System.nanoTime()) > 0) {
      LockSupport.parkNanos(wait);
    }
  }
}
