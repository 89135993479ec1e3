package records.schemas;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMemberMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMemberMetadataValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupRegularExpressionKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupRegularExpressionValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataValue;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordType;
import org.apache.kafka.coordinator.group.generated.GroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import records.MalformedRecordException;

/** The bytes of group records against Kafka's generated classes and its coordinator's reader. */
class GroupRecordCodecTest {

    private static final int ROUNDS = 500;
    private static final int DAMAGED = 40_000;
    private static final Uuid TOPIC = new Uuid(1, 2);
    private static final byte[] SOME = {1, 2};
    private static final byte[] OTHER = {3};

    @ParameterizedTest
    @EnumSource(CoordinatorRecordType.class)
    void readsAllVersionsAndWritesAsKafka(CoordinatorRecordType type) {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = type.id() * 1_000_000L + round;
            KafkaGroupRecords kafka = new KafkaGroupRecords(new Random(seed));
            ByteBuffer key = KafkaGroupRecords.bytesOfKey(kafka.key(type));
            ApiMessage content = kafka.value(type);
            for (int v = type.lowestSupportedVersion(); v <= type.highestSupportedVersion(); v++) {
                assertAsKafka(key, KafkaGroupRecords.bytesOf(content, v), "seed " + seed + " version " + v);
            }
            assertAsKafka(key, null, "tombstone, seed " + seed);
        }
    }

    private static void assertAsKafka(ByteBuffer key, ByteBuffer value, String where) {
        GroupRecord record = GroupRecordCodec.decode(key, value);
        assertEquals(value == null, record.tombstone(), where);
        assertEquals(0, key.position(), where);
        if (!KafkaGroupRecords.served(CoordinatorRecordType.fromId(key.getShort(0)))) {
            assertEquals(new GroupRecord.UnknownType(key.getShort(0), value == null), record, where);
            return;
        }
        KafkaGroupRecords.Bytes expected = KafkaGroupRecords.readAndWrite(key, value);
        assertEquals(expected, encode(record), where);
        KafkaGroupRecords.Bytes elsewhere = new KafkaGroupRecords.Bytes(direct(key), direct(value));
        assertEquals(record, GroupRecordCodec.decode(elsewhere.key(), elsewhere.value()), where);
    }

    private static KafkaGroupRecords.Bytes encode(GroupRecord record) {
        byte[] value = GroupRecordCodec.encodeValue(record);
        return new KafkaGroupRecords.Bytes(
                ByteBuffer.wrap(GroupRecordCodec.encodeKey(record)), value == null ? null : ByteBuffer.wrap(value));
    }

    /** Off the heap, read-only and in the middle of something. */
    private static ByteBuffer direct(ByteBuffer content) {
        if (content == null) {
            return null;
        }
        ByteBuffer copy = ByteBuffer.allocateDirect(content.remaining() + 7);
        copy.position(3).put(content.duplicate());
        return copy.flip().position(3).asReadOnlyBuffer();
    }

    @Test
    void everyFieldHasItsPlace() {
        expect(
                new OffsetCommitKey().setGroup("g").setTopic("t").setPartition(5),
                new OffsetCommitValue()
                        .setOffset(1)
                        .setLeaderEpoch(2)
                        .setMetadata("m")
                        .setCommitTimestamp(3)
                        .setTopicId(TOPIC),
                4,
                new OffsetCommitRecord("g", "t", 5, new OffsetCommitRecord.Value(1, 2, "m", 3, -1, TOPIC)));
        expect(
                new OffsetCommitKey().setGroup("g").setTopic("t").setPartition(5),
                new OffsetCommitValue()
                        .setOffset(1)
                        .setMetadata("")
                        .setCommitTimestamp(3)
                        .setExpireTimestamp(4),
                1,
                new OffsetCommitRecord("g", "t", 5, new OffsetCommitRecord.Value(1, -1, "", 3, 4, Uuid.ZERO_UUID)));
        expect(
                new GroupMetadataKey().setGroup("g"),
                new GroupMetadataValue()
                        .setProtocolType("consumer")
                        .setGeneration(1)
                        .setProtocol("range")
                        .setLeader("m1")
                        .setCurrentStateTimestamp(2)
                        .setMembers(List.of(new GroupMetadataValue.MemberMetadata()
                                .setMemberId("m1")
                                .setGroupInstanceId("i1")
                                .setClientId("c1")
                                .setClientHost("/h1")
                                .setRebalanceTimeout(3)
                                .setSessionTimeout(4)
                                .setSubscription(SOME)
                                .setAssignment(OTHER))),
                3,
                new GroupMetadataRecord(
                        "g",
                        new GroupMetadataRecord.Value(
                                "consumer",
                                1,
                                "range",
                                "m1",
                                2,
                                List.of(new GroupMetadataRecord.Member("m1", "i1", "c1", "/h1", 3, 4, SOME, OTHER)))));
    }

    @Test
    void everyFieldOfConsumerGroupsHasItsPlace() {
        expect(
                new ConsumerGroupMetadataKey().setGroupId("g"),
                new ConsumerGroupMetadataValue().setEpoch(1).setMetadataHash(2),
                0,
                new ConsumerGroupRecord.Metadata("g", new ConsumerGroupRecord.MetadataValue(1, 2)));
        expect(
                new ConsumerGroupMemberMetadataKey().setGroupId("g").setMemberId("m"),
                new ConsumerGroupMemberMetadataValue()
                        .setInstanceId("i")
                        .setRackId("r")
                        .setClientId("c")
                        .setClientHost("h")
                        .setSubscribedTopicNames(List.of("t"))
                        .setSubscribedTopicRegex("t.*")
                        .setRebalanceTimeoutMs(3)
                        .setServerAssignor("uniform")
                        .setClassicMemberMetadata(new ConsumerGroupMemberMetadataValue.ClassicMemberMetadata()
                                .setSessionTimeoutMs(4)
                                .setSupportedProtocols(List.of(new ConsumerGroupMemberMetadataValue.ClassicProtocol()
                                        .setName("range")
                                        .setMetadata(SOME)))),
                0,
                new ConsumerGroupRecord.MemberMetadata(
                        "g",
                        "m",
                        new ConsumerGroupRecord.MemberMetadataValue(
                                "i",
                                "r",
                                "c",
                                "h",
                                List.of("t"),
                                "t.*",
                                3,
                                "uniform",
                                new ConsumerGroupRecord.ClassicMember(
                                        4, List.of(new ConsumerGroupRecord.ClassicProtocol("range", SOME))))));
        expect(
                new ConsumerGroupTargetAssignmentMetadataKey().setGroupId("g"),
                new ConsumerGroupTargetAssignmentMetadataValue()
                        .setAssignmentEpoch(1)
                        .setAssignmentTimestamp(2),
                0,
                new ConsumerGroupRecord.TargetAssignmentMetadata(
                        "g", new ConsumerGroupRecord.TargetAssignmentMetadataValue(1, 2)));
        expect(
                new ConsumerGroupCurrentMemberAssignmentKey().setGroupId("g").setMemberId("m"),
                new ConsumerGroupCurrentMemberAssignmentValue()
                        .setMemberEpoch(1)
                        .setPreviousMemberEpoch(2)
                        .setState((byte) 3)
                        .setAssignedPartitions(List.of(owned(4, 5)))
                        .setPartitionsPendingRevocation(List.of(owned(6, 7))),
                0,
                new ConsumerGroupRecord.CurrentMemberAssignment(
                        "g",
                        "m",
                        new ConsumerGroupRecord.CurrentMemberAssignmentValue(
                                1, 2, (byte) 3, List.of(ownedHere(4, 5)), List.of(ownedHere(6, 7)))));
        expect(
                new ConsumerGroupRegularExpressionKey().setGroupId("g").setRegularExpression("t.*"),
                new ConsumerGroupRegularExpressionValue()
                        .setTopics(List.of("t1"))
                        .setVersion(1)
                        .setTimestamp(2),
                0,
                new ConsumerGroupRecord.RegularExpression(
                        "g", "t.*", new ConsumerGroupRecord.RegularExpressionValue(List.of("t1"), 1, 2)));
    }

    private static ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions owned(int partition, int epoch) {
        return new ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions()
                .setTopicId(TOPIC)
                .setPartitions(List.of(partition))
                .setAssignmentEpochs(List.of(epoch));
    }

    private static ConsumerGroupRecord.CurrentPartitions ownedHere(int partition, int epoch) {
        return new ConsumerGroupRecord.CurrentPartitions(TOPIC, List.of(partition), List.of(epoch));
    }

    private static void expect(ApiMessage key, ApiMessage value, int version, GroupRecord expected) {
        ByteBuffer keyBytes = KafkaGroupRecords.bytesOfKey(key);
        ByteBuffer valueBytes = KafkaGroupRecords.bytesOf(value, version);
        assertEquals(expected, GroupRecordCodec.decode(keyBytes, valueBytes));
        assertEquals(new KafkaGroupRecords.Bytes(keyBytes, valueBytes), encode(expected));
    }

    @Test
    void newerTypesAndNewerVersionsAreToldApart() {
        ByteBuffer newer = ByteBuffer.allocate(2).putShort(0, (short) 99);
        assertEquals(new GroupRecord.UnknownType((short) 99, false), GroupRecordCodec.decode(newer, newer));
        assertEquals(new GroupRecord.UnknownType((short) 99, true), GroupRecordCodec.decode(newer, null));
        byte[] key = GroupRecordCodec.encodeKey(new GroupMetadataRecord("g", null));
        GroupRecord record = GroupRecordCodec.decode(ByteBuffer.wrap(key), newer);
        assertEquals(new GroupRecord.UnknownVersion(GroupMetadataRecord.TYPE, (short) 99), record);
        assertThrows(IllegalArgumentException.class, () -> GroupRecordCodec.encodeKey(record));
        assertNull(GroupRecordCodec.encodeValue(new GroupRecord.UnknownType((short) 99, true)));
    }

    @Test
    void aNameThatIsTooLongIsNotWritten() {
        GroupRecord record = new GroupMetadataRecord("g".repeat(Short.MAX_VALUE + 1), null);
        assertThrows(IllegalArgumentException.class, () -> GroupRecordCodec.encodeKey(record));
    }

    @Test
    void whateverTheBytesReadsAsKafka() {
        Map<String, Integer> seen = new TreeMap<>();
        CoordinatorRecordType[] types = CoordinatorRecordType.values();
        for (int round = 0; round < DAMAGED; round++) {
            long seed = 90_000_000L + round;
            Random random = new Random(seed);
            CoordinatorRecordType type = types[random.nextInt(types.length)];
            KafkaGroupRecords kafka = new KafkaGroupRecords(random);
            ByteBuffer key = KafkaGroupRecords.bytesOfKey(kafka.key(type));
            int version = random.nextInt(type.highestSupportedVersion() + 1);
            ByteBuffer value = KafkaGroupRecords.bytesOf(kafka.value(type), version);
            if (random.nextInt(4) == 0) {
                key = damaged(key, random);
            }
            value = damaged(value, random);
            seen.merge(judge(key, value, "seed " + seed), 1, Integer::sum);
        }
        for (String outcome : List.of("read", "malformed", "unknown type", "unknown version")) {
            assertTrue(seen.getOrDefault(outcome, 0) > DAMAGED / 200, outcome + " in " + seen);
        }
    }

    private static ByteBuffer damaged(ByteBuffer content, Random random) {
        byte[] bytes = new byte[content.remaining()];
        content.get(0, bytes);
        switch (random.nextInt(4)) {
            case 0 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[random.nextInt(Math.min(bytes.length, 40))] = (byte) (random.nextInt(4) - 2);
            case 2 -> {
                return ByteBuffer.wrap(bytes, 0, random.nextInt(bytes.length + 1))
                        .slice();
            }
            default -> {
                for (int i = random.nextInt(bytes.length); i < bytes.length; i++) {
                    bytes[i] = (byte) random.nextInt();
                }
            }
        }
        return ByteBuffer.wrap(bytes);
    }

    private static String judge(ByteBuffer key, ByteBuffer value, String where) {
        KafkaGroupRecords.Bytes expected = null;
        try {
            expected = KafkaGroupRecords.readAndWrite(key, value);
        } catch (RuntimeException e) {
            // Kafka has many exceptions for it; that there is one is what counts.
            assertNull(expected);
        }
        try {
            GroupRecord record = GroupRecordCodec.decode(key, value);
            if (record instanceof GroupRecord.UnknownType unknown) {
                assertFalse(served(unknown.type()), where + ": " + unknown);
                return "unknown type";
            }
            if (record instanceof GroupRecord.UnknownVersion unknown) {
                assertNull(expected, where + ": " + unknown);
                return "unknown version";
            }
            assertEquals(expected, encode(record), where);
            return "read";
        } catch (MalformedRecordException e) {
            assertNull(expected, where + ": " + e.getMessage());
            return "malformed";
        }
    }

    private static boolean served(short type) {
        for (CoordinatorRecordType candidate : CoordinatorRecordType.values()) {
            if (candidate.id() == type) {
                return KafkaGroupRecords.served(candidate);
            }
        }
        return false;
    }
}
