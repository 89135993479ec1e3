package coordinator;

import common.Callback;
import common.Failure;
import common.FailureCode;
import coordinator.Coordinator.ProducerTransaction;
import java.util.ArrayList;
import java.util.List;

/**
 * Transactional writes and markers of one partition. A write of a transaction that has not begun here waits for the transaction coordinator's word; a marker that
 * comes meanwhile makes that worthless, and it is asked anew (rule T5). Confined to the owner.
 */
final class ShardTransactions {
    private final AppendQueue queue;
    /** Questions under way. */
    private final List<Question> questions = new ArrayList<>();

    private static final class Question {
        final ProducerTransaction transaction;
        boolean valid = true;

        Question(ProducerTransaction transaction) {
            this.transaction = transaction;
        }
    }

    ShardTransactions(AppendQueue queue) {
        this.queue = queue;
    }

    /** {@code done} succeeds when the write may be run, at that moment. */
    void admit(PartitionStore store, ProducerTransaction transaction, Callback<Void> done) {
        Failure refusal = refusal(store, transaction);
        if (refusal != null) {
            done.fail(refusal);
        } else if (isOpen(store, transaction)) {
            done.succeed(null);
        } else {
            Question question = new Question(transaction);
            questions.add(question);
            store.verify(transaction, (none, failure) -> {
                questions.remove(question);
                if (failure != null) {
                    done.fail(failure);
                } else if (question.valid) {
                    done.done(null, refusal(store, transaction));
                } else {
                    admit(store, transaction, done);
                }
            });
        }
    }

    private Failure refusal(PartitionStore store, ProducerTransaction transaction) {
        PartitionStore.Producer known = store.producer(transaction.producerId());
        if (known != null && known.epoch() > transaction.producerEpoch()) {
            return Failure.of(
                    FailureCode.INVALID_PRODUCER_EPOCH,
                    "producer " + transaction.producerId() + " sent epoch " + transaction.producerEpoch()
                            + ", the last seen here is " + known.epoch());
        }
        return queue.holdsMarkerOf(transaction.producerId())
                ? Failure.of(FailureCode.CONCURRENT_TRANSACTIONS, "the end of the producer's transaction is on its way")
                : null;
    }

    private boolean isOpen(PartitionStore store, ProducerTransaction transaction) {
        PartitionStore.Producer known = store.producer(transaction.producerId());
        return queue.holdsRecordsOf(transaction)
                || (known != null && known.open() && known.epoch() == transaction.producerEpoch());
    }

    /** Why a marker cannot be taken now; null when it can. */
    Failure refusal(TransactionEnd end) {
        return queue.holdsAnyOf(end.producerId())
                ? Failure.of(
                        FailureCode.COORDINATOR_NOT_AVAILABLE,
                        "records of the producer are still on their way to the log; try again")
                : null;
    }

    /** The marker is taken. */
    void ended(TransactionEnd end) {
        for (Question each : questions) {
            ProducerTransaction of = each.transaction;
            each.valid &= of.producerId() != end.producerId() || !end.ends(of.producerEpoch());
        }
    }
}
