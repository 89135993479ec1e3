package replication;

import java.util.List;

/**
 * What a leader asks the controller to make true (AlterPartition, KIP-497).
 *
 * @param leaderEpoch, partitionEpoch of the state that it is meant to replace
 * @param isr with the broker epoch of the process that fetched (KIP-903), by id
 * @param recovering see {@link IsrState#recovering}
 */
public record IsrProposal(int leaderEpoch, int partitionEpoch, List<Member> isr, boolean recovering) {

    public record Member(int id, long brokerEpoch) {}

    /** How the controller turns a proposal down (rule I9). */
    public enum Refusal {
        /** The leader's view is old, or the partition is not what it was: committed metadata will tell. */
        OUTDATED,
        /** A new member may not join now: the addition is dropped, and may be proposed again. */
        INELIGIBLE,
        /** Not decided, or decided and the answer was lost: asked again. */
        UNKNOWN
    }

    boolean holds(int id) {
        for (Member each : isr) {
            if (each.id == id) {
                return true;
            }
        }
        return false;
    }
}
