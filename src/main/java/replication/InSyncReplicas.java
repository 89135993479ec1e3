package replication;

import common.Check;
import common.Mutations;
import java.util.ArrayList;
import java.util.List;
import replication.IsrProposal.Member;
import replication.IsrProposal.Refusal;
import replication.ReplicaShard.ReadPartition;

/**
 * The in-sync replicas of a partition, as its leader keeps them for one leader epoch: follows the fetches of the others, says how far the high watermark may
 * go (rule I4), proposes changes to the controller, at most one at a time (rules I8, I9).
 *
 * <pre>
 *   settled --propose--> asked --changed--> settled
 *                          |--INELIGIBLE--> settled
 *                          |--UNKNOWN-----> to be asked again, the same
 *                          '--OUTDATED----> waits for metadata --update of a later partition epoch--> settled
 * </pre>
 *
 * Until the outcome of a proposal is known, its additions count as members and its removals still do: the <em>maximal</em> ISR. Confined to the shard.
 */
final class InSyncReplicas {
    /** What was turned down, or got no answer, is not asked again before (rule L7). */
    static final long RETRY_MILLIS = 500;

    private final int self;
    private final long epochStart;
    private final long lagNanos;
    private final LeaderSetup.Brokers brokers;
    private final Mutations mutations;
    private List<Follower> followers;
    private IsrState committed;
    private IsrProposal proposal;
    private Phase phase = Phase.SETTLED;
    /** Set when nothing is proposed before {@link #notBeforeNanos}. */
    private boolean askLater;
    /** Set when nobody is proposed to join before it: others may leave. */
    private boolean joinLater;

    private long notBeforeNanos;

    private enum Phase {
        SETTLED,
        ASKED,
        ASK_AGAIN,
        AWAITS_METADATA
    }

    /**
     * @param state of the epoch that begins now
     * @param epochStart end of the leader's log at this moment (rule I1)
     */
    InSyncReplicas(LeaderSetup setup, IsrState state, long epochStart, long nowNanos) {
        this.self = setup.self();
        this.epochStart = epochStart;
        this.lagNanos = setup.lagNanos();
        this.brokers = setup.brokers();
        this.mutations = setup.mutations();
        this.followers = followers(state, List.of(), nowNanos);
        this.committed = state;
    }

    private List<Follower> followers(IsrState state, List<Follower> known, long nowNanos) {
        List<Follower> all = new ArrayList<>(state.replicas().size() - 1);
        for (int id : state.replicas()) {
            if (id == self) {
                continue;
            }
            Follower follower = null;
            for (Follower each : known) {
                follower = each.id() == id ? each : follower;
            }
            all.add(follower != null ? follower : new Follower(id, state.isr().contains(id), nowNanos));
        }
        return all;
    }

    /** What is committed. */
    IsrState state() {
        return committed;
    }

    /** Committed metadata of the same leader epoch; one of an older partition epoch changes nothing. */
    void update(IsrState state, long nowNanos) {
        Check.argument(state.leaderEpoch() == committed.leaderEpoch(), "a new epoch needs a new object");
        if (state.partitionEpoch() < committed.partitionEpoch()) {
            return;
        }
        if (state.partitionEpoch() == committed.partitionEpoch()) {
            // The same members. The topic's setting may be another; what AlterPartition answered knows nothing of
            // replicas that left with it.
            followers =
                    state.replicas().equals(committed.replicas()) ? followers : followers(state, followers, nowNanos);
            committed = state;
            return;
        }
        followers = followers(state, followers, nowNanos);
        committed = state;
        if (proposal != null && proposal.partitionEpoch() < state.partitionEpoch()) {
            // Either it was taken or it can be no more.
            proposal = null;
            phase = Phase.SETTLED;
        }
    }

    /**
     * Takes a fetch in this leader epoch for what it promises. False: not from a replica, or from a process that the metadata has a later one of.
     *
     * @param highWatermark, logEnd of the leader at this moment
     */
    boolean fetched(int replica, long brokerEpoch, ReadPartition wish, long highWatermark, long logEnd, long nowNanos) {
        for (Follower each : followers) {
            if (each.id() == replica) {
                if (brokerEpoch < Math.max(each.brokerEpoch(), brokers.eligibleEpoch(replica))) {
                    return false;
                }
                each.fetched(wish.fetchOffset(), brokerEpoch, logEnd, nowNanos);
                each.logStart(wish.logStartOffset());
                each.committedAt(highWatermark);
                return true;
            }
        }
        return false;
    }

    /** Records from {@code firstOffset} on have come: who had all before was caught up until now, though it had no reason to ask in between. */
    void written(long firstOffset, long nowNanos) {
        for (Follower each : followers) {
            each.grown(firstOffset, nowNanos);
        }
    }

    /**
     * Rule I4: how far the high watermark may go; {@code current} or more.
     *
     * @param acknowledgedEnd of the leader's log: durable where acks are durable
     */
    long highWatermark(long current, long acknowledgedEnd, long logEnd, long nowNanos) {
        if (!committed.enough()) {
            return current;
        }
        long least = acknowledgedEnd;
        for (Follower each : followers) {
            if (holdsBack(each, logEnd, nowNanos)) {
                least = Math.min(least, each.endOffset());
            }
        }
        return Math.max(current, least);
    }

    private boolean holdsBack(Follower follower, long logEnd, long nowNanos) {
        boolean member = committed.isr().contains(follower.id());
        boolean proposed = proposal != null && proposal.holds(follower.id());
        if (mutations.active("proposed-isr-ignored")) {
            return member;
        }
        if (mutations.active("shrink-before-commit") && proposal != null) {
            return proposed;
        }
        // One that is about to join would else never reach a high watermark that runs away from it.
        return member || proposed || (follower.isCaughtUp(logEnd, nowNanos, lagNanos) && isEligible(follower));
    }

    /**
     * What the controller is to be asked now; null for nothing. Whoever gets a proposal sends it, and tells {@link #changed} or {@link #refused}.
     */
    IsrProposal propose(long highWatermark, long logEnd, long nowNanos) {
        if (notBeforeNanos - nowNanos <= 0) {
            askLater = false;
            joinLater = false;
        }
        if (askLater) {
            return null;
        }
        if (phase == Phase.ASK_AGAIN) {
            phase = Phase.ASKED;
            return proposal;
        }
        if (phase != Phase.SETTLED) {
            return null;
        }
        List<Member> members = new ArrayList<>();
        boolean different = committed.recovering();
        for (int id : committed.replicas()) {
            boolean member = committed.isr().contains(id);
            boolean stays = id == self || staysOrJoins(id, member, highWatermark, logEnd, nowNanos);
            different |= member != stays;
            if (stays) {
                members.add(new Member(id, id == self ? brokers.eligibleEpoch(self) : epochOf(id)));
            }
        }
        if (!different) {
            return null;
        }
        proposal = new IsrProposal(committed.leaderEpoch(), committed.partitionEpoch(), members, false);
        phase = Phase.ASKED;
        return proposal;
    }

    private boolean staysOrJoins(int id, boolean member, long highWatermark, long logEnd, long nowNanos) {
        for (Follower each : followers) {
            if (each.id() != id) {
                continue;
            }
            if (member) {
                // Rule S8: one that has lost committed records must not be elected.
                return !each.hasLost() && each.isCaughtUp(logEnd, nowNanos, lagNanos);
            }
            // While recovering the leader is the only one (rule C6).
            return !committed.recovering()
                    && !joinLater
                    && each.endOffset() >= Math.max(highWatermark, epochStart)
                    && isEligible(each);
        }
        return false;
    }

    /**
     * Where a consumer of {@code rack} had better read from (KIP-392, as Kafka's RackAwareReplicaSelector): a member of the ISR in its rack that has {@code offset},
     * of several the one that has most. -1: the leader, who may be in that rack, too.
     */
    int nearest(String rack, long offset) {
        if (rack.equals(brokers.rack(self))) {
            return -1;
        }
        Follower best = null;
        for (Follower each : followers) {
            if (committed.isr().contains(each.id())
                    && each.endOffset() >= offset
                    && each.logStart() <= offset
                    && rack.equals(brokers.rack(each.id()))
                    && brokers.eligibleEpoch(each.id()) >= 0
                    && (best == null || each.hasMoreThan(best))) {
                best = each;
            }
        }
        return best == null ? -1 : best.id();
    }

    private boolean isEligible(Follower follower) {
        return follower.brokerEpoch() >= 0 && follower.brokerEpoch() == brokers.eligibleEpoch(follower.id());
    }

    /** Of the process that fetched last; of one that has not fetched in this epoch: as far as metadata tells. */
    private long epochOf(int id) {
        for (Follower each : followers) {
            if (each.id() == id && each.brokerEpoch() >= 0) {
                return each.brokerEpoch();
            }
        }
        return brokers.eligibleEpoch(id);
    }

    /** The controller has committed the proposal. */
    void changed(IsrState state, long nowNanos) {
        if (state.leaderEpoch() == committed.leaderEpoch()) {
            update(state, nowNanos);
        }
    }

    /** The controller has turned {@code asked} down, or nobody knows. */
    void refused(IsrProposal asked, Refusal why, long nowNanos) {
        if (!asked.equals(proposal) || phase != Phase.ASKED) {
            return;
        }
        notBeforeNanos = nowNanos + RETRY_MILLIS * 1_000_000;
        switch (why) {
            case OUTDATED -> phase = Phase.AWAITS_METADATA;
            case UNKNOWN -> {
                phase = Phase.ASK_AGAIN;
                askLater = true;
            }
            case INELIGIBLE -> {
                proposal = null;
                phase = Phase.SETTLED;
                joinLater = true;
            }
        }
    }
}
