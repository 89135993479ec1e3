package crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import compat.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real broker whose disk fills while groups work (rules S10, L6, G8): commits are refused for now, members stay, reads go on, also after a kill -9, and all goes on
 * by itself when there is room again. On a small file system of its own where this process may mount one, and everywhere by a reserve that is never met.
 */
@ExtendWith(QuietClients.class)
class FullDiskTest {
    private static final int DISK_MEBIBYTES = 32;
    private static final int RESERVE_BYTES = 8 << 20;
    /** So much of the disk is free for no broker: it finds its disk full at once. */
    private static final String ALL_RESERVED = "log.dir.reserve.bytes=" + Long.MAX_VALUE;

    private static final String TOPIC = "t";
    private static final String BALLAST = "ballast";
    private static final String FILLER = "filler";
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 200;
    private static final int HEARTBEATS = 5;

    @TempDir
    Path home;

    private final List<GroupTeam> teams = new ArrayList<>();
    private RealBroker broker;
    private Admin admin;
    private NumberedSource source;
    private int ballast;

    @Test
    void aFileSystemThatIsFull() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(home.resolve("data"), DISK_MEBIBYTES)) {
            if (disk.isMounted()) {
                run(disk);
                return;
            }
            // In many containers not even root may.
            System.out.println(
                    "FullDiskTest: no file system was filled, as this process may not mount a small one; the reserve alone is tested");
        }
    }

    @Test
    void aReserveThatIsNotThere() throws Exception {
        run(null);
    }

    /** @param disk null: there is no small one */
    private void run(SmallDisk disk) throws Exception {
        broker = new RealBroker(
                home,
                "num.network.threads=1",
                "log.dir.reserve.bytes=" + (disk == null ? 0 : RESERVE_BYTES),
                "log.segment.delete.delay.ms=0",
                "group.initial.rebalance.delay.ms=0",
                "group.consumer.min.heartbeat.interval.ms=200",
                "group.consumer.heartbeat.interval.ms=200",
                "offsets.topic.num.partitions=2");
        String[] full = disk == null ? new String[] {ALL_RESERVED} : new String[0];
        try {
            broker.start();
            admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap(), "reconnect.backoff.max.ms", 100));
            begin();
            if (disk == null) {
                restart(full);
            } else {
                fill();
            }
            whileFull();
            teams.forEach(each -> each.join("late"));
            restart(full);
            whileFull();
            if (disk != null) {
                notEvenTheReserve(disk);
            }
            assertEquals(ballast, ends(BALLAST));
            admin.deleteTopics(List.of(BALLAST)).all().get(120, TimeUnit.SECONDS);
            if (disk == null) {
                restart();
            }
            goesOn();
        } finally {
            close();
        }
    }

    private void begin() throws Exception {
        admin.createTopics(List.of(
                        new NewTopic(TOPIC, PARTITIONS, (short) 1),
                        new NewTopic(BALLAST, 1, (short) 1).configs(Map.of("segment.bytes", "1048576"))))
                .all()
                .get(120, TimeUnit.SECONDS);
        source = new NumberedSource(broker);
        teams.add(GroupTeam.of(broker, "modern", GroupMember.Protocol.CONSUMER, TOPIC));
        teams.add(GroupTeam.of(broker, "cooperative", GroupMember.Protocol.COOPERATIVE, TOPIC));
        for (GroupTeam each : teams) {
            each.reads(TOPIC, PARTITIONS).joinStatic("one").join("two");
        }
        goesOn();
    }

    /** New records are read and committed, by all members. */
    private void goesOn() throws Exception {
        source.send(TOPIC, PARTITIONS, RECORDS);
        source.flush();
        await("all members read and commit", () -> {
            teams.forEach(GroupTeam::commit);
            return teams.stream().allMatch(each -> each.isSettled() && each.isDone(source));
        });
        for (GroupTeam each : teams) {
            each.check(admin);
        }
    }

    /** Produces until the broker says that it has no room. */
    private void fill() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrap(), "retries", 0, "enable.idempotence", false),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            while (true) {
                producer.send(new ProducerRecord<>(BALLAST, new byte[100_000])).get();
                ballast++;
                assertTrue(ballast * 100_000L < DISK_MEBIBYTES * 1_048_576L, "the disk never fills");
            }
        } catch (ExecutionException refused) {
            assertInstanceOf(KafkaStorageException.class, refused.getCause());
        }
    }

    /** kill -9. */
    private void restart(String... overrides) throws Exception {
        broker.kill();
        broker.start(overrides);
    }

    /** Somebody else has taken the rest: the broker goes on, but may be unable to start, and says why. */
    private void notEvenTheReserve(SmallDisk disk) throws Exception {
        disk.exhaust(FILLER);
        whileFull();
        broker.kill();
        try {
            broker.start();
        } catch (IOException refused) {
            assertTrue(refused.getMessage().contains("is full: free some space on it"), refused.getMessage());
        }
        disk.remove(FILLER);
        restart();
    }

    private void whileFull() throws Exception {
        Map<String, TreeSet<String>> before = memberIds();
        settled().forEach(GroupMember::forgetRefusal);
        await("commits are refused for now", () -> {
            teams.forEach(GroupTeam::commit);
            return settled().stream().allMatch(FullDiskTest::isRefusedForNow);
        });
        Map<GroupMember, Double> beats = new LinkedHashMap<>();
        settled().forEach(each -> beats.put(each, each.heartbeats()));
        await(
                "heartbeats are answered",
                () -> settled().stream().allMatch(each -> each.heartbeats() >= beats.get(each) + HEARTBEATS));
        Map<String, TreeSet<String>> after = memberIds();
        before.forEach((group, ids) -> assertTrue(after.get(group).containsAll(ids), before + " became " + after));
        for (GroupTeam each : teams) {
            each.check(admin);
        }
        assertAllIsRead();
    }

    /** By the broker: a lost connection, say, fails with the same exception for another cause. */
    private static boolean isRefusedForNow(GroupMember member) {
        return member.refusal() instanceof RetriableCommitFailedException refused
                && refused.getCause() instanceof CoordinatorNotAvailableException;
    }

    /** Those that were members before the disk was full. */
    private List<GroupMember> settled() {
        List<GroupMember> all = new ArrayList<>();
        teams.forEach(each -> all.addAll(List.of(each.member("one"), each.member("two"))));
        return all;
    }

    private Map<String, TreeSet<String>> memberIds() throws Exception {
        Map<String, TreeSet<String>> ids = new TreeMap<>();
        List<String> groups = teams.stream().map(GroupTeam::group).toList();
        admin.describeConsumerGroups(groups).all().get(120, TimeUnit.SECONDS).forEach((group, described) -> {
            TreeSet<String> members = new TreeSet<>();
            described.members().forEach(each -> members.add(each.consumerId()));
            ids.put(group, members);
        });
        return ids;
    }

    /** Somebody who reads from the beginning gets everything. */
    private void assertAllIsRead() {
        BitSet missing = source.sent(List.of(TOPIC));
        try (KafkaConsumer<String, String> reader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrap(), "enable.auto.commit", false),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                partitions.add(new TopicPartition(TOPIC, i));
            }
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            while (partitions.stream().anyMatch(each -> reader.position(each) < ends.get(each))) {
                reader.poll(Duration.ofSeconds(5)).forEach(each -> missing.clear(Integer.parseInt(each.value())));
            }
        }
        assertTrue(missing.isEmpty(), () -> "not there: " + missing);
    }

    private long ends(String topic) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                .all()
                .get(120, TimeUnit.SECONDS)
                .get(partition)
                .offset();
    }

    private void await(String what, Await.Condition condition) throws Exception {
        try {
            Await.until(what, () -> {
                teams.forEach(GroupTeam::poll);
                return condition.holds();
            });
        } catch (AssertionError late) {
            throw new AssertionError(teams + "\n" + broker.output(), late);
        }
    }

    private void close() {
        teams.forEach(GroupTeam::close);
        if (source != null) {
            source.close();
        }
        if (admin != null) {
            admin.close();
        }
        broker.close();
    }
}
