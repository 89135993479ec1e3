package transaction;

import coordinator.Result;
import coordinator.ShardContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;

/** Aborts transactions that are open for longer than their producer asked for (rule T11). Confined to the shard. */
final class Timeouts {
    private static final Logger LOG = LoggerFactory.getLogger(Timeouts.class);
    private static final long RETRY_MILLIS = 1_000;

    private final ShardContext<TransactionRecord> context;
    private final Transactions transactions;
    private final TransactionStats stats;
    private Ending ending;

    Timeouts(ShardContext<TransactionRecord> context, Transactions transactions, TransactionStats stats) {
        this.context = context;
        this.transactions = transactions;
        this.stats = stats;
    }

    private record Timeout(String transactionalId) {}

    /** @param by what transactions are ended */
    void endBy(Ending by) {
        ending = by;
    }

    /** A transaction begins, if its record gets into the log. */
    void watch(String transactionalId, Value begun) {
        watch(transactionalId, begun, begun.timeoutMillis());
    }

    /** A transaction was found while loading: it has what is left of its time. A clock that was set back gives it no more than all of it. */
    void resume(String transactionalId, Value found) {
        long left =
                found.startMillis() + found.timeoutMillis() - context.clock().wallMillis();
        watch(transactionalId, found, Math.max(0, Math.min(found.timeoutMillis(), left)));
    }

    private void watch(String transactionalId, Value begun, long delayMillis) {
        context.timers().set(new Timeout(transactionalId), delayMillis, () -> expire(transactionalId, begun));
    }

    private Result<TransactionRecord, Void> expire(String transactionalId, Value begun) {
        Value now = transactions.get(transactionalId);
        boolean same = now != null
                && Transactions.isOngoing(now)
                && now.producerId() == begun.producerId()
                && now.producerEpoch() == begun.producerEpoch()
                && now.startMillis() == begun.startMillis();
        if (!same) {
            return Result.nothing();
        }
        LOG.info(
                "{}: its transaction was open for {} ms, the producer's transaction.timeout.ms; it is aborted, and producer {} epoch {} fenced",
                transactionalId,
                now.timeoutMillis(),
                now.producerId(),
                now.producerEpoch());
        Result<TransactionRecord, Void> abort = ending.fence(transactionalId, now, null);
        return abort.settled((none, failure) -> {
            if (abort.settled() != null) {
                abort.settled().done(null, failure);
            }
            if (failure == null) {
                stats.timedOut();
            } else {
                watch(transactionalId, begun, RETRY_MILLIS);
            }
        });
    }
}
