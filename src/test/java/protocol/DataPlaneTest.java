package protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import records.RecordError;

/** Every handler of the data plane but Fetch, over every version, with requests and answers by kafka-clients. */
class DataPlaneTest {
    private final Broker broker = new Broker(1);

    @AfterEach
    void nothingIsLeftBehind() {
        broker.wire.connection.onClosed();
        assertEquals(0, broker.wire.memory.used());
        assertEquals(0, broker.wire.pool.live());
        assertEquals(0, broker.shard.readers());
    }

    private static ProduceRequestData produce(
            int acks, int version, String topic, Uuid id, int partition, MemoryRecords records) {
        TopicProduceData data = new TopicProduceData();
        if (version >= 13) {
            data.setTopicId(id);
        } else {
            data.setName(topic);
        }
        data.partitionData().add(new PartitionProduceData().setIndex(partition).setRecords(records));
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) acks).setTimeoutMs(1000);
        request.topicData().add(data);
        return request;
    }

    private static ProduceRequestData orders(int acks, int version, int partition) {
        return produce(acks, version, "orders", Broker.ORDERS, partition, Broker.batch("v" + version));
    }

    private PartitionProduceResponse produced(int version, ProduceRequestData request) {
        ProduceResponseData response = (ProduceResponseData) broker.ask(ApiKeys.PRODUCE, version, request);
        assertEquals(1, response.responses().size());
        ProduceResponseData.TopicProduceResponse topic =
                response.responses().iterator().next();
        assertEquals(version >= 13 ? "" : request.topicData().iterator().next().name(), topic.name());
        assertEquals(request.topicData().iterator().next().topicId(), topic.topicId());
        assertEquals(1, topic.partitionResponses().size());
        return topic.partitionResponses().get(0);
    }

    @Test
    void produce() {
        long offset = 0;
        for (short version : Broker.versions(ApiKeys.PRODUCE)) {
            PartitionProduceResponse answer = produced(version, orders(-1, version, 1));
            assertEquals(0, answer.errorCode());
            assertEquals(offset++, answer.baseOffset());
            assertEquals(-1, answer.logAppendTimeMs());
            assertEquals(version >= 5 ? 0 : -1, answer.logStartOffset());
        }
        assertEquals(offset, broker.log(1).end());
    }

    @Test
    void produceToWhatIsNotThere() {
        for (short version : Broker.versions(ApiKeys.PRODUCE)) {
            Errors unknown = version >= 13 ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
            PartitionProduceResponse topic =
                    produced(version, produce(1, version, "nope", new Uuid(9, 9), 0, Broker.batch("x")));
            assertEquals(unknown.code(), topic.errorCode());
            assertEquals(-1, topic.baseOffset());
            PartitionProduceResponse partition = produced(version, orders(1, version, 3));
            assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), partition.errorCode());
            assertEquals(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
                    produced(version, orders(1, version, -1)).errorCode());
            assertEquals(
                    Errors.INVALID_REQUIRED_ACKS.code(),
                    produced(version, orders(2, version, 0)).errorCode());
            assertEquals(
                    Errors.INVALID_REQUIRED_ACKS.code(),
                    produced(version, orders(-2, version, 0)).errorCode());
            PartitionProduceResponse nothing = produced(version, produce(1, version, "orders", Broker.ORDERS, 0, null));
            assertEquals(Errors.INVALID_RECORD.code(), nothing.errorCode());
        }
        assertEquals(0, broker.log(0).end());
    }

    @Test
    void nobodyProducesToInternalTopics() {
        for (short version : Broker.versions(ApiKeys.PRODUCE)) {
            String name = "__consumer_offsets";
            Errors unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION;
            PartitionProduceResponse answer =
                    produced(version, produce(-1, version, name, Broker.INTERNAL, 0, Broker.batch("x")));
            assertEquals(Errors.INVALID_TOPIC_EXCEPTION.code(), answer.errorCode());
            answer = produced(version, produce(-1, version, name, Broker.INTERNAL, 7, Broker.batch("x")));
            assertEquals(unknown.code(), answer.errorCode());
        }
    }

    /** A topic may go while its request is under way; requests by name, some older than topic ids, are not told of ids. */
    @Test
    void topicsThatVanishAreUnknownInTheTermsOfTheRequest() {
        broker.log(0).failure = Failure.of(FailureCode.UNKNOWN_TOPIC_ID, "not here");
        for (short version : Broker.versions(ApiKeys.PRODUCE)) {
            Errors unknown = version >= 13 ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
            assertEquals(
                    unknown.code(), produced(version, orders(1, version, 0)).errorCode());
        }
        for (short version : Broker.versions(ApiKeys.LIST_OFFSETS)) {
            ListOffsetsTopic topic = new ListOffsetsTopic().setName("orders");
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-1));
            ListOffsetsResponseData response = (ListOffsetsResponseData) broker.ask(
                    ApiKeys.LIST_OFFSETS,
                    version,
                    new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic)));
            assertEquals(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
                    response.topics().get(0).partitions().get(0).errorCode());
        }
    }

    @Test
    void produceFailuresAreToldWithTheirReasons() {
        for (short version : Broker.versions(ApiKeys.PRODUCE)) {
            broker.log(0).failure = Failure.of(FailureCode.INVALID_RECORD, "one of the records is bad");
            broker.log(0).recordErrors = List.of(new RecordError(4, "no key"));
            PartitionProduceResponse answer = produced(version, orders(1, version, 0));
            assertEquals(Errors.INVALID_RECORD.code(), answer.errorCode());
            if (version >= 8) {
                assertEquals("one of the records is bad", answer.errorMessage());
                assertEquals(4, answer.recordErrors().get(0).batchIndex());
                assertEquals("no key", answer.recordErrors().get(0).batchIndexErrorMessage());
            }
            broker.log(2).failure = Failure.of(FailureCode.NOT_LEADER, "another leads");
            ProduceResponseData response =
                    (ProduceResponseData) broker.ask(ApiKeys.PRODUCE, version, orders(1, version, 2));
            PartitionProduceResponse moved =
                    response.responses().iterator().next().partitionResponses().get(0);
            assertEquals(Errors.NOT_LEADER_OR_FOLLOWER.code(), moved.errorCode());
            if (version >= 10) {
                assertEquals(1, moved.currentLeader().leaderId());
                assertEquals(3, moved.currentLeader().leaderEpoch());
                ProduceResponseData.NodeEndpoint node = response.nodeEndpoints().find(1);
                assertEquals("10.0.0.9", node.host(), "not advertised: the address the client came by");
                assertEquals(9092, node.port());
            }
        }
    }

    @Test
    void transactionalBatchesNeedATransactionalIdAndOneProducer() {
        for (short version : Broker.versions(ApiKeys.PRODUCE)) {
            ProduceRequestData request = produce(-1, version, "orders", Broker.ORDERS, 0, transactional(5));
            assertEquals(
                    Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code(),
                    produced(version, request).errorCode());
            ProduceRequestData several = produce(-1, version, "orders", Broker.ORDERS, 0, transactional(5))
                    .setTransactionalId("t");
            several.topicData()
                    .iterator()
                    .next()
                    .partitionData()
                    .add(new ProduceRequestData.PartitionProduceData()
                            .setIndex(1)
                            .setRecords(transactional(6)));
            ProduceResponseData refused = (ProduceResponseData) broker.ask(ApiKeys.PRODUCE, version, several);
            refused.responses()
                    .iterator()
                    .next()
                    .partitionResponses()
                    .forEach(each -> assertEquals(Errors.INVALID_PRODUCER_ID_MAPPING.code(), each.errorCode()));
            assertEquals(0, broker.log(0).end());
        }
        for (short version : Broker.versions(ApiKeys.PRODUCE)) {
            ProduceRequestData request = produce(-1, version, "orders", Broker.ORDERS, 0, transactional(5));
            request.setTransactionalId("t");
            assertEquals(Errors.NONE.code(), produced(version, request).errorCode());
        }
    }

    private static MemoryRecords transactional(long producerId) {
        return MemoryRecords.withTransactionalRecords(
                org.apache.kafka.common.compress.Compression.NONE,
                producerId,
                (short) 0,
                0,
                new org.apache.kafka.common.record.internal.SimpleRecord("x".getBytes(UTF_8)));
    }

    @Test
    void acksZeroIsSilentAndAnErrorClosesTheConnection() {
        for (short version : Broker.versions(ApiKeys.PRODUCE)) {
            assertNull(broker.ask(ApiKeys.PRODUCE, version, orders(0, version, 0)));
        }
        assertEquals(Broker.versions(ApiKeys.PRODUCE).size(), broker.log(0).end());
        assertNull(broker.wire.transport.closed());
        assertNull(broker.ask(ApiKeys.PRODUCE, 9, orders(0, 9, 5)));
        assertNotNull(broker.wire.transport.closed());
    }

    @Test
    void listOffsets() {
        broker.ask(ApiKeys.PRODUCE, 9, orders(1, 9, 0));
        broker.log(1).failure = Failure.of(FailureCode.FENCED_LEADER_EPOCH, "older");
        for (short version : Broker.versions(ApiKeys.LIST_OFFSETS)) {
            ListOffsetsTopic topic = new ListOffsetsTopic().setName("orders");
            long[] times = {-1, -2, 5};
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(times[version % 3]));
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(1).setTimestamp(-1));
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(7).setTimestamp(-1));
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(2).setTimestamp(-1));
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(2).setTimestamp(-2));
            ListOffsetsResponseData response = (ListOffsetsResponseData) broker.ask(
                    ApiKeys.LIST_OFFSETS,
                    version,
                    new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic)));
            List<ListOffsetsResponseData.ListOffsetsPartitionResponse> parts =
                    response.topics().get(0).partitions();
            assertEquals(times[version % 3] == -2 ? 0 : 1, parts.get(0).offset());
            assertEquals(version >= 4 ? 3 : -1, parts.get(0).leaderEpoch());
            assertEquals(Errors.FENCED_LEADER_EPOCH.code(), parts.get(1).errorCode());
            assertEquals(-1, parts.get(1).offset());
            assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), parts.get(2).errorCode());
            assertEquals(Errors.INVALID_REQUEST.code(), parts.get(3).errorCode());
            assertEquals(4, parts.size(), "asked for twice: answered once");
        }
    }

    @Test
    void specialTimesNeedTheirVersions() {
        int[] since = {1, 1, 7, 8, 9, 11};
        for (short version : Broker.versions(ApiKeys.LIST_OFFSETS)) {
            for (int special = -1; special >= -7; special--) {
                ListOffsetsTopic topic = new ListOffsetsTopic().setName("orders");
                topic.partitions()
                        .add(new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(special));
                ListOffsetsResponseData response = (ListOffsetsResponseData) broker.ask(
                        ApiKeys.LIST_OFFSETS,
                        version,
                        new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic)));
                boolean known = special >= -6 && version >= since[-1 - special];
                assertEquals(
                        known ? 0 : Errors.UNSUPPORTED_VERSION.code(),
                        response.topics().get(0).partitions().get(0).errorCode(),
                        special + " in version " + version);
            }
        }
    }

    @Test
    void offsetForLeaderEpoch() {
        for (short version : Broker.versions(ApiKeys.OFFSET_FOR_LEADER_EPOCH)) {
            OffsetForLeaderTopic topic = new OffsetForLeaderTopic().setTopic("orders");
            topic.partitions()
                    .add(new OffsetForLeaderPartition().setPartition(0).setLeaderEpoch(2));
            topic.partitions()
                    .add(new OffsetForLeaderPartition().setPartition(9).setLeaderEpoch(2));
            OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
            request.topics().add(topic);
            OffsetForLeaderEpochResponseData response =
                    (OffsetForLeaderEpochResponseData) broker.ask(ApiKeys.OFFSET_FOR_LEADER_EPOCH, version, request);
            OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult answers =
                    response.topics().find("orders");
            assertEquals(2, answers.partitions().get(0).leaderEpoch());
            assertEquals(0, answers.partitions().get(0).endOffset());
            assertEquals(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
                    answers.partitions().get(1).errorCode());
            assertEquals(-1, answers.partitions().get(1).endOffset());
        }
    }

    @Test
    void deleteRecords() {
        for (int i = 0; i < 5; i++) {
            broker.ask(ApiKeys.PRODUCE, 9, orders(1, 9, 0));
        }
        for (short version : Broker.versions(ApiKeys.DELETE_RECORDS)) {
            DeleteRecordsTopic topic = new DeleteRecordsTopic().setName("orders");
            topic.partitions()
                    .add(new DeleteRecordsPartition().setPartitionIndex(0).setOffset(version));
            topic.partitions()
                    .add(new DeleteRecordsPartition().setPartitionIndex(1).setOffset(4));
            topic.partitions()
                    .add(new DeleteRecordsPartition().setPartitionIndex(8).setOffset(4));
            DeleteRecordsTopic internal = new DeleteRecordsTopic().setName("__consumer_offsets");
            internal.partitions()
                    .add(new DeleteRecordsPartition().setPartitionIndex(0).setOffset(0));
            DeleteRecordsResponseData response = (DeleteRecordsResponseData) broker.ask(
                    ApiKeys.DELETE_RECORDS,
                    version,
                    new DeleteRecordsRequestData().setTimeoutMs(1000).setTopics(List.of(topic, internal)));
            DeleteRecordsResponseData.DeleteRecordsPartitionResultCollection answers =
                    response.topics().find("orders").partitions();
            assertEquals(version, answers.find(0).lowWatermark());
            assertEquals(Errors.OFFSET_OUT_OF_RANGE.code(), answers.find(1).errorCode());
            assertEquals(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), answers.find(8).errorCode());
            assertEquals(-1, answers.find(8).lowWatermark());
            boolean refused = broker.wire.image.topic("__consumer_offsets").internal();
            assertTrue(refused);
            assertEquals(
                    Errors.INVALID_TOPIC_EXCEPTION.code(),
                    response.topics()
                            .find("__consumer_offsets")
                            .partitions()
                            .find(0)
                            .errorCode());
        }
    }

    @Test
    void describeProducers() {
        TopicRequest topic = new TopicRequest().setName("orders").setPartitionIndexes(List.of(0, 5));
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        request.topics().add(topic);
        DescribeProducersResponseData response =
                (DescribeProducersResponseData) broker.ask(ApiKeys.DESCRIBE_PRODUCERS, 0, request);
        List<DescribeProducersResponseData.PartitionResponse> answers =
                response.topics().get(0).partitions();
        assertEquals(77, answers.get(0).activeProducers().get(0).producerId());
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), answers.get(1).errorCode());
    }

    @Test
    void initProducerId() {
        long expected = 1000;
        for (short version : Broker.versions(ApiKeys.INIT_PRODUCER_ID)) {
            InitProducerIdResponseData fresh = init(version, new InitProducerIdRequestData().setTransactionalId(null));
            assertEquals(0, fresh.errorCode());
            assertEquals(expected++, fresh.producerId());
            assertEquals(0, fresh.producerEpoch());
            InitProducerIdResponseData transactional =
                    init(version, new InitProducerIdRequestData().setTransactionalId("t"));
            assertEquals(Errors.NOT_COORDINATOR.code(), transactional.errorCode(), "no transactional id was used yet");
            assertEquals(-1, transactional.producerId());
            assertEquals(
                    Errors.INVALID_REQUEST.code(),
                    init(version, new InitProducerIdRequestData().setTransactionalId(""))
                            .errorCode());
        }
    }

    private InitProducerIdResponseData init(short version, InitProducerIdRequestData request) {
        return (InitProducerIdResponseData) broker.ask(ApiKeys.INIT_PRODUCER_ID, version, request);
    }
}
