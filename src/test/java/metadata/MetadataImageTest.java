package metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.InvariantViolation;
import highwater.metadata.MetadataRecord;
import highwater.metadata.NoOpRecord;
import highwater.metadata.PartitionRecord;
import highwater.metadata.RegisterBrokerRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import metadata.MetadataCodec.UnreadableRecordException;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.BrokerStart;
import metadata.MetadataImage.Eligible;
import metadata.MetadataImage.Endpoint;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import metadata.MetadataImage.TopicChange;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class MetadataImageTest {

    private static final Uuid ID = new Uuid(7, 1);

    private static PartitionImage partition(int index, int leaderEpoch) {
        return new PartitionImage(
                index, 1, leaderEpoch, leaderEpoch, List.of(1), List.of(1), List.of(DirectoryId.UNASSIGNED));
    }

    private static PartitionImage lying(int index, Uuid... directories) {
        return new PartitionImage(index, 1, 0, 0, List.of(1, 2), List.of(1, 2), List.of(directories));
    }

    private static MetadataImage apply(MetadataImage image, MetadataRecord... records) {
        MetadataDelta delta = new MetadataDelta(image);
        long offset = image.version();
        for (MetadataRecord record : records) {
            delta.apply(record, offset++);
        }
        return delta.image(offset);
    }

    @Test
    void topicsPartitionsAndConfigsComeAndGoTogether() {
        MetadataImage empty = MetadataImage.empty("c");
        MetadataImage one = apply(
                empty,
                MetadataRecords.topic("t", ID),
                MetadataRecords.config(ConfigTarget.topic("t"), "retention.ms", "5"),
                MetadataRecords.partition(ID, partition(0, 0)),
                MetadataRecords.partition(ID, partition(1, 0)));
        assertEquals(2, one.topic("t").partitions().size());
        assertEquals(Map.of("retention.ms", "5"), one.configs(ConfigTarget.topic("t")));
        assertEquals(one.topic("t"), one.topic(ID));
        MetadataImage grown = apply(
                one, MetadataRecords.partition(ID, partition(2, 0)), MetadataRecords.partition(ID, partition(1, 4)));
        assertEquals(3, grown.topic("t").partitions().size());
        assertEquals(4, grown.topic("t").partitions().get(1).leaderEpoch());
        assertEquals(2, one.topic("t").partitions().size(), "an image never changes");
        MetadataImage gone = apply(grown, MetadataRecords.removeTopic(ID));
        assertNull(gone.topic("t"));
        assertEquals(Map.of(), gone.configs(ConfigTarget.topic("t")));
        assertEquals(List.of(), List.copyOf(empty.topics()));
    }

    /** KIP-858; records from before do not have the field. */
    @Test
    void aPartitionLiesInDirectories() {
        Uuid first = new Uuid(3, 1);
        Uuid second = new Uuid(3, 2);
        PartitionImage old = lying(0, DirectoryId.UNASSIGNED, DirectoryId.UNASSIGNED);
        MetadataRecord record = MetadataRecords.partition(ID, old);
        assertEquals(0, record.getPartition().getDirectoriesCount(), "as it was written before");
        MetadataImage image = apply(MetadataImage.empty("c"), MetadataRecords.topic("t", ID), record);
        assertEquals(old, image.topic("t").partitions().get(0));
        PartitionImage told = old.withDirectory(2, second);
        assertEquals(List.of(DirectoryId.UNASSIGNED, second), told.directories());
        assertEquals(1, told.partitionEpoch());
        assertEquals(DirectoryId.UNASSIGNED, told.directory(9), "no replica of it");
        MetadataImage next = apply(
                image, MetadataRecords.partition(ID, told), MetadataRecords.partition(ID, lying(1, first, second)));
        assertEquals(told, next.topic("t").partitions().get(0));
        assertEquals(2, next.replicasIn(second));
        assertEquals(1, next.replicasIn(first));
        assertEquals(0, next.replicasIn(DirectoryId.UNASSIGNED));
        assertEquals(0, apply(next, MetadataRecords.removeTopic(ID)).replicasIn(second));
        assertThrows(
                InvariantViolation.class,
                () -> apply(image, MetadataRecords.partition(ID, lying(0, first))),
                "one for each replica");
    }

    @Test
    void brokenRecordsAreBugs() {
        MetadataImage image = apply(MetadataImage.empty("c"), MetadataRecords.topic("t", ID));
        assertThrows(InvariantViolation.class, () -> apply(image, MetadataRecords.topic("t", new Uuid(1, 9))));
        assertThrows(InvariantViolation.class, () -> apply(image, MetadataRecords.topic("u", ID)));
        assertThrows(InvariantViolation.class, () -> apply(image, MetadataRecords.partition(ID, partition(1, 0))));
        assertThrows(InvariantViolation.class, () -> apply(image, MetadataRecords.removeTopic(new Uuid(1, 9))));
        MetadataImage ids = apply(image, MetadataRecords.producerIds(1, 1, 1000));
        assertThrows(InvariantViolation.class, () -> apply(ids, MetadataRecords.producerIds(1, 1, 999)), "C7");
    }

    @Test
    void brokerEpochIsTheOffsetOfItsRecord() {
        BrokerImage broker = new BrokerImage(
                3,
                -1,
                ID,
                List.of(new Endpoint("PLAINTEXT", null, 0, "PLAINTEXT")),
                "r1",
                false,
                List.of(new Uuid(5, 5)));
        MetadataImage image = apply(MetadataImage.empty("c"), noOp(), noOp(), MetadataRecords.broker(broker));
        assertEquals(2, image.broker(3).epoch());
        assertEquals(broker.endpoints(), image.broker(3).endpoints());
    }

    /** What was written before clusters has none of their fields. */
    @Test
    void recordsOfOlderSoftwareAreRead() throws UnreadableRecordException {
        PartitionRecord.Builder partition = PartitionRecord.newBuilder()
                .setTopicId(MetadataCodec.bytes(ID))
                .addReplicas(1)
                .addIsr(1)
                .setLeader(1)
                .setLeaderEpoch(4)
                .setPartitionEpoch(5);
        RegisterBrokerRecord.Builder broker = RegisterBrokerRecord.newBuilder()
                .setBrokerId(1)
                .setIncarnationId(MetadataCodec.bytes(ID))
                .addLogDirs(MetadataCodec.bytes(ID));
        MetadataImage image = apply(
                MetadataImage.empty("c"),
                MetadataRecords.topic("t", ID),
                MetadataCodec.decode(ByteBuffer.wrap(MetadataRecord.newBuilder()
                        .setPartition(partition)
                        .build()
                        .toByteArray())),
                MetadataCodec.decode(ByteBuffer.wrap(MetadataRecord.newBuilder()
                        .setRegisterBroker(broker)
                        .build()
                        .toByteArray())));
        assertEquals(
                new PartitionImage(0, 1, 4, 5, List.of(1), List.of(1), List.of(DirectoryId.UNASSIGNED)),
                image.topic("t").partitions().get(0));
        assertEquals(new BrokerImage(1, 2, ID, List.of(), null, false, List.of(ID)), image.broker(1));
    }

    /** Older software would forget what only clusters have, so it must not read it; all else it may. */
    @Test
    void olderSoftwareReadsWhatASingleNodeWrites() {
        BrokerImage broker = new BrokerImage(1, 9, ID, List.of(), null, true, List.of());
        PartitionImage plain = partition(0, 0);
        assertEquals(0, MetadataRecords.broker(broker).getMinReader());
        assertEquals(0, MetadataRecords.partition(ID, plain).getMinReader());
        assertEquals(1, MetadataRecords.brokerState(broker, false, false).getMinReader());
        assertEquals(1, MetadataRecords.brokerGone(broker).getMinReader());
        assertEquals(
                1,
                MetadataRecords.partition(
                                ID, with(plain, new Eligible(List.of(2), List.of(), false), Reassignment.NONE))
                        .getMinReader());
        assertEquals(
                1,
                MetadataRecords.partition(ID, with(plain, Eligible.ISR_ONLY, new Reassignment(List.of(2), List.of())))
                        .getMinReader());
    }

    private static PartitionImage with(PartitionImage partition, Eligible eligible, Reassignment reassignment) {
        return new PartitionImage(
                partition.partition(),
                partition.leader(),
                partition.leaderEpoch(),
                partition.partitionEpoch(),
                partition.replicas(),
                partition.isr(),
                eligible,
                reassignment,
                partition.directories());
    }

    @Test
    void brokersAreFencedAndGoByTheirEpoch() {
        BrokerImage broker = new BrokerImage(3, 7, ID, List.of(), null, true, List.of());
        MetadataImage image = apply(MetadataImage.empty("c"), MetadataRecords.broker(broker));
        MetadataImage ready = apply(image, MetadataRecords.brokerState(broker, false, true));
        assertEquals(broker.inState(false, true), ready.broker(3));
        assertNull(apply(ready, MetadataRecords.brokerGone(broker)).broker(3));
        BrokerImage older = new BrokerImage(3, 6, ID, List.of(), null, true, List.of());
        assertThrows(InvariantViolation.class, () -> apply(ready, MetadataRecords.brokerState(older, true, false)));
        assertThrows(InvariantViolation.class, () -> apply(ready, MetadataRecords.brokerGone(older)), "C1");
    }

    private static MetadataRecord noOp() {
        return MetadataRecord.newBuilder()
                .setNoOp(NoOpRecord.getDefaultInstance())
                .build();
    }

    @Test
    void namesThatDifferInDotAndUnderscoreCollide() {
        MetadataImage image = apply(MetadataImage.empty("c"), MetadataRecords.topic("a.b_c", ID));
        assertEquals("a.b_c", image.collidingTopic("a_b.c"));
        assertNull(image.collidingTopic("a.b_c"));
        assertNull(image.collidingTopic("abc"));
        assertNull(apply(image, MetadataRecords.removeTopic(ID)).collidingTopic("a_b.c"));
    }

    @Test
    void aRecordSaysWhichClusterItIs() {
        MetadataImage unknown = MetadataImage.empty(null);
        assertNull(unknown.clusterId());
        assertFalse(MetadataImage.empty("c").isClusterRecorded());
        MetadataImage known = apply(unknown, MetadataRecords.cluster("c")).withController(3);
        MetadataImage later = apply(known, MetadataRecords.topic("t", ID));
        assertEquals("c", later.clusterId());
        assertTrue(later.isClusterRecorded());
        assertEquals(3, later.controllerId());
        List<MetadataRecord> snapshot = new ArrayList<>();
        ImageRecords.write(later, snapshot::add);
        assertEquals("c", ImageRecords.read(snapshot, later.version(), null).clusterId());
    }

    @Test
    void newerRecordsAreRefusedNotMisread() throws UnreadableRecordException {
        MetadataRecord newer = MetadataRecords.feature("f", (short) 1).toBuilder()
                .setMinReader(MetadataCodec.LEVEL + 1)
                .build();
        assertThrows(UnreadableRecordException.class, () -> MetadataCodec.decode(ByteBuffer.wrap(newer.toByteArray())));
        assertThrows(UnreadableRecordException.class, () -> MetadataCodec.decode(ByteBuffer.wrap(new byte[0])));
        assertThrows(
                UnreadableRecordException.class, () -> MetadataCodec.decode(ByteBuffer.wrap(new byte[] {1, 2, 3})));
        MetadataRecord known = MetadataRecords.feature("f", (short) 1);
        assertEquals(known, MetadataCodec.decode(ByteBuffer.wrap(MetadataCodec.encode(known))));
    }

    /** Any image written as records and read back is the same (R12), and the changes between two images are exactly what differs. */
    @Test
    void randomImagesSurviveASnapshotAndTellTheirDifferences() {
        for (int run = 0; run < 60; run++) {
            long seed = new Random().nextLong();
            RandomRecords source = new RandomRecords(seed);
            List<MetadataImage> images = new ArrayList<>();
            MetadataImage image = MetadataImage.empty("c");
            for (int i = 0; i < 60; i++) {
                image = apply(image, source.next(image));
                images.add(image);
            }
            MetadataDelta copy = new MetadataDelta(MetadataImage.empty("c"));
            long version = image.version();
            ImageRecords.write(image, record -> copy.apply(record, version - 1));
            assertEquals(text(image), text(copy.image(version)), "seed " + seed);
            assertEquals(counted(image), counts(image), "seed " + seed);
            assertEquals(counts(image), counts(copy.image(version)), "seed " + seed);
            MetadataImage older = images.get(new Random(seed).nextInt(images.size()));
            assertEquals(differences(older, image), changes(image.topicChangesSince(older)), "seed " + seed);
        }
    }

    private static List<Integer> counts(MetadataImage image) {
        return RandomRecords.DIRECTORIES.stream().map(image::replicasIn).toList();
    }

    private static List<Integer> counted(MetadataImage image) {
        List<Uuid> all = new ArrayList<>();
        image.topics().forEach(topic -> topic.partitions().forEach(each -> all.addAll(each.directories())));
        return RandomRecords.DIRECTORIES.stream()
                .map(each -> DirectoryId.isReserved(each) ? 0 : Collections.frequency(all, each))
                .toList();
    }

    private static List<String> changes(List<TopicChange> changes) {
        List<String> found = new ArrayList<>();
        for (TopicChange change : changes) {
            if (change.before() == null || !change.before().equals(change.after())) {
                found.add(change.before() + " -> " + change.after());
            }
        }
        return found.stream().sorted().toList();
    }

    private static List<String> differences(MetadataImage before, MetadataImage after) {
        TreeMap<Uuid, String> found = new TreeMap<>();
        before.topics().forEach(topic -> {
            if (!topic.equals(after.topic(topic.id()))) {
                found.put(topic.id(), topic + " -> " + after.topic(topic.id()));
            }
        });
        after.topics().forEach(topic -> {
            if (before.topic(topic.id()) == null) {
                found.put(topic.id(), "null -> " + topic);
            }
        });
        return found.values().stream().sorted().toList();
    }

    /** All content, for comparison. */
    static String text(MetadataImage image) {
        StringBuilder text = new StringBuilder();
        image.topics().forEach(topic -> text.append(topic).append('\n'));
        image.brokers().forEach(broker -> text.append(broker).append('\n'));
        image.configTargets()
                .forEach(target ->
                        text.append(target).append(image.configs(target)).append('\n'));
        image.quotaEntities()
                .forEach(entity ->
                        text.append(entity).append(image.quotas(entity)).append('\n'));
        text.append(image.features().finalized())
                .append(image.nextProducerId())
                .append(' ')
                .append(image.version());
        return text.toString();
    }

    /** Makes legal records. */
    private static final class RandomRecords {
        static final List<Uuid> DIRECTORIES = List.of(new Uuid(0, 0), new Uuid(0, 2), new Uuid(4, 1), new Uuid(4, 2));

        private final Random random;
        private long ids;

        RandomRecords(long seed) {
            this.random = new Random(seed);
        }

        MetadataRecord[] next(MetadataImage image) {
            List<MetadataImage.TopicImage> topics = List.copyOf(image.topics());
            int kind = random.nextInt(12);
            if (topics.isEmpty() || kind == 0) {
                Uuid id = new Uuid(9, ++ids);
                List<MetadataRecord> records = new ArrayList<>();
                records.add(MetadataRecords.topic("t." + ids, id));
                for (int i = 0; i <= random.nextInt(3); i++) {
                    records.add(MetadataRecords.partition(id, partition(i, 0)));
                }
                return records.toArray(MetadataRecord[]::new);
            }
            MetadataImage.TopicImage topic = topics.get(random.nextInt(topics.size()));
            String value = random.nextInt(3) == 0 ? null : Integer.toString(random.nextInt(5));
            String key = "k" + random.nextInt(3);
            return new MetadataRecord[] {
                switch (kind) {
                    case 1 -> MetadataRecords.removeTopic(topic.id());
                    case 2 ->
                        MetadataRecords.partition(
                                topic.id(), partition(topic.partitions().size(), 0));
                    case 3 ->
                        MetadataRecords.partition(
                                topic.id(),
                                partition(random.nextInt(topic.partitions().size()), random.nextInt(9)));
                    case 4 -> MetadataRecords.config(ConfigTarget.topic(topic.name()), key, value);
                    case 5 -> MetadataRecords.config(ConfigTarget.broker(random.nextInt(2) - 1), key, value);
                    case 6 -> MetadataRecords.quota(entity(), key, value == null ? null : Double.valueOf(value));
                    case 7 -> MetadataRecords.feature(key, (short) random.nextInt(3));
                    case 8 ->
                        MetadataRecords.partition(
                                topic.id(), moved(topic.partitions().get(0)));
                    case 9 -> MetadataRecords.broker(broker());
                    case 10 -> brokerChange(image);
                    default -> MetadataRecords.producerIds(1, 1, image.nextProducerId() + 1000);
                }
            };
        }

        private PartitionImage moved(PartitionImage partition) {
            return with(partition, new Eligible(ids(), ids(), random.nextBoolean()), new Reassignment(ids(), ids()));
        }

        private List<Integer> ids() {
            return random.ints(random.nextInt(3), 0, 9).boxed().toList();
        }

        private BrokerImage broker() {
            Map<String, Features.Range> features = random.nextBoolean()
                    ? Map.of()
                    : Map.of("f" + random.nextInt(3), new Features.Range((short) 0, (short) random.nextInt(9)));
            return new BrokerImage(
                    random.nextInt(3),
                    ++ids,
                    new Uuid(1, ids),
                    List.of(),
                    random.nextBoolean() ? null : "r",
                    random.nextBoolean(),
                    List.of(),
                    new BrokerStart(
                            random.nextBoolean() ? null : "b" + ids,
                            random.nextInt(3) - 1,
                            random.nextBoolean(),
                            features),
                    random.nextBoolean());
        }

        private MetadataRecord brokerChange(MetadataImage image) {
            List<BrokerImage> brokers = List.copyOf(image.brokers());
            if (brokers.isEmpty()) {
                return noOp();
            }
            BrokerImage broker = brokers.get(random.nextInt(brokers.size()));
            return random.nextInt(4) == 0
                    ? MetadataRecords.brokerGone(broker)
                    : MetadataRecords.brokerState(broker, random.nextBoolean(), random.nextBoolean());
        }

        private PartitionImage partition(int index, int leaderEpoch) {
            Uuid directory = DIRECTORIES.get(random.nextInt(DIRECTORIES.size()));
            return new PartitionImage(index, 1, leaderEpoch, leaderEpoch, List.of(1), List.of(1), List.of(directory));
        }

        private QuotaEntity entity() {
            Map<String, String> parts = new TreeMap<>();
            for (String type : Arrays.asList("user", "client-id")) {
                if (random.nextBoolean()) {
                    parts.put(type, random.nextBoolean() ? null : "n" + random.nextInt(2));
                }
            }
            return QuotaEntity.of(parts.isEmpty() ? Map.of("ip", "1.1.1.1") : parts);
        }
    }

    @Test
    void quotaEntitiesWithOddNamesStayApart() {
        TreeMap<String, String> withDefault = new TreeMap<>();
        withDefault.put("user", null);
        QuotaEntity usual = QuotaEntity.of(withDefault);
        QuotaEntity named = QuotaEntity.of(Map.of("user", "<"));
        assertTrue(usual.compareTo(named) != 0 && !usual.equals(named));
        assertEquals(0, named.compareTo(QuotaEntity.of(Map.of("user", "<"))));
    }
}
