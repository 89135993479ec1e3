package transaction;

import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import records.schemas.TransactionStatus;

/** Which partitions a transaction has: adding them, which may begin it, and asking for them (rule T5). Confined to the shard. */
public final class Membership {
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
        if (!open) {
            timeouts.watch(producer.transactionalId(), next.value());
        }
        return Result.of(List.of(next), Errors.NONE);
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
        if (now.producerEpoch() != producer.epoch()) {
            return Errors.PRODUCER_FENCED;
        }
        return now.status().isPrepared() ? Errors.CONCURRENT_TRANSACTIONS : Errors.NONE;
    }
}
