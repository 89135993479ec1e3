package records.schemas;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogKey;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogValue;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogValue.PartitionsSchema;
import org.junit.jupiter.api.Test;
import records.MalformedRecordException;

/** The bytes of transaction records against Kafka's generated classes. */
class TransactionRecordTest {

    private static TransactionRecord random(Random random) {
        TransactionStatus status = List.of(TransactionStatus.values()).get(random.nextInt(8));
        SortedMap<String, SortedSet<Integer>> partitions = new TreeMap<>();
        if (status != TransactionStatus.EMPTY) {
            for (int i = random.nextInt(4); i > 0; i--) {
                SortedSet<Integer> of = partitions.computeIfAbsent("t" + random.nextInt(1000), x -> new TreeSet<>());
                for (int p = random.nextInt(4); p >= 0; p--) {
                    of.add(random.nextInt(200));
                }
            }
        }
        return new TransactionRecord(
                "id-" + random.nextInt(),
                new TransactionRecord.Value(
                        random.nextLong(),
                        random.nextBoolean() ? -1 : random.nextLong(),
                        random.nextBoolean() ? -1 : random.nextLong(),
                        (short) random.nextInt(),
                        random.nextBoolean() ? -1 : (short) random.nextInt(),
                        (short) -1,
                        random.nextInt(),
                        status,
                        partitions,
                        random.nextLong(),
                        random.nextLong(),
                        (short) random.nextInt(3)));
    }

    private static TransactionLogValue kafka(TransactionRecord.Value value) {
        List<PartitionsSchema> topics = new ArrayList<>();
        value.partitions()
                .forEach((topic, of) ->
                        topics.add(new PartitionsSchema().setTopic(topic).setPartitionIds(List.copyOf(of))));
        return new TransactionLogValue()
                .setProducerId(value.producerId())
                .setPreviousProducerId(value.previousProducerId())
                .setNextProducerId(value.nextProducerId())
                .setProducerEpoch(value.producerEpoch())
                .setNextProducerEpoch(value.nextProducerEpoch())
                .setTransactionTimeoutMs(value.timeoutMillis())
                .setTransactionStatus((byte) value.status().id())
                .setTransactionPartitions(value.status() == TransactionStatus.EMPTY ? null : topics)
                .setTransactionLastUpdateTimestampMs(value.lastUpdateMillis())
                .setTransactionStartTimestampMs(value.startMillis())
                .setClientTransactionVersion(value.clientVersion());
    }

    @Test
    void writesAndReadsKafkasBytes() {
        for (int seed = 0; seed < 3000; seed++) {
            TransactionRecord record = random(new Random(seed));
            ByteBuffer key = ByteBuffer.wrap(MessageUtil.toVersionPrefixedBytes(
                    (short) 0, new TransactionLogKey().setTransactionalId(record.transactionalId())));
            ByteBuffer value = ByteBuffer.wrap(MessageUtil.toVersionPrefixedBytes((short) 1, kafka(record.value())));
            assertEquals(key, ByteBuffer.wrap(record.encodeKey()), "key, seed " + seed);
            assertEquals(value, ByteBuffer.wrap(record.encodeValue()), "value, seed " + seed);
            assertEquals(record, TransactionRecord.decode(key, value), "read, seed " + seed);
            assertEquals(0, value.position(), "position stays");
        }
    }

    @Test
    void readsVersionZeroWithoutWhatItLacks() {
        for (int seed = 0; seed < 500; seed++) {
            TransactionRecord record = random(new Random(seed));
            TransactionLogValue old = kafka(record.value())
                    .setPreviousProducerId(-1)
                    .setNextProducerId(-1)
                    .setNextProducerEpoch((short) -1)
                    .setClientTransactionVersion((short) 0);
            ByteBuffer value = ByteBuffer.wrap(MessageUtil.toVersionPrefixedBytes((short) 0, old));
            TransactionRecord read = TransactionRecord.decode(ByteBuffer.wrap(record.encodeKey()), value);
            assertEquals(old, kafka(read.value()), "seed " + seed);
        }
    }

    @Test
    void tombstonesUnknownKeysAndNewerTags() {
        Random random = new Random(5);
        TransactionRecord record = random(random);
        ByteBuffer key = ByteBuffer.wrap(record.encodeKey());
        TransactionRecord gone = TransactionRecord.decode(key, null);
        assertNull(gone.value());
        assertNull(gone.encodeValue());
        assertNull(TransactionRecord.decode(ByteBuffer.wrap(new byte[] {0, 9, 1}), null));
        TransactionLogValue tagged = kafka(record.value());
        tagged.unknownTaggedFields().add(new RawTaggedField(77, new byte[] {1, 2, 3}));
        ByteBuffer value = ByteBuffer.wrap(MessageUtil.toVersionPrefixedBytes((short) 1, tagged));
        assertEquals(record, TransactionRecord.decode(key, value));
    }

    @Test
    void damagedBytesAreMalformedAndNothingElse() {
        int refused = 0;
        for (int seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            TransactionRecord record = random(random);
            byte[] value = record.encodeValue();
            value[random.nextInt(value.length)] ^= (byte) (1 + random.nextInt(255));
            ByteBuffer cut = ByteBuffer.wrap(value, 0, 1 + random.nextInt(value.length));
            try {
                TransactionRecord.decode(ByteBuffer.wrap(record.encodeKey()), cut);
            } catch (MalformedRecordException expected) {
                refused++;
            }
        }
        assertTrue(refused > 1_000, "most cut values are refused, not " + refused);
        ByteBuffer newer = ByteBuffer.wrap(new byte[] {0, 2});
        ByteBuffer key = ByteBuffer.wrap(random(new Random(1)).encodeKey());
        assertThrows(MalformedRecordException.class, () -> TransactionRecord.decode(key, newer));
    }
}
