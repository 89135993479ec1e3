package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ScheduledFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile;
import org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache;
import org.apache.kafka.storage.internals.log.EpochEntry;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The small text files, and the epoch cache, against Apache Kafka's (rules I1, I3, S5). */
class CheckpointsTest {

    @TempDir
    Path directory;

    private final LogDirFailureChannel failures = new LogDirFailureChannel(1);

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteBuffer image) {
        return StandardCharsets.UTF_8.decode(image.duplicate()).toString();
    }

    @Test
    void epochCacheAgreesWithKafkaOverRandomHistories() throws IOException {
        for (int seed = 0; seed < 40; seed++) {
            Random random = new Random(seed);
            File files = Files.createDirectory(directory.resolve("e" + seed)).toFile();
            LeaderEpochCheckpointFile checkpoint =
                    new LeaderEpochCheckpointFile(LeaderEpochCheckpointFile.newFile(files), failures);
            LeaderEpochFileCache kafka =
                    new LeaderEpochFileCache(new TopicPartition("t", 0), checkpoint, new InlineScheduler());
            LeaderEpochCache ours = new LeaderEpochCache();
            long end = 0;
            int epoch = 0;
            for (int step = 0; step < 40; step++) {
                String what = "seed " + seed + " step " + step;
                switch (random.nextInt(8)) {
                    case 0 -> {
                        end = random.nextInt((int) end + 1);
                        long cut = end + random.nextInt(2);
                        kafka.truncateFromEndAsyncFlush(cut);
                        ours.truncateFromEnd(cut);
                    }
                    case 1 -> {
                        long start = random.nextInt((int) end + 3);
                        kafka.truncateFromStartAsyncFlush(start);
                        ours.truncateFromStart(start);
                    }
                    default -> {
                        epoch = Math.max(0, epoch + random.nextInt(4) - (random.nextInt(9) == 0 ? 3 : 0));
                        kafka.assign(epoch, end);
                        ours.assign(epoch, end);
                        end += random.nextInt(20);
                    }
                }
                compare(what, kafka, ours, end, epoch);
            }
            Path file = LeaderEpochCheckpointFile.newFile(files).toPath();
            assertEquals(Files.readString(file), text(ours.image()), "seed " + seed);
            LeaderEpochCache loaded = LeaderEpochCache.load(ours.image()).cache();
            compare("seed " + seed + " loaded", kafka, loaded, end, epoch);
        }
    }

    private static void compare(String what, LeaderEpochFileCache kafka, LeaderEpochCache ours, long end, int epoch) {
        List<EpochEntry> entries = new ArrayList<>();
        for (int i = 0; i < ours.count(); i++) {
            entries.add(new EpochEntry(ours.epochAt(i), ours.startAt(i)));
        }
        assertEquals(kafka.epochEntries(), entries, what);
        assertEquals(kafka.latestEpoch().orElse(-1), ours.latestEpoch(), what);
        for (int asked = -1; asked < epoch + 5; asked++) {
            Map.Entry<Integer, Long> expected = kafka.endOffsetFor(asked, end);
            EpochEnd actual = ours.endOfEpoch(asked, end);
            assertEquals(new EpochEnd(expected.getKey(), expected.getValue()), actual, what + " epoch " + asked);
            assertEquals(kafka.previousEpoch(asked).orElse(-1), ours.previousEpoch(asked), what + " epoch " + asked);
        }
        for (long offset = 0; offset < end + 3; offset++) {
            assertEquals(kafka.epochForOffset(offset).orElse(-1), ours.epochFor(offset), what + " offset " + offset);
        }
    }

    @Test
    void offsetCheckpointIsKafkas() throws IOException {
        List<CheckpointFile.Entry> entries =
                List.of(new CheckpointFile.Entry("a-b.c_d", 0, 0), new CheckpointFile.Entry("t", 41, Long.MAX_VALUE));
        Path file = directory.resolve(CheckpointFile.RECOVERY_POINTS);
        Files.write(file, CheckpointFile.image(entries).array());
        OffsetCheckpointFile kafka = new OffsetCheckpointFile(file.toFile(), failures);
        Map<TopicPartition, Long> read = kafka.read();
        assertEquals(Map.of(new TopicPartition("a-b.c_d", 0), 0L, new TopicPartition("t", 41), Long.MAX_VALUE), read);
        kafka.write(Map.of(new TopicPartition("x", 3), 17L));
        assertEquals(
                List.of(new CheckpointFile.Entry("x", 3, 17)),
                CheckpointFile.load(ByteBuffer.wrap(Files.readAllBytes(file))).entries());
    }

    @Test
    void partitionMetadataIsKafkas() throws IOException {
        Uuid id = Uuid.randomUuid();
        Path file = directory.resolve(PartitionMetadataFile.FILE_NAME);
        Files.write(file, PartitionMetadataFile.image(id.toString()).array());
        assertEquals(
                id,
                new org.apache.kafka.storage.internals.checkpoint.PartitionMetadataFile(file.toFile(), failures)
                        .read()
                        .topicId());
    }

    @Test
    void unreadableContentsAreValues() {
        List<String> bad = List.of(
                "",
                "0",
                "0\n",
                "0\n1\n",
                "0\n2\nt 0 1\n",
                "0\n1\nt 0 1",
                "0\n1\nt 0\n",
                "0\n1\nt 0 -1\n",
                "0\n1\nt 0 99999999999999999999\n",
                "0\n1\nt 9999999999 1\n",
                "x\n1\nt 0 1\n",
                "0\n-1\nt 0 1\n",
                "0\n1\nt 0 1\nt 0 2\n",
                "\0\0\0\0");
        for (String content : bad) {
            CheckpointFile.Loaded loaded = CheckpointFile.load(bytes(content));
            assertNull(loaded.entries(), content);
            assertNotNull(loaded.failure(), content);
        }
        assertEquals(
                FailureCode.UNSUPPORTED_FORMAT,
                CheckpointFile.load(bytes("1\n0\n")).failure().code());
        assertTrue(CheckpointFile.load(bytes("0\n0\n")).entries().isEmpty());

        for (String content : List.of("0\n2\n3 5\n2 9\n", "0\n2\n3 5\n4 4\n", "0\n1\n-1 5\n", "0\n1\n3000000000 5\n")) {
            assertNull(LeaderEpochCache.load(bytes(content)).cache(), content);
        }
        assertEquals(0, LeaderEpochCache.load(bytes("0\n0\n")).cache().count());

        for (String content :
                List.of("", "version: 0\n", "version: 0\ntopic_id: short\n", "topic_id: x\nversion: 0\n")) {
            assertEquals(
                    FailureCode.STORAGE_ERROR,
                    PartitionMetadataFile.load(bytes(content)).failure().code(),
                    content);
        }
        assertEquals(
                FailureCode.UNSUPPORTED_FORMAT,
                PartitionMetadataFile.load(bytes("version: 1\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA\n"))
                        .failure()
                        .code());
    }

    private static final class InlineScheduler implements Scheduler {
        @Override
        public void startup() {}

        @Override
        public void shutdown() {}

        @Override
        public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
            task.run();
            return null;
        }

        @Override
        public void resizeThreadPool(int newSize) {}
    }
}
