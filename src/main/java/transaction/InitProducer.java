package transaction;

import config.TransactionConfig;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import records.schemas.TransactionStatus;

/** InitProducerId of a transactional id (rule T3): the producer that asks gets an epoch that fences every other one. Confined to the shard. */
public final class InitProducer {
    private final ShardContext<TransactionRecord> context;
    private final TransactionConfig config;
    private final Transactions transactions;
    private final Ending ending;

    InitProducer(
            ShardContext<TransactionRecord> context,
            TransactionConfig config,
            Transactions transactions,
            Ending ending) {
        this.context = context;
        this.config = config;
        this.transactions = transactions;
        this.ending = ending;
    }

    /**
     * @param producer what it has already (KIP-360: it wants a new epoch for itself), or -1 for both
     * @param newId a producer id that nobody has, -1 for none
     */
    public Result<TransactionRecord, ProducerAnswer> run(Producer producer, int timeoutMillis, long newId) {
        if (timeoutMillis <= 0 || timeoutMillis > config.maxTimeoutMillis()) {
            return refused(Errors.INVALID_TRANSACTION_TIMEOUT);
        }
        Value now = transactions.get(producer.transactionalId());
        if (now == null && !context.memory().takesNew()) {
            return refused(Errors.COORDINATOR_NOT_AVAILABLE);
        }
        if (now == null) {
            return newId == -1
                    ? Result.answer(ProducerAnswer.NEEDS_PRODUCER_ID)
                    : answer(Change.fresh(producer.transactionalId(), newId), timeoutMillis);
        }
        boolean claims = producer.producerId() != -1;
        if (Transactions.isNext(now, producer)) {
            return refused(Errors.CONCURRENT_TRANSACTIONS);
        }
        // Kafka asks for the epoch in idle states only, so there a late request ends a transaction that is not its own.
        if (claims && !Transactions.isCurrent(now, producer) && !isPredecessor(now, producer)) {
            return refused(Errors.PRODUCER_FENCED);
        }
        if (now.status().isPrepared()) {
            return refused(Errors.CONCURRENT_TRANSACTIONS);
        }
        if (Transactions.isOngoing(now)) {
            // Whoever has a transaction open has seen its epoch: a predecessor's request is late.
            return claims && !Transactions.isCurrent(now, producer)
                    ? refused(Errors.PRODUCER_FENCED)
                    : ending.fence(producer.transactionalId(), now, refusal(Errors.CONCURRENT_TRANSACTIONS));
        }
        return raise(producer, now, timeoutMillis, newId);
    }

    /** It asked before for the epoch that is current now, and did not get the answer. */
    private static boolean isPredecessor(Value now, Producer producer) {
        if (now.lastProducerEpoch() == -1 || producer.epoch() != now.lastProducerEpoch()) {
            return false;
        }
        boolean rotated = now.producerEpoch() == 0;
        return producer.producerId() == (rotated ? now.previousProducerId() : now.producerId());
    }

    private Result<TransactionRecord, ProducerAnswer> raise(
            Producer producer, Value now, int timeoutMillis, long newId) {
        boolean claims = producer.producerId() != -1;
        Change change = Change.of(producer.transactionalId(), now, TransactionStatus.EMPTY);
        if (claims && !Transactions.isCurrent(now, producer)) {
            return answer(change, timeoutMillis);
        }
        change.lastEpoch(claims ? producer.epoch() : -1);
        if (!Transactions.isExhausted(now.producerEpoch())) {
            return answer(change.epoch(now.producerEpoch() + 1), timeoutMillis);
        }
        return newId == -1
                ? Result.answer(ProducerAnswer.NEEDS_PRODUCER_ID)
                : answer(change.rotate(newId), timeoutMillis);
    }

    private Result<TransactionRecord, ProducerAnswer> answer(Change change, int timeoutMillis) {
        TransactionRecord next = change.timeoutMillis(timeoutMillis)
                .startMillis(-1)
                .withoutPartitions()
                .at(context.clock().wallMillis());
        return Result.of(List.of(next), Transactions.afterEnd(next.value()));
    }

    private static ProducerAnswer refusal(Errors error) {
        return ProducerAnswer.refused(error);
    }

    private static Result<TransactionRecord, ProducerAnswer> refused(Errors error) {
        return Result.answer(refusal(error));
    }
}
