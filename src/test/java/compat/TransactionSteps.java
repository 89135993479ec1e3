package compat;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Brings transactions into a state, as a patient producer does: what means "not yet" is asked again, any other error fails. */
final class TransactionSteps {
    /** Of records: before all markers, and not so old that anything expires. */
    static final long TIME = DataQuestions.TIME;

    static final int TIMEOUT_MILLIS = 600_000;
    /** Last versions of the first protocol. */
    static final short ADD_1 = 3;

    static final short END_1 = 4;
    static final short PRODUCE_1 = 11;
    /** First versions of the second protocol (KIP-890). */
    static final short END_2 = 5;

    static final short PRODUCE_2 = 12;
    private static final short PRODUCE_IDS = 13;
    private static final long PATIENCE_SECONDS = 300;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final List<Errors> NOT_YET = List.of(
            Errors.CONCURRENT_TRANSACTIONS,
            Errors.COORDINATOR_LOAD_IN_PROGRESS,
            Errors.COORDINATOR_NOT_AVAILABLE,
            Errors.NOT_COORDINATOR,
            Errors.NOT_ENOUGH_REPLICAS);

    private final Conversation talk;
    private final String topic;

    /** @param topic to whose partitions records go */
    TransactionSteps(Conversation talk, String topic) {
        this.talk = talk;
        this.topic = topic;
    }

    /** A producer as the broker knows it at present. */
    record Writer(String id, long producerId, short epoch) {
        Writer epoch(int other) {
            return new Writer(id, producerId, (short) other);
        }

        Writer producer(long other) {
            return new Writer(id, other, epoch);
        }

        Writer named(String other) {
            return new Writer(other, producerId, epoch);
        }
    }

    private static void patiently(String what, IntSupplier step) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        Errors error = Errors.forCode((short) step.getAsInt());
        while (NOT_YET.contains(error) && System.nanoTime() < end) {
            LockSupport.parkNanos(PAUSE_NANOS);
            error = Errors.forCode((short) step.getAsInt());
        }
        if (error != Errors.NONE) {
            throw new AssertionError(what + ": " + error);
        }
    }

    /** Until the transaction coordinator serves. */
    void awaitCoordinator() {
        FindCoordinatorRequestData find =
                new FindCoordinatorRequestData().setKeyType((byte) 1).setCoordinatorKeys(List.of("any"));
        patiently(
                "transaction coordinator",
                () -> ((FindCoordinatorResponseData)
                                talk.step(ApiKeys.FIND_COORDINATOR, ApiKeys.FIND_COORDINATOR.latestVersion(), find))
                        .coordinators()
                        .get(0)
                        .errorCode());
        // The first producer id may take a while.
        initOnce("first");
        // One in each of its partitions, and more.
        for (int i = 0; i < 20; i++) {
            settle("none-" + i);
        }
    }

    /** As a producer that has come back twice, so that there are former epochs. */
    Writer init(String id) {
        initOnce(id);
        initOnce(id);
        return initOnce(id);
    }

    Writer initOnce(String id) {
        InitProducerIdRequestData request =
                new InitProducerIdRequestData().setTransactionalId(id).setTransactionTimeoutMs(TIMEOUT_MILLIS);
        InitProducerIdResponseData[] answer = new InitProducerIdResponseData[1];
        patiently("init " + id, () -> {
            answer[0] = (InitProducerIdResponseData) talk.step(ApiKeys.INIT_PRODUCER_ID, 5, request);
            return answer[0].errorCode();
        });
        return new Writer(id, answer[0].producerId(), answer[0].producerEpoch());
    }

    static AddPartitionsToTxnTopicCollection partitions(String name, Integer... partitions) {
        AddPartitionsToTxnTopicCollection topics = new AddPartitionsToTxnTopicCollection();
        topics.add(new AddPartitionsToTxnTopic().setName(name).setPartitions(List.of(partitions)));
        return topics;
    }

    static AddPartitionsToTxnRequestData add(Writer writer, AddPartitionsToTxnTopicCollection topics) {
        return new AddPartitionsToTxnRequestData()
                .setV3AndBelowTransactionalId(writer.id)
                .setV3AndBelowProducerId(writer.producerId)
                .setV3AndBelowProducerEpoch(writer.epoch)
                .setV3AndBelowTopics(topics);
    }

    /** First protocol: takes partitions into the transaction. */
    Writer added(Writer writer, Integer... partitions) {
        patiently(
                "add by " + writer,
                () -> ((AddPartitionsToTxnResponseData) talk.step(
                                ApiKeys.ADD_PARTITIONS_TO_TXN, ADD_1, add(writer, partitions(topic, partitions))))
                        .resultsByTopicV3AndBelow()
                        .valuesList()
                        .get(0)
                        .resultsByPartition()
                        .valuesList()
                        .get(0)
                        .partitionErrorCode());
        return writer;
    }

    static AddOffsetsToTxnRequestData addOffsets(Writer writer, String group) {
        return new AddOffsetsToTxnRequestData()
                .setTransactionalId(writer.id)
                .setProducerId(writer.producerId)
                .setProducerEpoch(writer.epoch)
                .setGroupId(group);
    }

    Writer addedOffsets(Writer writer, String group) {
        patiently(
                "add offsets by " + writer,
                () -> ((AddOffsetsToTxnResponseData)
                                talk.step(ApiKeys.ADD_OFFSETS_TO_TXN, 3, addOffsets(writer, group)))
                        .errorCode());
        return writer;
    }

    static MemoryRecords batch(Writer writer, int sequence) {
        return MemoryRecords.withTransactionalRecords(
                Compression.NONE,
                writer.producerId,
                writer.epoch,
                sequence,
                new SimpleRecord(TIME, "t".getBytes(UTF_8)));
    }

    static MemoryRecords plainBatch(Writer writer, int sequence) {
        return MemoryRecords.withIdempotentRecords(
                Compression.NONE,
                writer.producerId,
                writer.epoch,
                sequence,
                new SimpleRecord(TIME, "p".getBytes(UTF_8)));
    }

    ProduceRequestData produce(int version, String transactionalId, int partition, MemoryRecords records) {
        TopicProduceData data = version >= PRODUCE_IDS
                ? new TopicProduceData().setTopicId(talk.idOf(topic))
                : new TopicProduceData().setName(topic);
        data.partitionData().add(new PartitionProduceData().setIndex(partition).setRecords(records));
        ProduceRequestData request = new ProduceRequestData()
                .setTransactionalId(transactionalId)
                .setAcks((short) -1)
                .setTimeoutMs(120_000);
        request.topicData().add(data);
        return request;
    }

    /** @param version from 12 on the partition becomes part of the transaction by it */
    Writer produced(Writer writer, int version, int partition, int sequence) {
        patiently(
                "produce by " + writer,
                () -> ((ProduceResponseData) talk.step(
                                ApiKeys.PRODUCE,
                                version,
                                produce(version, writer.id, partition, batch(writer, sequence))))
                        .responses()
                        .valuesList()
                        .get(0)
                        .partitionResponses()
                        .get(0)
                        .errorCode());
        return writer;
    }

    static EndTxnRequestData end(Writer writer, boolean commit) {
        return new EndTxnRequestData()
                .setTransactionalId(writer.id)
                .setProducerId(writer.producerId)
                .setProducerEpoch(writer.epoch)
                .setCommitted(commit);
    }

    /** Ends the transaction, and waits until all markers are written; the producer of the next transaction. */
    Writer ended(Writer writer, int version, boolean commit) {
        EndTxnResponseData[] answer = new EndTxnResponseData[1];
        patiently("end by " + writer, () -> {
            answer[0] = (EndTxnResponseData) talk.step(ApiKeys.END_TXN, version, end(writer, commit));
            return answer[0].errorCode();
        });
        awaitState(writer.id, commit ? "CompleteCommit" : "CompleteAbort");
        return version < END_2 ? writer : new Writer(writer.id, answer[0].producerId(), answer[0].producerEpoch());
    }

    void awaitState(String id, String state) {
        await(id, state::equals);
    }

    /** Until no markers are under way. */
    void settle(String id) {
        await(id, state -> !state.startsWith("Prepare"));
    }

    private void await(String id, Predicate<String> wanted) {
        DescribeTransactionsRequestData request =
                new DescribeTransactionsRequestData().setTransactionalIds(List.of(id));
        patiently("state of " + id, () -> {
            DescribeTransactionsResponseData.TransactionState found = ((DescribeTransactionsResponseData)
                            talk.step(ApiKeys.DESCRIBE_TRANSACTIONS, 0, request))
                    .transactionStates()
                    .get(0);
            if (found.errorCode() == Errors.TRANSACTIONAL_ID_NOT_FOUND.code()) {
                return Errors.NONE.code();
            }
            return found.errorCode() != 0 || wanted.test(found.transactionState())
                    ? found.errorCode()
                    : Errors.CONCURRENT_TRANSACTIONS.code();
        });
    }
}
