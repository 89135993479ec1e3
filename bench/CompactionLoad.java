import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes records over some keys, the same for every broker, in no order. */
final class CompactionLoad {
  private static final int VALUE_BYTES = 100;

  private CompactionLoad() {}

  static void write(Clients clients, String topic, int records, int keys, String codec) {
    var settings = clients.base();
    settings.put("linger.ms", "5");
    settings.put("compression.type", codec);
    var random = new SplittableRandom(1);
    var value = new byte[VALUE_BYTES];
    Arrays.fill(value, (byte) 'v');
    try (var producer = Clients.producer(settings, "all")) {
      for (int i = 0; i < records; i++) {
        byte[] key = "key-%012d".formatted(random.nextInt(keys)).getBytes(StandardCharsets.US_ASCII);
        byte[] mine = value.clone();
        System.arraycopy(key, 0, mine, i % (VALUE_BYTES - key.length), key.length);
        producer.send(new ProducerRecord<>(topic, 0, key, mine));
      }
    }
  }
}
