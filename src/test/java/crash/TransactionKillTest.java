package crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs that read, process and write in transactions (KIP-447), and a real broker; all are killed with -9, again and again, also together. The output holds each
 * input record exactly once, in order (rules T8, T9, T10), and nothing stays open (L5). {@code -Dcrash.transactions.kills=N} runs it for longer.
 */
@ExtendWith(QuietClients.class)
class TransactionKillTest {
    private static final int KILLS = Integer.getInteger("crash.transactions.kills", 3);
    private static final long SEED = Long.getLong("crash.transactions.seed", 23);
    private static final int PARTITIONS = 4;
    private static final int MOVERS = 2;
    private static final int RECORDS_A_ROUND = 400;
    /** So many records come out before the next kill. */
    private static final int PROGRESS = 60;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(300);

    @TempDir
    Path home;

    private final Random random = new Random(SEED);
    private final List<MoverProcess> movers = new ArrayList<>();
    private RealBroker broker;
    private Admin admin;
    private int sent;

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void outputIsExactlyOnce(String protocol) throws Exception {
        broker = new RealBroker(
                home,
                "group.initial.rebalance.delay.ms=0",
                "group.min.session.timeout.ms=1000",
                "group.consumer.min.session.timeout.ms=1000",
                "group.consumer.session.timeout.ms=6000",
                "group.consumer.min.heartbeat.interval.ms=500",
                "group.consumer.heartbeat.interval.ms=500",
                "transaction.state.log.num.partitions=3",
                "offsets.topic.num.partitions=3");
        try {
            broker.start();
            admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap(), "request.timeout.ms", 30_000));
            admin.createTopics(List.of(
                            new NewTopic(MoverMain.INPUT, PARTITIONS, (short) 1),
                            new NewTopic(MoverMain.OUTPUT, PARTITIONS, (short) 1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
            for (int i = 0; i < MOVERS; i++) {
                movers.add(new MoverProcess(home, "mover" + i, List.of(broker.bootstrap(), "mover" + i, protocol)));
                movers.get(i).start();
            }
            run();
        } finally {
            movers.forEach(MoverProcess::close);
            if (admin != null) {
                admin.close(Duration.ZERO);
            }
            broker.close();
        }
    }

    private void run() throws Exception {
        try (KafkaProducer<String, String> source = source()) {
            for (int kill = 0; kill < KILLS; kill++) {
                long before = ends(MoverMain.OUTPUT, IsolationLevel.READ_COMMITTED);
                send(source);
                await(
                        "progress after kill " + kill,
                        () -> ends(MoverMain.OUTPUT, IsolationLevel.READ_COMMITTED) >= before + PROGRESS);
                kill(kill);
            }
            source.flush();
        }
        await("all input is moved", () -> moved() == sent);
        movers.forEach(MoverProcess::close);
        // What a killed job leaves open ends by its time-out.
        await(
                "nothing is open",
                () -> ends(MoverMain.OUTPUT, IsolationLevel.READ_COMMITTED)
                        == ends(MoverMain.OUTPUT, IsolationLevel.READ_UNCOMMITTED));
        check();
    }

    /** The broker, a job, or both; each comes back. */
    private void kill(int round) throws Exception {
        MoverProcess victim = movers.get(random.nextInt(MOVERS));
        int which = round % 3;
        if (which != 1) {
            broker.kill();
        }
        if (which != 0) {
            victim.kill();
        }
        if (which != 1) {
            broker.start();
        }
        if (which != 0) {
            victim.start();
        }
    }

    private void send(KafkaProducer<String, String> source) {
        for (int i = 0; i < RECORDS_A_ROUND; i++) {
            int number = sent++;
            source.send(new ProducerRecord<>(MoverMain.INPUT, number % PARTITIONS, null, Integer.toString(number)));
        }
    }

    private KafkaProducer<String, String> source() {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", broker.bootstrap(),
                        "delivery.timeout.ms", 900_000,
                        "request.timeout.ms", 10_000,
                        "reconnect.backoff.max.ms", 100),
                new StringSerializer(),
                new StringSerializer());
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    /** What cannot be asked while the broker is away is asked again. */
    private void await(String what, Condition condition) throws Exception {
        long end = System.nanoTime() + PATIENCE_NANOS;
        Exception last = null;
        while (true) {
            try {
                if (condition.holds()) {
                    return;
                }
            } catch (ExecutionException | TimeoutException e) {
                last = e;
            }
            if (System.nanoTime() > end) {
                StringBuilder why = new StringBuilder("not in time: " + what + ", seed " + SEED + ", last " + last);
                movers.forEach(each ->
                        why.append('\n').append(each.isAlive()).append(' ').append(each.output()));
                throw new AssertionError(why.append('\n').append(broker.output()));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    private static List<TopicPartition> partitions(String topic) {
        return IntStream.range(0, PARTITIONS)
                .mapToObj(i -> new TopicPartition(topic, i))
                .toList();
    }

    /** The sum over all partitions. */
    private long ends(String topic, IsolationLevel level) throws Exception {
        return admin
                .listOffsets(
                        partitions(topic).stream().collect(Collectors.toMap(each -> each, each -> OffsetSpec.latest())),
                        new ListOffsetsOptions(level))
                .all()
                .get(60, TimeUnit.SECONDS)
                .values()
                .stream()
                .mapToLong(each -> each.offset())
                .sum();
    }

    /** How much of the input the group has committed. */
    private long moved() throws Exception {
        return admin
                .listConsumerGroupOffsets(MoverMain.GROUP)
                .partitionsToOffsetAndMetadata()
                .get(60, TimeUnit.SECONDS)
                .values()
                .stream()
                .filter(each -> each != null)
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }

    private void check() throws Exception {
        Map<Integer, List<Integer>> found = new TreeMap<>();
        List<TopicPartition> all = partitions(MoverMain.OUTPUT);
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrap(),
                        "isolation.level",
                        "read_committed",
                        "auto.offset.reset",
                        "none",
                        "enable.auto.commit",
                        false),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (all.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofSeconds(5))) {
                    found.computeIfAbsent(each.partition(), any -> new ArrayList<>())
                            .add(Integer.parseInt(each.value()));
                }
            }
        }
        for (int partition = 0; partition < PARTITIONS; partition++) {
            int first = partition;
            List<Integer> expected = IntStream.iterate(first, i -> i < sent, i -> i + PARTITIONS)
                    .boxed()
                    .toList();
            assertEquals(expected, found.get(partition), "partition " + partition + ", seed " + SEED);
        }
        assertTrue(sent > 0);
    }
}
