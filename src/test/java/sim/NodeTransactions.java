package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import common.OwnerId;
import common.PartitionId;
import coordinator.Coordinator;
import coordinator.Coordinator.ProducerTransaction;
import group.GroupCoordinator;
import group.GroupShard;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TransactionState;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import replication.ReplicaShard;
import replication.ReplicaShard.FetchId;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produce;
import replication.ReplicaShard.ProducePartition;
import replication.ReplicaShard.Produced;
import replication.ReplicaShard.Read;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import replication.ReplicaShard.Reader;
import sim.NodeBench.Result;
import storage.ReadBound;
import storage.ReadResult;
import storage.ReadResult.AbortedTransaction;
import storage.TimestampOffset;
import transaction.Producer;
import transaction.ProducerAnswer;
import transaction.TransactionCoordinator;
import transaction.TransactionShard;

/** Producers with transactional ids, and groups whose offsets they commit, on one {@link NodeBench}. What means "not yet" is asked again. */
final class NodeTransactions {
    static final String OFFSETS = "__consumer_offsets";
    static final String STATES = "__transaction_state";
    private static final int PARTITIONS = 3;
    private static final int MOST_PAUSES = 600;
    private static final long PAUSE_MILLIS = 100;
    final NodeBench node;
    private final Protocol protocol;
    private final Map<String, Uuid> topics = new TreeMap<>();
    private long nextProducerId = 1_000;
    private long fetches;

    /** What its producers speak, by the versions of their requests. */
    enum Protocol {
        FIRST((short) 11, (short) 3, 0),
        SECOND((short) 12, (short) 5, 2);

        private final short produce;
        private final short commit;
        private final int client;

        Protocol(short produce, short commit, int client) {
            this.produce = produce;
            this.commit = commit;
            this.client = client;
        }
    }

    NodeTransactions(NodeBench node) {
        this(node, Protocol.SECOND);
    }

    NodeTransactions(NodeBench node, Protocol protocol) {
        this.node = node;
        this.protocol = protocol;
        for (String each : List.of(OFFSETS, STATES)) {
            topics.put(each, node.create(each, PARTITIONS, "cleanup.policy", "compact"));
        }
    }

    void makeTopic(String name) {
        // What was acknowledged outlives a power cut.
        topics.put(name, node.create(name, 1, "flush.messages", "1"));
    }

    static int partition(String key) {
        return (key.hashCode() & Integer.MAX_VALUE) % PARTITIONS;
    }

    private <O> OwnerId<O> owner(Class<O> type, String topic, int partition) {
        return new OwnerId<>(type, new PartitionId(topics.get(topic), partition).shard(NodeBench.LOOPS));
    }

    /** Lets time pass until it holds; it must within a minute. */
    void await(String what, BooleanSupplier condition) {
        for (int i = 0; !condition.getAsBoolean(); i++) {
            assertTrue(i < MOST_PAUSES, "never: " + what);
            node.runFor(PAUSE_MILLIS);
        }
    }

    private interface Attempt<T> {
        Result<T> now();
    }

    private <T> T patiently(Attempt<T> attempt) {
        Result<T> result = attempt.now();
        for (int i = 0; result.failure() != null && i < MOST_PAUSES; i++) {
            FailureCode code = result.failure().code();
            assertTrue(
                    code == FailureCode.COORDINATOR_LOADING || code == FailureCode.COORDINATOR_NOT_AVAILABLE,
                    result.failure().toString());
            node.runFor(PAUSE_MILLIS);
            result = attempt.now();
        }
        assertNull(result.failure());
        return result.value();
    }

    private <T> T write(String id, Coordinator.Write<TransactionShard, T> request) {
        int partition = partition(id);
        return patiently(() -> node.ask(
                owner(TransactionCoordinator.class, STATES, partition),
                (coordinator, reply) -> coordinator.write(partition, request, reply)));
    }

    private interface WithId {
        Coordinator.Write<TransactionShard, ProducerAnswer> of(long newId);
    }

    private ProducerAnswer withId(String id, WithId request) {
        ProducerAnswer answer = write(id, request.of(-1));
        return answer.needsProducerId() ? write(id, request.of(nextProducerId++)) : answer;
    }

    Producer init(String id, int timeoutMillis) {
        ProducerAnswer answer =
                withId(id, newId -> shard -> shard.init().run(new Producer(id, -1, (short) -1), timeoutMillis, newId));
        for (int i = 0; answer.error() == Errors.CONCURRENT_TRANSACTIONS && i < MOST_PAUSES; i++) {
            node.runFor(PAUSE_MILLIS);
            answer = withId(
                    id, newId -> shard -> shard.init().run(new Producer(id, -1, (short) -1), timeoutMillis, newId));
        }
        assertEquals(Errors.NONE, answer.error());
        return new Producer(id, answer.producerId(), answer.epoch());
    }

    /** Of the first protocol: the first partition of the topic becomes part of the transaction. */
    private void add(Producer producer, String topic, int partition) {
        if (protocol == Protocol.FIRST) {
            Errors[] error = new Errors[1];
            await("a partition of " + producer, () -> {
                error[0] = write(
                        producer.transactionalId(),
                        shard -> shard.membership().add(producer, List.of(new TopicPartition(topic, partition)), 0));
                return error[0] != Errors.CONCURRENT_TRANSACTIONS;
            });
            assertEquals(Errors.NONE, error[0]);
        }
    }

    /** InitProducerId that cannot be recorded. */
    void refuseInit(String id) {
        int partition = partition(id);
        Result<ProducerAnswer> result = node.ask(
                owner(TransactionCoordinator.class, STATES, partition),
                (coordinator, reply) -> coordinator.write(
                        partition,
                        shard -> shard.init().run(new Producer(id, -1, (short) -1), 1_000, nextProducerId++),
                        reply));
        assertNotNull(result.failure());
    }

    /** EndTxn, once. */
    ProducerAnswer tryEnd(Producer producer, boolean commit) {
        return withId(
                producer.transactionalId(),
                newId -> shard -> shard.ending().run(producer, commit, protocol.client, newId));
    }

    /** Decided, markers may be under way; the producer of the next transaction. */
    Producer end(Producer producer, boolean commit) {
        ProducerAnswer[] last = new ProducerAnswer[1];
        await("the end of " + producer, () -> {
            last[0] = tryEnd(producer, commit);
            return last[0].error() != Errors.CONCURRENT_TRANSACTIONS;
        });
        ProducerAnswer answer = last[0];
        assertEquals(Errors.NONE, answer.error());
        return new Producer(producer.transactionalId(), answer.producerId(), answer.epoch());
    }

    private TransactionState describe(String id) {
        int partition = partition(id);
        return patiently(() -> node.<TransactionCoordinator, TransactionState>ask(
                owner(TransactionCoordinator.class, STATES, partition),
                (coordinator, reply) -> coordinator.read(
                        partition,
                        shard -> shard.listing().describe(List.of(id)).get(0),
                        reply)));
    }

    /** Why the coordinator of an id does not answer now; null when it does. */
    Failure refusal(String id) {
        int partition = partition(id);
        return node.<TransactionCoordinator, TransactionState>ask(
                        owner(TransactionCoordinator.class, STATES, partition),
                        (coordinator, reply) -> coordinator.read(
                                partition,
                                shard -> shard.listing().describe(List.of(id)).get(0),
                                reply))
                .failure();
    }

    /** "" for an id that is not known. */
    String state(String id) {
        return describe(id).transactionState();
    }

    void awaitState(String id, String state) {
        await(id + " in " + state, () -> state(id).equals(state));
    }

    Errors tryProduce(Producer producer, String topic, int sequence) {
        return tryProduce(producer, topic, sequence, "v");
    }

    Errors tryProduce(Producer producer, String topic, int sequence, String value) {
        MemoryRecords batch = MemoryRecords.withTransactionalRecords(
                Compression.NONE,
                producer.producerId(),
                producer.epoch(),
                sequence,
                new SimpleRecord(node.nowMillis(), value.getBytes(StandardCharsets.UTF_8)));
        PartitionId to = new PartitionId(topics.get(topic), 0);
        Produce request = new Produce(
                List.of(new ProducePartition(to, batch.buffer())),
                producer.transactionalId(),
                (short) -1,
                30_000,
                protocol.produce,
                new NodeBench.NoLease());
        Outcome<Produced> outcome = node.<ReplicaShard, List<Outcome<Produced>>>ask(
                        owner(ReplicaShard.class, topic, 0), (owner, reply) -> owner.produce(request, reply))
                .value()
                .get(0);
        return services.ErrorMapping.of(outcome.failure());
    }

    /** A record of the producer's transaction, which it begins where none is open. */
    Producer produce(Producer producer, String topic, int sequence) {
        return produce(producer, topic, sequence, "v");
    }

    Producer produce(Producer producer, String topic, int sequence, String value) {
        add(producer, topic, 0);
        await("a record of " + producer, () -> tryProduce(producer, topic, sequence, value) == Errors.NONE);
        return producer;
    }

    private static OffsetCommitRequestData offset(String group, String topic, long offset) {
        OffsetCommitRequestTopic part = new OffsetCommitRequestTopic().setName(topic);
        part.partitions()
                .add(new OffsetCommitRequestPartition()
                        .setPartitionIndex(0)
                        .setCommittedOffset(offset)
                        .setCommittedMetadata(""));
        OffsetCommitRequestData request = new OffsetCommitRequestData().setGroupId(group);
        request.topics().add(part);
        return request;
    }

    private OffsetCommitRequestData known(OffsetCommitRequestData request) {
        request.topics().forEach(each -> each.setTopicId(topics.get(each.name())));
        return request;
    }

    private static void accepted(OffsetCommitResponseData answer) {
        assertEquals(
                Errors.NONE.code(), answer.topics().get(0).partitions().get(0).errorCode());
    }

    /** A plain commit. */
    void commit(String group, String topic, long offset) {
        int partition = partition(group);
        accepted(patiently(() -> node.ask(
                owner(GroupCoordinator.class, OFFSETS, partition),
                (coordinator, reply) -> coordinator.write(
                        partition,
                        shard -> shard.offsets().commit(known(offset(group, topic, offset)), (short) 9),
                        reply))));
    }

    /** In the producer's transaction, which it begins where none is open. */
    Producer commit(Producer producer, String group, String topic, long offset) {
        int partition = partition(group);
        add(producer, OFFSETS, partition);
        ProducerTransaction transaction = new ProducerTransaction(
                producer.transactionalId(), producer.producerId(), producer.epoch(), protocol == Protocol.SECOND);
        accepted(patiently(() -> node.ask(
                owner(GroupCoordinator.class, OFFSETS, partition),
                (coordinator, reply) -> coordinator.writeTransactional(
                        partition,
                        transaction,
                        shard -> shard.offsets()
                                .commitInTransaction(known(offset(group, topic, offset)), protocol.commit),
                        reply))));
        return producer;
    }

    <T> T askGroup(String group, Coordinator.Write<GroupShard, T> request) {
        int partition = partition(group);
        return patiently(() -> node.ask(
                owner(GroupCoordinator.class, OFFSETS, partition),
                (coordinator, reply) -> coordinator.write(partition, request, reply)));
    }

    private OffsetFetchResponsePartitions committed(String group, boolean stable) {
        int partition = partition(group);
        OffsetFetchRequestTopics asked =
                new OffsetFetchRequestTopics().setName("t").setPartitionIndexes(List.of(0));
        OffsetFetchResponseGroup answer = patiently(() -> node.<GroupCoordinator, OffsetFetchResponseGroup>ask(
                owner(GroupCoordinator.class, OFFSETS, partition),
                (coordinator, reply) -> coordinator.read(
                        partition,
                        shard -> shard.offsets()
                                .read(
                                        new OffsetFetchRequestGroup()
                                                .setGroupId(group)
                                                .setTopics(List.of(asked)),
                                        stable),
                        reply)));
        return answer.topics().get(0).partitions().get(0);
    }

    /** Of the first partition of topic "t"; -1 for none. */
    long committed(String group) {
        return committed(group, false).committedOffset();
    }

    boolean isStable(String group) {
        return committed(group, true).errorCode() == Errors.NONE.code();
    }

    private long end(String topic, int partition, boolean readCommitted) {
        OffsetQuery query = new OffsetQuery(new PartitionId(topics.get(topic), partition), -1, -1, readCommitted);
        Outcome<TimestampOffset> outcome = node.<ReplicaShard, List<Outcome<TimestampOffset>>>ask(
                        owner(ReplicaShard.class, topic, partition),
                        (owner, reply) -> owner.listOffsets(List.of(query), reply))
                .value()
                .get(0);
        assertNull(outcome.failure());
        return outcome.value().offset();
    }

    /** What a reader of committed records gets of the topic. */
    List<String> visible(String topic) {
        List<String> all = new ArrayList<>();
        long offset = 0;
        while (offset < stableEnd(topic)) {
            ReadPartition wish = new ReadPartition(new PartitionId(topics.get(topic), 0), -1, offset, -1, 0, 1 << 20);
            Read read = new Read(List.of(wish), 1 << 20, ReadBound.LAST_STABLE_OFFSET, Reader.CONSUMER);
            ReadOutcome outcome = node.<ReplicaShard, List<ReadOutcome>>ask(
                            owner(ReplicaShard.class, topic, 0),
                            (owner, reply) -> owner.fetch(new FetchId(0, ++fetches), read, 1, 0, reply))
                    .value()
                    .get(0);
            assertNull(outcome.failure());
            offset = take(outcome.result(), all);
        }
        return all;
    }

    /** As a consumer passes over what is aborted; returns the offset behind. */
    private static long take(ReadResult read, List<String> into) {
        List<AbortedTransaction> aborted = new ArrayList<>(read.aborted());
        aborted.sort(Comparator.comparingLong(AbortedTransaction::firstOffset));
        Set<Long> aborting = new TreeSet<>();
        long next = 0;
        for (MutableRecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(LogLab.bytes(read.range())))
                .batches()) {
            next = batch.nextOffset();
            while (!aborted.isEmpty() && aborted.get(0).firstOffset() <= batch.lastOffset()) {
                aborting.add(aborted.remove(0).producerId());
            }
            if (batch.isControlBatch()) {
                aborting.remove(batch.producerId());
            } else if (!aborting.contains(batch.producerId())) {
                batch.forEach(record -> into.add(SimBatches.text(record.value())));
            }
        }
        return next;
    }

    long stableEnd(String topic) {
        return end(topic, 0, true);
    }

    long end(String topic) {
        return end(topic, 0, false);
    }

    /** Whether no transaction holds back readers of the group's partition. */
    boolean nothingOpen(String group) {
        return end(OFFSETS, partition(group), true) == end(OFFSETS, partition(group), false);
    }

    /** The directory of the partition that keeps a group. */
    static String directoryOf(String group) {
        return OFFSETS + "-" + partition(group) + "/";
    }
}
