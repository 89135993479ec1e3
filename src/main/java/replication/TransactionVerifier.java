package replication;

import common.Callback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/**
 * Asks the coordinator of a transactional id whether a transaction is open (KIP-890, rule T5). Called on a storage shard's loop; answers come there too, perhaps
 * inside of the call. Implemented in node/.
 */
@FunctionalInterface
public interface TransactionVerifier {

    /** Where there is no transaction coordinator. */
    TransactionVerifier NONE = (transactionalId, producerId, producerEpoch, partition, add, done) ->
            done.succeed(Errors.COORDINATOR_NOT_AVAILABLE);

    /**
     * Never fails: what cannot be asked is an error too.
     *
     * @param add of a producer of the second protocol (V2): the coordinator begins the transaction if none is open, and takes the partition into it
     * @param done NONE when the transaction of exactly this id and epoch is ongoing and holds the partition, in committed state; else what a verifying
     *     AddPartitionsToTxn says: TRANSACTION_ABORTABLE when the partition is not part of it, INVALID_PRODUCER_ID_MAPPING, INVALID_PRODUCER_EPOCH,
     *     PRODUCER_FENCED, CONCURRENT_TRANSACTIONS, INVALID_TXN_STATE, NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE
     */
    void verify(
            String transactionalId,
            long producerId,
            short producerEpoch,
            TopicPartition partition,
            boolean add,
            Callback<Errors> done);
}
