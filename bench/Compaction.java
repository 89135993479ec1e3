import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * CPU seconds that a broker needs to compact one partition: writes records over some keys, turns compaction on, waits until the files are no more than
 * the keys need. Arguments: bootstrap, the broker's pid, its log directory, records, keys, codec. The CPU of as much idle time is taken off.
 */
public final class Compaction {
    private static final int SEGMENT_BYTES = 100 << 20;
    private static final int VALUE_BYTES = 100;
    private static final double TICKS_PER_SECOND = 100;

    public static void main(String[] args) throws Exception {
        String topic = "compaction-" + System.nanoTime() % 100_000;
        long pid = Long.parseLong(args[1]);
        Path directory = Path.of(args[2], topic + "-0");
        int records = Integer.parseInt(args[3]);
        int keys = Integer.parseInt(args[4]);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
            NewTopic wanted = new NewTopic(topic, 1, (short) 1)
                    .configs(Map.of(
                            "segment.bytes", Integer.toString(SEGMENT_BYTES),
                            "min.cleanable.dirty.ratio", "0.01",
                            "file.delete.delay.ms", "1000"));
            admin.createTopics(List.of(wanted)).all().get();
            write(args[0], topic, records, keys, args[5]);
            Thread.sleep(5_000); // what writing left behind has settled
            double idle = cpuSeconds(pid);
            Thread.sleep(5_000); // the measured time: what the broker costs at rest
            idle = (cpuSeconds(pid) - idle) / 5;
            long before = bytes(directory);
            double cpu = cpuSeconds(pid);
            long start = System.nanoTime();
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            AlterConfigOp compact = new AlterConfigOp(
                    new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(resource, List.of(compact))).all().get();
            long active = active(directory);
            long enough = (long) (keys * (VALUE_BYTES + 40) * 1.3) + active;
            while (bytes(directory) > enough) {
                Thread.sleep(50); // between two looks at the size
                if (System.nanoTime() - start > 300e9) {
                    throw new IllegalStateException("not compacted: " + bytes(directory) + " bytes, " + enough + " wanted");
                }
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            double used = cpuSeconds(pid) - cpu - idle * seconds;
            System.out.printf(
                    Locale.ROOT,
                    "%s: %.2f s CPU, %.1f s until compacted, %d MB -> %d MB (idle %.3f CPU/s taken off)%n",
                    args[5], used, seconds, before >> 20, bytes(directory) >> 20, idle);
            admin.deleteTopics(List.of(topic)).all().get();
        }
    }

    private static void write(String bootstrap, String topic, int records, int keys, String codec) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("linger.ms", "5");
        settings.put("compression.type", codec);
        SplittableRandom random = new SplittableRandom(1);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            byte[] value = new byte[VALUE_BYTES];
            Arrays.fill(value, (byte) 'v');
            for (int i = 0; i < records; i++) {
                byte[] key = String.format("key-%012d", random.nextInt(keys)).getBytes(StandardCharsets.US_ASCII);
                byte[] mine = value.clone();
                System.arraycopy(key, 0, mine, i % (VALUE_BYTES - key.length), key.length);
                producer.send(new ProducerRecord<>(topic, 0, key, mine));
            }
        }
    }

    private static double cpuSeconds(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    private static List<Path> logs(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
        }
    }

    private static long bytes(Path directory) throws IOException {
        long sum = 0;
        for (Path file : logs(directory)) {
            try {
                sum += Files.size(file);
            } catch (java.nio.file.NoSuchFileException e) {
                sum += SEGMENT_BYTES; // being replaced
            }
        }
        return sum;
    }

    private static long active(Path directory) throws IOException {
        List<Path> logs = logs(directory);
        return Files.size(logs.get(logs.size() - 1));
    }
}
