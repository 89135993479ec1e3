package transaction;

import coordinator.Result;
import coordinator.ShardContext;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import records.schemas.TransactionStatus;

/**
 * Decides transactions: a Prepare record is the decision (rule T1), and when it is committed {@link Markers} carries it to the partitions. The producer is
 * answered at that moment, as with Kafka: what it does next waits for the markers. Confined to the shard.
 */
public final class Ending {
    private static final String FEATURE = "transaction.version";

    private final ShardContext<TransactionRecord> context;
    private final Transactions transactions;
    private final Markers markers;
    private final TransactionStats stats;

    Ending(
            ShardContext<TransactionRecord> context,
            Transactions transactions,
            Markers markers,
            TransactionStats stats) {
        this.context = context;
        this.transactions = transactions;
        this.markers = markers;
        this.stats = stats;
    }

    /**
     * EndTxn (rule T6).
     *
     * @param clientVersion of the producer's protocol: 0, or 2: the epoch rises, and the answer says what to use from now on
     * @param newId a producer id that nobody has, -1 for none
     */
    public Result<TransactionRecord, ProducerAnswer> run(
            Producer producer, boolean commit, int clientVersion, long newId) {
        Value now = transactions.get(producer.transactionalId());
        if (now == null) {
            return refused(Errors.INVALID_PRODUCER_ID_MAPPING);
        }
        if (Transactions.isNext(now, producer)) {
            return refused(Errors.CONCURRENT_TRANSACTIONS);
        }
        boolean repeats = repeats(now, producer, clientVersion);
        if (now.producerId() != producer.producerId() && !repeats) {
            return refused(Errors.INVALID_PRODUCER_ID_MAPPING);
        }
        if (!repeats && !Transactions.isCurrent(now, producer)) {
            return refused(Errors.PRODUCER_FENCED);
        }
        return switch (now.status()) {
            case ONGOING ->
                repeats ? refused(Errors.PRODUCER_FENCED) : decide(producer, now, commit, clientVersion, newId);
            case PREPARE_COMMIT, PREPARE_ABORT ->
                // Of the second protocol: who is current now is past this transaction, and waits for its end.
                repeats || now.clientVersion() < Transactions.BUMPING
                        ? repeated(now, commit, Errors.CONCURRENT_TRANSACTIONS)
                        : refused(Errors.CONCURRENT_TRANSACTIONS);
            case COMPLETE_COMMIT, COMPLETE_ABORT ->
                repeats || clientVersion < Transactions.BUMPING
                        ? repeated(now, commit, Errors.NONE)
                        : withoutRecords(producer, now, commit, clientVersion, newId);
            default ->
                repeats ? refused(Errors.PRODUCER_FENCED) : withoutRecords(producer, now, commit, clientVersion, newId);
        };
    }

    /** It is asked again for the end that was decided last: with the epoch that this end has raised. In the first protocol it is the same epoch. */
    private boolean repeats(Value now, Producer producer, int clientVersion) {
        if (context.mutations().active("txn-repeat-by-state-only")) {
            return !Transactions.isOngoing(now);
        }
        if (!raised(now, clientVersion)) {
            return false;
        }
        if (now.producerId() != producer.producerId()) {
            return now.previousProducerId() == producer.producerId()
                    && producer.epoch() == Short.MAX_VALUE - 1
                    && now.producerEpoch() == 0;
        }
        // At the highest epoch: raised by the producer's own end if a new id follows, else by fencing it.
        return now.producerEpoch() == producer.epoch() + 1
                && (now.producerEpoch() < Short.MAX_VALUE || now.nextProducerId() != -1);
    }

    /** The last end raised the epoch, and the producer knows. */
    private static boolean raised(Value now, int clientVersion) {
        return now.clientVersion() >= Transactions.BUMPING && clientVersion >= Transactions.BUMPING;
    }

    private static Result<TransactionRecord, ProducerAnswer> repeated(Value now, boolean commit, Errors sameResult) {
        boolean committed =
                now.status() == TransactionStatus.PREPARE_COMMIT || now.status() == TransactionStatus.COMPLETE_COMMIT;
        if (committed != commit) {
            return refused(Errors.INVALID_TXN_STATE);
        }
        return sameResult == Errors.NONE ? Result.answer(Transactions.afterEnd(now)) : refused(sameResult);
    }

    private Result<TransactionRecord, ProducerAnswer> decide(
            Producer producer, Value now, boolean commit, int clientVersion, long newId) {
        boolean bumps = clientVersion >= Transactions.BUMPING;
        if (bumps && Transactions.isExhausted(now.producerEpoch()) && newId == -1) {
            return Result.answer(ProducerAnswer.NEEDS_PRODUCER_ID);
        }
        TransactionRecord prepared = prepare(producer, now, commit, clientVersion, newId)
                .at(context.clock().wallMillis());
        return decided(prepared, commit, Transactions.afterEnd(prepared.value()));
    }

    private static Change prepare(Producer producer, Value now, boolean commit, int clientVersion, long newId) {
        Change change = Change.of(
                        producer.transactionalId(),
                        now,
                        commit ? TransactionStatus.PREPARE_COMMIT : TransactionStatus.PREPARE_ABORT)
                .clientVersion(clientVersion);
        if (clientVersion >= Transactions.BUMPING) {
            boolean exhausted = Transactions.isExhausted(now.producerEpoch());
            change.lastEpoch(now.producerEpoch()).epoch(now.producerEpoch() + 1).nextId(exhausted ? newId : -1);
        }
        return change;
    }

    /** No decision about an open transaction takes more bytes than this one. */
    static TransactionRecord largest(String transactionalId, Value open) {
        return Change.of(transactionalId, open, TransactionStatus.PREPARE_ABORT)
                .clientVersion(Transactions.BUMPING)
                .nextId(Long.MAX_VALUE)
                .at(Long.MAX_VALUE);
    }

    /** The end of a transaction in which nothing was written. Only V2 producers abort such (they do not know), and what they get is a new epoch. */
    private Result<TransactionRecord, ProducerAnswer> withoutRecords(
            Producer producer, Value now, boolean commit, int clientVersion, long newId) {
        if (commit || clientVersion < Transactions.BUMPING) {
            return refused(Errors.INVALID_TXN_STATE);
        }
        if (Transactions.isNobodys(now.producerEpoch())) {
            return refused(Errors.PRODUCER_FENCED);
        }
        if (Transactions.isExhausted(now.producerEpoch()) && newId == -1) {
            return Result.answer(ProducerAnswer.NEEDS_PRODUCER_ID);
        }
        long nowMillis = context.clock().wallMillis();
        TransactionRecord prepared = prepare(producer, now, false, clientVersion, newId)
                .startMillis(nowMillis)
                .at(nowMillis);
        TransactionRecord complete = Markers.complete(producer.transactionalId(), prepared.value(), nowMillis);
        return Result.of(List.of(prepared, complete), Transactions.afterEnd(prepared.value()));
    }

    /**
     * Aborts an open transaction against its producer's will (rules T3, T11): its epoch is not valid any more. With the second protocol it rises by two, so that
     * the producer's own end, which would raise it by one, is not taken for a repeat of this.
     *
     * @param answer given when that is committed
     */
    <T> Result<TransactionRecord, T> fence(String transactionalId, Value now, T answer) {
        boolean bumps = context.image().features().level(FEATURE) >= Transactions.BUMPING;
        int epoch = Math.min(Short.MAX_VALUE, now.producerEpoch() + (bumps ? 2 : 1));
        TransactionRecord prepared = Change.of(transactionalId, now, TransactionStatus.PREPARE_ABORT)
                .epoch(epoch)
                .lastEpoch(-1)
                .clientVersion(bumps ? Transactions.BUMPING : 0)
                .at(context.clock().wallMillis());
        return decided(prepared, false, answer);
    }

    private <T> Result<TransactionRecord, T> decided(TransactionRecord prepared, boolean commit, T answer) {
        if (context.mutations().active("txn-markers-before-decision")) {
            markers.begin(prepared.transactionalId(), prepared.value());
            return Result.of(List.of(prepared), answer);
        }
        return Result.of(List.of(prepared), answer).settled((none, failure) -> {
            if (failure == null) {
                stats.decided(commit);
                markers.begin(prepared.transactionalId(), prepared.value());
            }
        });
    }

    private static Result<TransactionRecord, ProducerAnswer> refused(Errors error) {
        return Result.answer(ProducerAnswer.refused(error));
    }
}
