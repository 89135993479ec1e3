package replication;

import replication.IsrProposal.Refusal;
import storage.LogIdentity;

/** Asks the controller to change who is in sync (AlterPartition). Implemented by node/, which gathers the proposals of all partitions of a shard. */
@FunctionalInterface
public interface IsrChanges {

    /** Tells {@code outcome} once, on the shard, possibly before it returns. */
    void ask(LogIdentity partition, IsrProposal proposal, Outcome outcome);

    /** What the controller says. */
    interface Outcome {

        /** It is committed. */
        void changed(IsrState state);

        void refused(Refusal why);
    }
}
