package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import common.OwnerId;
import common.PartitionId;
import coordinator.Coordinator;
import coordinator.Coordinator.ProducerTransaction;
import group.GroupCoordinator;
import group.GroupShard;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
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
import org.apache.kafka.common.record.internal.SimpleRecord;
import replication.ReplicaShard;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produce;
import replication.ReplicaShard.ProducePartition;
import replication.ReplicaShard.Produced;
import sim.NodeBench.Result;
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
    /** Versions of the second protocol. */
    private static final short PRODUCE = 12;

    private static final short COMMIT = 5;

    final NodeBench node;
    private final Map<String, Uuid> topics = new TreeMap<>();
    private long nextProducerId = 1_000;

    NodeTransactions(NodeBench node) {
        this.node = node;
        for (String each : List.of(OFFSETS, STATES)) {
            topics.put(each, node.create(each, PARTITIONS, "cleanup.policy", "compact"));
        }
    }

    void makeTopic(String name) {
        // What was acknowledged outlives a power cut.
        topics.put(name, node.create(name, 1, "flush.messages", "1"));
    }

    private static int partition(String key) {
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

    /** EndTxn of the second protocol, once. */
    ProducerAnswer tryEnd(Producer producer, boolean commit) {
        return withId(
                producer.transactionalId(), newId -> shard -> shard.ending().run(producer, commit, 2, newId));
    }

    /** Decided, markers may be under way; the producer of the next transaction. */
    Producer end(Producer producer, boolean commit) {
        ProducerAnswer answer = tryEnd(producer, commit);
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

    /** "" for an id that is not known. */
    String state(String id) {
        return describe(id).transactionState();
    }

    void awaitState(String id, String state) {
        await(id + " in " + state, () -> state(id).equals(state));
    }

    Errors tryProduce(Producer producer, String topic, int sequence) {
        MemoryRecords batch = MemoryRecords.withTransactionalRecords(
                Compression.NONE,
                producer.producerId(),
                producer.epoch(),
                sequence,
                new SimpleRecord(node.nowMillis(), "v".getBytes(StandardCharsets.UTF_8)));
        PartitionId to = new PartitionId(topics.get(topic), 0);
        Produce request = new Produce(
                List.of(new ProducePartition(to, batch.buffer())),
                producer.transactionalId(),
                (short) -1,
                30_000,
                PRODUCE,
                new NodeBench.NoLease());
        Outcome<Produced> outcome = node.<ReplicaShard, List<Outcome<Produced>>>ask(
                        owner(ReplicaShard.class, topic, 0), (owner, reply) -> owner.produce(request, reply))
                .value()
                .get(0);
        return services.ErrorMapping.of(outcome.failure());
    }

    /** A record of the producer's transaction, which it begins where none is open. */
    Producer produce(Producer producer, String topic, int sequence) {
        List<Errors> errors = new ArrayList<>();
        await("a record of " + producer, () -> {
            errors.add(tryProduce(producer, topic, sequence));
            return errors.get(errors.size() - 1) == Errors.NONE;
        });
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
        ProducerTransaction transaction =
                new ProducerTransaction(producer.transactionalId(), producer.producerId(), producer.epoch(), true);
        accepted(patiently(() -> node.ask(
                owner(GroupCoordinator.class, OFFSETS, partition),
                (coordinator, reply) -> coordinator.writeTransactional(
                        partition,
                        transaction,
                        shard -> shard.offsets().commitInTransaction(known(offset(group, topic, offset)), COMMIT),
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
