package replication;

import java.util.List;

/**
 * Who holds a partition and who is in sync, as the controller has committed it.
 *
 * @param leaderEpoch, partitionEpoch rise with each change of the leader, and with each change at all (rule C4)
 * @param replicas all that are assigned, the leader among them
 * @param isr of the replicas those that have every committed record, the leader among them
 * @param minIsr min.insync.replicas in force
 * @param recovering the leader was elected uncleanly and has not said yet that it has recovered (rule C4, KIP-704)
 */
public record IsrState(
        int leaderEpoch,
        int partitionEpoch,
        List<Integer> replicas,
        List<Integer> isr,
        int minIsr,
        boolean recovering) {

    /** Rule I6: enough members for acks=all. A partition with fewer replicas than min.insync.replicas needs all of them. */
    boolean enough() {
        return isr.size() >= Math.min(minIsr, replicas.size());
    }
}
