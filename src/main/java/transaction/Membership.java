package transaction;

import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import records.schemas.TransactionStatus;

/** Which partitions a transaction has: adding them, which may begin it, and asking for them (rule T5). Confined to the shard. */
public final class Membership {
    /** Bytes of a record, or of a topic in it, beside names and partitions: more than there are. */
    private static final int MOST_OF_THE_REST = 128;

    private static final int MOST_OF_A_CHAR = 3;
    private static final int PARTITION = 4;

    private final ShardContext<TransactionRecord> context;
    private final Transactions transactions;
    private final Timeouts timeouts;

    Membership(ShardContext<TransactionRecord> context, Transactions transactions, Timeouts timeouts) {
        this.context = context;
        this.transactions = transactions;
        this.timeouts = timeouts;
    }

    /**
     * Takes partitions into the producer's transaction, all or none; begins one when none is open.
     *
     * @param clientVersion of the producer's protocol: 0, or 2 when each end raises the epoch
     */
    public Result<TransactionRecord, Errors> add(
            Producer producer, List<TopicPartition> partitions, int clientVersion) {
        Value now = transactions.get(producer.transactionalId());
        Errors refusal = refusal(now, producer);
        if (refusal != Errors.NONE) {
            return Result.answer(refusal);
        }
        boolean open = Transactions.isOngoing(now);
        if (open && partitions.stream().allMatch(each -> Transactions.contains(now, each))) {
            return Result.answer(Errors.NONE);
        }
        long nowMillis = context.clock().wallMillis();
        Change change = Change.of(producer.transactionalId(), now, TransactionStatus.ONGOING)
                .add(partitions)
                .clientVersion(clientVersion);
        if (!open) {
            change.startMillis(nowMillis);
        }
        TransactionRecord next = change.at(nowMillis);
        if (!canEnd(next)) {
            // As for a record that is too large: it may be aborted.
            return Result.answer(Errors.UNKNOWN_SERVER_ERROR);
        }
        long growth = Transactions.bytes(producer.transactionalId(), next.value())
                - Transactions.bytes(producer.transactionalId(), now);
        if (!context.memory().takesGrowth(growth)) {
            return Result.answer(Errors.COORDINATOR_NOT_AVAILABLE);
        }
        if (!open) {
            timeouts.watch(producer.transactionalId(), next.value());
        }
        return Result.of(List.of(next), Errors.NONE);
    }

    /** The decision about a transaction has a few bytes more than the record before: one that could not be written would leave the transaction open for ever (T1, L5). */
    private boolean canEnd(TransactionRecord begun) {
        long most = MOST_OF_THE_REST
                + MOST_OF_A_CHAR * (long) begun.transactionalId().length();
        for (Map.Entry<String, SortedSet<Integer>> each :
                begun.value().partitions().entrySet()) {
            most += MOST_OF_THE_REST
                    + MOST_OF_A_CHAR * (long) each.getKey().length()
                    + PARTITION * (long) each.getValue().size();
        }
        return most <= context.maxRecordBytes()
                || context.fits(List.of(Ending.largest(begun.transactionalId(), begun.value())));
    }

    /** For each partition whether it is in the producer's open transaction; in their order. */
    public List<Errors> verify(Producer producer, List<TopicPartition> partitions) {
        Value now = transactions.get(producer.transactionalId());
        Errors refusal = refusal(now, producer);
        List<Errors> all = new ArrayList<>(partitions.size());
        for (TopicPartition each : partitions) {
            all.add(
                    refusal != Errors.NONE
                            ? refusal
                            : Transactions.isOngoing(now) && Transactions.contains(now, each)
                                    ? Errors.NONE
                                    : Errors.TRANSACTION_ABORTABLE);
        }
        return all;
    }

    private Errors refusal(Value now, Producer producer) {
        if (now == null) {
            return Errors.INVALID_PRODUCER_ID_MAPPING;
        }
        if (Transactions.isNext(now, producer)) {
            return Errors.CONCURRENT_TRANSACTIONS;
        }
        if (now.producerId() != producer.producerId()) {
            return Errors.INVALID_PRODUCER_ID_MAPPING;
        }
        if (now.producerEpoch() != producer.epoch() || Transactions.isNobodys(producer.epoch())) {
            return Errors.PRODUCER_FENCED;
        }
        return now.status().isPrepared() ? Errors.CONCURRENT_TRANSACTIONS : Errors.NONE;
    }
}
