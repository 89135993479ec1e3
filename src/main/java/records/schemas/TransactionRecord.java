package records.schemas;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import records.MalformedRecordException;

/**
 * A record of {@code __transaction_state} in the bytes of Kafka 4.4.0: TransactionLogKey version 0 and TransactionLogValue, written in version 1, read in 0 and 1.
 * Immutable.
 *
 * @param value null: a tombstone
 */
public record TransactionRecord(String transactionalId, Value value) {

    private static final short KEY_VERSION = 0;
    private static final short VALUE_VERSION = 1;
    private static final int PREVIOUS_ID = 0;
    private static final int NEXT_ID = 1;
    private static final int CLIENT_VERSION = 2;
    private static final int NEXT_EPOCH = 3;

    /**
     * All about a transactional id. Absent ids, epochs and times are -1; times are milliseconds since the epoch.
     *
     * @param previousProducerId that this producer id replaced when its epochs were used up
     * @param nextProducerId that will replace it when the transaction is complete
     * @param nextProducerEpoch used with two-phase commit only, which is not served
     * @param lastProducerEpoch which the producer that got producerEpoch had before (KIP-360); not in the log, so -1 after loading: then a repeated
     *     InitProducerId is refused as fenced
     * @param partitions of the transaction, by topic
     * @param clientVersion transaction.version of the producer's protocol; 2: each end raises the epoch (KIP-890)
     */
    public record Value(
            long producerId,
            long previousProducerId,
            long nextProducerId,
            short producerEpoch,
            short nextProducerEpoch,
            short lastProducerEpoch,
            int timeoutMillis,
            TransactionStatus status,
            SortedMap<String, SortedSet<Integer>> partitions,
            long lastUpdateMillis,
            long startMillis,
            short clientVersion) {}

    private record TopicPartitions(String topic, List<Integer> partitions) {}

    /** @throws IllegalArgumentException for an id longer than 32767 bytes */
    public byte[] encodeKey() {
        return new FieldWriter()
                .int16(KEY_VERSION)
                .string(false, transactionalId)
                .done();
    }

    /** Null for a tombstone. */
    public byte[] encodeValue() {
        if (value == null) {
            return null;
        }
        List<TopicPartitions> topics = null;
        if (value.status != TransactionStatus.EMPTY) {
            topics = new ArrayList<>();
            for (Map.Entry<String, SortedSet<Integer>> each : value.partitions.entrySet()) {
                topics.add(new TopicPartitions(each.getKey(), List.copyOf(each.getValue())));
            }
        }
        return new FieldWriter()
                .int16(VALUE_VERSION)
                .int64(value.producerId)
                .int16(value.producerEpoch)
                .int32(value.timeoutMillis)
                .int8(value.status.id())
                .list(true, topics, TransactionRecord::write)
                .int64(value.lastUpdateMillis)
                .int64(value.startMillis)
                .tagged(tagged(value))
                .done();
    }

    private static void write(FieldWriter out, TopicPartitions topic) {
        out.string(true, topic.topic)
                .list(true, topic.partitions, FieldWriter::int32)
                .noneTagged();
    }

    private static SortedMap<Integer, FieldWriter> tagged(Value value) {
        SortedMap<Integer, FieldWriter> tags = new TreeMap<>();
        if (value.previousProducerId != -1) {
            tags.put(PREVIOUS_ID, new FieldWriter().int64(value.previousProducerId));
        }
        if (value.nextProducerId != -1) {
            tags.put(NEXT_ID, new FieldWriter().int64(value.nextProducerId));
        }
        if (value.clientVersion != 0) {
            tags.put(CLIENT_VERSION, new FieldWriter().int16(value.clientVersion));
        }
        if (value.nextProducerEpoch != -1) {
            tags.put(NEXT_EPOCH, new FieldWriter().int16(value.nextProducerEpoch));
        }
        return tags;
    }

    /**
     * Positions stay; the record shares no memory with the buffers.
     *
     * @param valueBytes null for a tombstone
     * @return null for a key of a kind that is not known here
     * @throws MalformedRecordException when the bytes are no such record, or its value was written by a newer version
     */
    public static TransactionRecord decode(ByteBuffer keyBytes, ByteBuffer valueBytes) {
        FieldReader key = new FieldReader(keyBytes);
        if (key.int16() != KEY_VERSION) {
            return null;
        }
        String id = key.stringNotNull(false);
        return new TransactionRecord(id, valueBytes == null ? null : decodeValue(new FieldReader(valueBytes)));
    }

    private static Value decodeValue(FieldReader in) {
        short version = in.int16();
        if (version < 0 || version > VALUE_VERSION) {
            throw new MalformedRecordException("written by a newer version (value version " + version + ")");
        }
        boolean flexible = version > 0;
        long producerId = in.int64();
        short producerEpoch = in.int16();
        int timeoutMillis = in.int32();
        TransactionStatus status = TransactionStatus.of(in.int8());
        List<TopicPartitions> topics = in.listOrNull(flexible, topic -> topic(topic, flexible));
        long lastUpdateMillis = in.int64();
        long startMillis = in.int64();
        TagReader tags = new TagReader(in);
        if (flexible) {
            in.tagged(tags::read);
        }
        return new Value(
                producerId,
                tags.previousId,
                tags.nextId,
                producerEpoch,
                tags.nextEpoch,
                (short) -1,
                timeoutMillis,
                status,
                byTopic(topics),
                lastUpdateMillis,
                startMillis,
                tags.clientVersion);
    }

    private static TopicPartitions topic(FieldReader in, boolean flexible) {
        TopicPartitions topic = new TopicPartitions(in.stringNotNull(flexible), in.list(flexible, FieldReader::int32));
        if (flexible) {
            in.noneTagged();
        }
        return topic;
    }

    private static SortedMap<String, SortedSet<Integer>> byTopic(List<TopicPartitions> topics) {
        SortedMap<String, SortedSet<Integer>> all = new TreeMap<>();
        if (topics != null) {
            topics.forEach(each ->
                    all.computeIfAbsent(each.topic, none -> new TreeSet<>()).addAll(each.partitions));
        }
        return all;
    }

    private static final class TagReader {
        private final FieldReader in;
        private long previousId = -1;
        private long nextId = -1;
        private short nextEpoch = -1;
        private short clientVersion;

        TagReader(FieldReader in) {
            this.in = in;
        }

        boolean read(int tag) {
            switch (tag) {
                case PREVIOUS_ID -> previousId = in.int64();
                case NEXT_ID -> nextId = in.int64();
                case CLIENT_VERSION -> clientVersion = in.int16();
                case NEXT_EPOCH -> nextEpoch = in.int16();
                default -> {
                    return false;
                }
            }
            return true;
        }
    }
}
