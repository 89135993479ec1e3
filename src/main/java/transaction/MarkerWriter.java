package transaction;

import common.Callback;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** Ends transactions in partitions, wherever they are led (rule T7). Called on the coordinator's loop, and answers there, never inside of the call. */
@FunctionalInterface
public interface MarkerWriter {

    /**
     * @param coordinatorEpoch leader epoch of the state partition (rule T2)
     * @param transactionVersion 2: the epoch is above that of the transaction's records; below: it is theirs
     */
    record Marker(
            long producerId, short producerEpoch, boolean commit, int coordinatorEpoch, short transactionVersion) {}

    /** @param done one error for each partition, in their order; never fails. NONE when the marker is committed there */
    void write(Marker marker, List<TopicPartition> partitions, Callback<List<Errors>> done);
}
