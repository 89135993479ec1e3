package compat;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchRequestData.ReplicaState;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** What is asked about records: every version, and every way to ask wrongly that a client could think of. */
final class DataQuestions {
    private static final String TOPIC = "data";
    private static final Uuid NOBODY = new Uuid(5, 6);
    private static final short PRODUCE_IDS = 13;
    private static final short FETCH_IDS = 13;
    /**
     * Of the records, the same at all brokers. Not long ago: retention and the expiry of producers would run in the middle of the questions where these take half a
     * minute.
     */
    static final long TIME = System.currentTimeMillis() - 3_600_000;

    private final Conversation talk;

    private DataQuestions(Conversation talk) {
        this.talk = talk;
    }

    static void ask(Conversation talk) {
        talk.askLatest(
                "create a topic for records",
                ApiKeys.CREATE_TOPICS,
                AdminQuestions.topics(AdminQuestions.topic(TOPIC, 3, 1)));
        MetadataRequestData whatIsItsId = new MetadataRequestData();
        whatIsItsId.topics().add(new MetadataRequestTopic().setName(TOPIC));
        talk.askLatest("its id", ApiKeys.METADATA, whatIsItsId);
        DataQuestions questions = new DataQuestions(talk);
        questions.versions();
        questions.produce();
        questions.produceWrongly();
        questions.fetchRightly();
        questions.fetchWrongly();
        questions.sessions();
        questions.listOffsets();
        questions.epochs();
        questions.deletions();
        questions.producers();
    }

    private void versions() {
        ApiKeys key = ApiKeys.API_VERSIONS;
        for (String name : List.of("", "bad name", "-x", "x-", "x.y-1")) {
            talk.ask(
                    "versions for software '" + name + "'",
                    key,
                    (v, s) -> v < 3 || name.equals("x.y-1")
                            ? null
                            : new ApiVersionsRequestData()
                                    .setClientSoftwareName(name)
                                    .setClientSoftwareVersion("1"));
        }
        talk.askLatest(
                "versions of another cluster",
                key,
                software().setClusterId("another").setNodeId(1));
        talk.askLatest("versions of any cluster's node", key, software().setNodeId(1));
        talk.askLatest("versions of a cluster", key, software().setClusterId("another"));
    }

    private static ApiVersionsRequestData software() {
        return new ApiVersionsRequestData().setClientSoftwareName("a").setClientSoftwareVersion("1");
    }

    // ---- produce

    private static MemoryRecords batch(int count) {
        SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            records[i] = new SimpleRecord(TIME + i, ("k" + i).getBytes(UTF_8), ("value-" + i).getBytes(UTF_8));
        }
        return MemoryRecords.withRecords(Compression.NONE, records);
    }

    /** A batch with one of its header's bytes changed and its checksum made right again. */
    private static MemoryRecords bent(int at, int value) {
        ByteBuffer bytes = ByteBuffer.allocate(batch(1).sizeInBytes());
        bytes.put(batch(1).buffer()).flip();
        bytes.put(at, (byte) value);
        org.apache.kafka.common.utils.internals.Crc32C.compute(bytes, 0, 0);
        long crc = org.apache.kafka.common.utils.internals.Crc32C.compute(bytes, 21, bytes.limit() - 21);
        bytes.putInt(17, (int) crc);
        return MemoryRecords.readableRecords(bytes);
    }

    private ProduceRequestData produceTo(short version, String topic, int partition, int acks, MemoryRecords records) {
        TopicProduceData data = new TopicProduceData();
        if (version >= PRODUCE_IDS) {
            data.setTopicId(topic.equals(TOPIC) ? talk.idOf(TOPIC) : NOBODY);
        } else {
            data.setName(topic);
        }
        data.partitionData().add(new PartitionProduceData().setIndex(partition).setRecords(records));
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) acks).setTimeoutMs(120_000);
        request.topicData().add(data);
        return request;
    }

    private void produced(String label, int partition, int acks, MemoryRecords records) {
        talk.ask("produce " + label, ApiKeys.PRODUCE, (v, s) -> produceTo(v, TOPIC, partition, acks, records));
    }

    private void produce() {
        produced("all acks", 0, -1, batch(3));
        produced("one ack", 1, 1, batch(1));
        for (Compression each : List.of(
                Compression.gzip().build(),
                Compression.snappy().build(),
                Compression.lz4().build())) {
            produced(
                    each.type().name,
                    0,
                    -1,
                    MemoryRecords.withRecords(
                            each, new SimpleRecord(TIME, "x".repeat(100).getBytes(UTF_8))));
        }
        produced(
                "zstd",
                2,
                -1,
                MemoryRecords.withRecords(
                        Compression.zstd().build(),
                        new SimpleRecord(TIME, "x".repeat(100).getBytes(UTF_8))));
        talk.ask(
                "produce nothing",
                ApiKeys.PRODUCE,
                (v, s) -> new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1000));
    }

    private void produceWrongly() {
        produced("with acks 2", 0, 2, batch(1));
        produced("with acks -2", 0, -2, batch(1));
        produced("to no partition", 7, -1, batch(1));
        produced("to a negative partition", -1, -1, batch(1));
        talk.ask("produce to nobody", ApiKeys.PRODUCE, (v, s) -> produceTo(v, "nobody", 0, -1, batch(1)));
        produced("no batch", 0, -1, MemoryRecords.EMPTY);
        produced("two batches", 0, -1, twice(batch(1)));
        produced("magic 1", 0, -1, bent(16, 1));
        produced("magic 3", 0, -1, bent(16, 3));
        produced("a control batch", 0, -1, bent(22, 0x20));
        produced("unknown codec", 0, -1, bent(22, 7));
        produced("too many deltas", 0, -1, bent(26, 9));
        produced("too many records", 0, -1, bent(60, 9));
        produced("a bad checksum", 0, -1, badCrc());
        produced("half a batch", 0, -1, half());
        produced("out of order first", 1, -1, sequenced(4_000, 5));
        produced("sequence", 1, -1, sequenced(4_001, 0));
        produced("sequence gap", 1, -1, sequenced(4_001, 7));
        talk.ask(
                "produce transactional without id",
                ApiKeys.PRODUCE,
                (v, s) -> produceTo(v, TOPIC, 0, -1, transactional()));
    }

    private static MemoryRecords sequenced(long producer, int sequence) {
        return MemoryRecords.withIdempotentRecords(
                Compression.NONE, producer, (short) 0, sequence, new SimpleRecord(TIME, "s".getBytes(UTF_8)));
    }

    private static MemoryRecords transactional() {
        return MemoryRecords.withTransactionalRecords(
                Compression.NONE, 4_002, (short) 0, 0, new SimpleRecord(TIME, "t".getBytes(UTF_8)));
    }

    private static MemoryRecords twice(MemoryRecords batch) {
        ByteBuffer both = ByteBuffer.allocate(batch.sizeInBytes() * 2);
        both.put(batch.buffer()).put(batch.buffer()).flip();
        return MemoryRecords.readableRecords(both);
    }

    private static MemoryRecords badCrc() {
        ByteBuffer bytes = ByteBuffer.allocate(batch(1).sizeInBytes());
        bytes.put(batch(1).buffer()).flip();
        bytes.putInt(17, 1);
        return MemoryRecords.readableRecords(bytes);
    }

    private static MemoryRecords half() {
        ByteBuffer bytes = batch(1).buffer();
        bytes.limit(bytes.limit() - 3);
        return MemoryRecords.readableRecords(bytes);
    }

    // ---- fetch

    private FetchTopic fetchTopic(short version, String topic, int partition, long offset, int epoch, int lastEpoch) {
        FetchTopic wanted = new FetchTopic();
        if (version >= FETCH_IDS) {
            wanted.setTopicId(topic.equals(TOPIC) ? talk.idOf(TOPIC) : NOBODY);
        } else {
            wanted.setTopic(topic);
        }
        wanted.partitions()
                .add(new FetchPartition()
                        .setPartition(partition)
                        .setFetchOffset(offset)
                        .setCurrentLeaderEpoch(epoch)
                        .setLastFetchedEpoch(lastEpoch)
                        .setPartitionMaxBytes(1 << 20));
        return wanted;
    }

    private FetchRequestData fetch(FetchTopic... topics) {
        return new FetchRequestData().setMaxWaitMs(0).setMinBytes(1).setTopics(List.of(topics));
    }

    private void fetched(String label, int partition, long offset, int epoch, int lastEpoch) {
        talk.ask(
                "fetch " + label,
                ApiKeys.FETCH,
                (v, s) -> fetch(fetchTopic(v, TOPIC, partition, offset, epoch, lastEpoch)));
    }

    private void fetchRightly() {
        fetched("from the start", 0, 0, -1, -1);
        fetched("from the middle of a batch", 0, 1, -1, -1);
        fetched("with epochs", 0, 3, 0, 0);
        talk.ask(
                "fetch committed",
                ApiKeys.FETCH,
                (v, s) -> fetch(fetchTopic(v, TOPIC, 0, 0, -1, -1)).setIsolationLevel((byte) 1));
        talk.ask(
                "fetch two partitions",
                ApiKeys.FETCH,
                (v, s) -> fetch(fetchTopic(v, TOPIC, 1, 0, -1, -1), fetchTopic(v, TOPIC, 0, 0, -1, -1)));
        talk.ask(
                "fetch with a byte",
                ApiKeys.FETCH,
                (v, s) -> fetch(fetchTopic(v, TOPIC, 0, 0, -1, -1), fetchTopic(v, TOPIC, 1, 0, -1, -1))
                        .setMaxBytes(1));
        talk.ask("fetch nothing", ApiKeys.FETCH, (v, s) -> fetch());
    }

    private void fetchWrongly() {
        fetched("beyond the end", 0, 1_000_000, -1, -1);
        fetched("before the start", 0, -1, -1, -1);
        fetched("no partition", 9, 0, -1, -1);
        fetched("a negative partition", -1, 0, -1, -1);
        fetched("an older epoch", 0, 0, 0, -1);
        fetched("a newer epoch", 0, 0, 8, -1);
        fetched("a newer last epoch", 0, 1, -1, 8);
        talk.ask("fetch of nobody", ApiKeys.FETCH, (v, s) -> fetch(fetchTopic(v, "nobody", 0, 0, -1, -1)));
        talk.ask("fetch as a replica", ApiKeys.FETCH, (v, s) -> as(v, 2, -1));
        talk.ask("fetch as a replica with an epoch", ApiKeys.FETCH, (v, s) -> v < 9 ? null : as(v, 2, 0));
        talk.ask("fetch as a debugger", ApiKeys.FETCH, (v, s) -> as(v, -2, -1));
    }

    private FetchRequestData as(short version, int replica, int epoch) {
        FetchRequestData request = fetch(fetchTopic(version, TOPIC, 1, 0, epoch, -1));
        return version >= 15
                ? request.setReplicaState(new ReplicaState().setReplicaId(replica))
                : request.setReplicaId(replica);
    }

    private void sessions() {
        talk.ask(
                "fetch of an unknown session",
                ApiKeys.FETCH,
                (v, s) -> v < 7 ? null : fetch().setSessionId(77).setSessionEpoch(3));
        talk.ask(
                "fetch to close no session",
                ApiKeys.FETCH,
                (v, s) -> v < 7 ? null : fetch().setSessionId(77).setSessionEpoch(-1));
        talk.ask(
                "forget without a session",
                ApiKeys.FETCH,
                (v, s) -> v < 7
                        ? null
                        : fetch().setSessionEpoch(-1)
                                .setForgottenTopicsData(List.of(
                                        new ForgottenTopic().setTopic(TOPIC).setPartitions(List.of(0)))));
    }

    // ---- offsets

    private static ListOffsetsRequestData offsets(long... times) {
        ListOffsetsTopic topic = new ListOffsetsTopic().setName(TOPIC);
        for (int i = 0; i < times.length; i++) {
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(i).setTimestamp(times[i]));
        }
        return new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic));
    }

    private void listOffsets() {
        ApiKeys key = ApiKeys.LIST_OFFSETS;
        for (long time = -1; time >= -8; time--) {
            long asked = time;
            talk.ask("offsets at " + time, key, (v, s) -> offsets(asked, asked, asked));
        }
        talk.ask("offsets in the past", key, (v, s) -> offsets(0, TIME, TIME + 1));
        talk.ask("offsets in the future", key, (v, s) -> offsets(TIME + 2, TIME + 3, Long.MAX_VALUE));
        talk.ask("offsets of no partition", key, (v, s) -> offsets(-1, -1, -1, -1, -1));
        talk.ask(
                "offsets committed",
                key,
                (v, s) -> v < 2 ? null : offsets(-1, -2, -3).setIsolationLevel((byte) 1));
        talk.ask("offsets of nothing", key, (v, s) -> offsets());
        talk.ask("offsets twice", key, (v, s) -> {
            ListOffsetsRequestData request = offsets(-1, -1);
            request.topics().get(0).partitions().get(1).setPartitionIndex(0);
            return request;
        });
        talk.ask("offsets of a newer epoch", key, (v, s) -> {
            ListOffsetsRequestData request = offsets(-1);
            request.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(9);
            return request;
        });
        talk.ask("offsets of nobody", key, (v, s) -> {
            ListOffsetsRequestData request = offsets(-1);
            request.topics().get(0).setName("nobody");
            return request;
        });
    }

    private void epochs() {
        for (int epoch : new int[] {-1, 0, 1, 9}) {
            for (int current : new int[] {-1, 0, 9}) {
                talk.ask(
                        "end of epoch " + epoch + " by " + current,
                        ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                        (v, s) -> epochEnds(TOPIC, 0, epoch, current));
            }
        }
        talk.ask("epoch of nobody", ApiKeys.OFFSET_FOR_LEADER_EPOCH, (v, s) -> epochEnds("nobody", 0, 0, -1));
        talk.ask("epoch of no partition", ApiKeys.OFFSET_FOR_LEADER_EPOCH, (v, s) -> epochEnds(TOPIC, 8, 0, -1));
        talk.ask("epoch of an empty one", ApiKeys.OFFSET_FOR_LEADER_EPOCH, (v, s) -> epochEnds(TOPIC, 2, 0, -1));
    }

    private static OffsetForLeaderEpochRequestData epochEnds(String topic, int partition, int epoch, int current) {
        OffsetForLeaderTopic asked = new OffsetForLeaderTopic().setTopic(topic);
        asked.partitions()
                .add(new OffsetForLeaderPartition()
                        .setPartition(partition)
                        .setLeaderEpoch(epoch)
                        .setCurrentLeaderEpoch(current));
        OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
        request.topics().add(asked);
        return request;
    }

    private void deletions() {
        ApiKeys key = ApiKeys.DELETE_RECORDS;
        talk.ask("delete records", key, (v, s) -> delete(TOPIC, 0, 1 + v));
        talk.ask("delete no records", key, (v, s) -> delete(TOPIC, 0, 0));
        talk.ask("delete records beyond the end", key, (v, s) -> delete(TOPIC, 0, 1_000_000));
        talk.ask("delete records at -2", key, (v, s) -> delete(TOPIC, 0, -2));
        talk.ask("delete records of no partition", key, (v, s) -> delete(TOPIC, 9, 0));
        talk.ask("delete records of nobody", key, (v, s) -> delete("nobody", 0, 0));
        talk.ask("delete all records", key, (v, s) -> delete(TOPIC, 1, -1));
        talk.ask("delete nothing", key, (v, s) -> new DeleteRecordsRequestData().setTimeoutMs(1000));
        fetched("what was deleted", 0, 0, -1, -1);
        talk.ask("offsets after deletion", ApiKeys.LIST_OFFSETS, (v, s) -> offsets(-2, -2, -2));
    }

    private static DeleteRecordsRequestData delete(String topic, int partition, long offset) {
        DeleteRecordsTopic asked = new DeleteRecordsTopic().setName(topic);
        asked.partitions()
                .add(new DeleteRecordsPartition().setPartitionIndex(partition).setOffset(offset));
        return new DeleteRecordsRequestData().setTimeoutMs(120_000).setTopics(List.of(asked));
    }

    private void producers() {
        ApiKeys key = ApiKeys.DESCRIBE_PRODUCERS;
        talk.ask("producers", key, (v, s) -> producersOf(TOPIC, 0, 1, 2, 9));
        talk.ask("producers of nobody", key, (v, s) -> producersOf("nobody", 0));
        InitProducerIdRequestData half =
                new InitProducerIdRequestData().setTransactionalId(null).setProducerId(5);
        talk.ask("producer id without epoch", ApiKeys.INIT_PRODUCER_ID, (v, s) -> v < 3 ? null : half);
        talk.ask(
                "producer id for an empty name",
                ApiKeys.INIT_PRODUCER_ID,
                (v, s) -> new InitProducerIdRequestData().setTransactionalId(""));
        talk.ask(
                "producer id",
                ApiKeys.INIT_PRODUCER_ID,
                (v, s) ->
                        new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(-1));
    }

    private static DescribeProducersRequestData producersOf(String topic, Integer... partitions) {
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        request.topics().add(new TopicRequest().setName(topic).setPartitionIndexes(List.of(partitions)));
        return request;
    }
}
