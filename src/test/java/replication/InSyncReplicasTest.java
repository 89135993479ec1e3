package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import replication.IsrProposal.Refusal;
import replication.ReplicaShard.ReadPartition;

/** Rules I4, I8 and I9, each alone. Node 1 leads epoch 5 from offset 100 on; its log ends at 200. */
class InSyncReplicasTest {
    private static final long LAG = 1_000;
    private static final long END = 200;
    private static final long RETRY = InSyncReplicas.RETRY_MILLIS * 1_000_000;

    private final Map<Integer, Long> eligible = new TreeMap<>(Map.of(1, 11L, 2, 12L, 3, 13L));
    private InSyncReplicas replicas = leading(List.of(1, 2, 3), List.of(1, 2, 3), 2, false);

    private InSyncReplicas leading(List<Integer> all, List<Integer> isr, int minIsr, boolean recovering) {
        LeaderSetup setup =
                new LeaderSetup(1, id -> eligible.getOrDefault(id, -1L), null, null, null, LAG, Mutations.NONE);
        return new InSyncReplicas(setup, new IsrState(5, 7, all, isr, minIsr, recovering), 100, 0);
    }

    private boolean fetch(int replica, long offset, long now) {
        return replicas.fetched(replica, eligible.getOrDefault(replica, 0L), wish(offset), 90, END, now);
    }

    private static ReadPartition wish(long offset) {
        return new ReadPartition(null, 5, offset, 5, 0, 1);
    }

    private long highWatermark(long current, long now) {
        return replicas.highWatermark(current, END, END, now);
    }

    private static List<Integer> ids(IsrProposal proposal) {
        return proposal.isr().stream().map(IsrProposal.Member::id).toList();
    }

    @Test
    void theSlowestMemberHoldsTheHighWatermark() {
        assertEquals(90, highWatermark(90, 0), "nothing is known of the others in this epoch");
        fetch(2, 150, 1);
        assertEquals(90, highWatermark(90, 1));
        fetch(3, 140, 1);
        assertEquals(140, highWatermark(90, 1));
        assertEquals(170, highWatermark(170, 1), "never back");
    }

    @Test
    void aConsumerIsSentToAMemberInItsRackThatHasWhatItWants() {
        Map<Integer, String> racks = new TreeMap<>(Map.of(1, "a", 2, "b", 3, "b"));
        LeaderSetup.Brokers brokers = new LeaderSetup.Brokers() {
            @Override
            public long eligibleEpoch(int id) {
                return eligible.getOrDefault(id, -1L);
            }

            @Override
            public String rack(int id) {
                return racks.get(id);
            }
        };
        LeaderSetup setup = new LeaderSetup(1, brokers, null, null, null, LAG, Mutations.NONE);
        replicas =
                new InSyncReplicas(setup, new IsrState(5, 7, List.of(1, 2, 3, 4), List.of(1, 2, 3), 2, false), 100, 0);
        assertEquals(-1, replicas.nearest("b", 0), "nothing is known of them in this epoch");
        fetch(2, 120, 1);
        fetch(3, 150, 1);
        fetch(4, END, 1);
        assertEquals(3, replicas.nearest("b", 110), "it has more");
        assertEquals(3, replicas.nearest("b", 150));
        assertEquals(-1, replicas.nearest("b", 151));
        assertEquals(-1, replicas.nearest("a", 110), "the leader's own");
        assertEquals(-1, replicas.nearest("c", 110));
        fetch(2, 150, 2);
        assertEquals(3, replicas.nearest("b", 110), "neither was caught up since the epoch began: the higher id");
        eligible.remove(3);
        assertEquals(2, replicas.nearest("b", 110), "the other is fenced");
        eligible.put(3, 13L);
        eligible.remove(2);
        racks.put(4, "c");
        assertEquals(-1, replicas.nearest("c", 110), "not in the ISR");
        replicas.fetched(3, 13, new ReadPartition(null, 5, 160, 5, 130, 1), 90, END, 3);
        assertEquals(-1, replicas.nearest("b", 110), "deleted there");
    }

    @Test
    void withTooFewMembersNothingIsCommitted() {
        replicas = leading(List.of(1, 2, 3), List.of(1), 2, false);
        assertEquals(90, highWatermark(90, 0));
        replicas = leading(List.of(1, 2, 3), List.of(1), 1, false);
        assertEquals(END, highWatermark(90, 0));
        replicas = leading(List.of(1), List.of(1), 2, false);
        assertEquals(END, highWatermark(90, 0), "all that there are");
    }

    @Test
    void aMemberThatLagsIsProposedForRemovalAndCountsUntilThatIsCommitted() {
        fetch(2, END, 1);
        fetch(3, 150, 1);
        assertNull(replicas.propose(150, END, LAG), "it has its whole time");
        fetch(2, END, LAG + 2);
        IsrProposal proposal = replicas.propose(150, END, LAG + 2);
        assertEquals(List.of(1, 2), ids(proposal));
        assertEquals(150, highWatermark(150, LAG + 2), "rule I8");
        assertNull(replicas.propose(150, END, LAG + 3), "one at a time");
        replicas.changed(new IsrState(5, 8, List.of(1, 2, 3), List.of(1, 2), 2, false), LAG + 4);
        assertEquals(END, highWatermark(150, LAG + 4));
    }

    @Test
    void aMemberThatHadAllOfARestingPartitionHasItsWholeTimeWhenRecordsCome() {
        fetch(2, END, 1);
        fetch(3, END, 1);
        long later = 50 * LAG;
        assertNull(replicas.propose(END, END, later), "it has all that there is");
        replicas.written(END, later);
        fetch(2, END + 1, later + 1);
        assertNull(replicas.propose(END, END + 1, later + LAG));
        replicas.written(END + 1, later + LAG);
        assertEquals(List.of(1, 2), ids(replicas.propose(END, END + 2, later + LAG + 1)), "it did not take the first");
    }

    @Test
    void whoIsCaughtUpAndEligibleIsProposedAndCountsAtOnce() {
        replicas = leading(List.of(1, 2, 3), List.of(1, 2), 2, false);
        fetch(2, END, 1);
        fetch(3, 150, 1);
        assertEquals(END, highWatermark(90, 1));
        assertNull(replicas.propose(END, END, 1), "below the high watermark");
        fetch(3, END, 2);
        IsrProposal proposal = replicas.propose(END, END, 2);
        assertEquals(List.of(1, 2, 3), ids(proposal));
        assertEquals(
                List.of(11L, 12L, 13L),
                proposal.isr().stream().map(IsrProposal.Member::brokerEpoch).toList());
        assertEquals(5, proposal.leaderEpoch());
        assertEquals(7, proposal.partitionEpoch());
        assertEquals(END, replicas.highWatermark(END, END + 50, END + 50, LAG * 10), "an addition asked for counts");
    }

    @Test
    void whoHasNotReachedTheEpochsStartDoesNotJoin() {
        replicas = leading(List.of(1, 2), List.of(1), 1, false);
        fetch(2, 99, 1);
        assertNull(replicas.propose(50, END, 1));
        fetch(2, 100, 2);
        assertNotNull(replicas.propose(50, END, 2));
    }

    @Test
    void aFencedOrFormerProcessDoesNotJoin() {
        replicas = leading(List.of(1, 2), List.of(1), 1, false);
        assertTrue(fetch(2, END, 1));
        eligible.remove(2);
        assertNull(replicas.propose(END, END, 1), "fenced");
        eligible.put(2, 20L);
        assertNull(replicas.propose(END, END, 1), "it fetched before it was restarted");
        assertFalse(replicas.fetched(2, 12, wish(END), 90, END, 2), "a late fetch of the former process");
        assertTrue(fetch(2, END, 3));
        assertEquals(20, replicas.propose(END, END, 3).isr().get(1).brokerEpoch());
        assertFalse(replicas.fetched(9, 1, wish(END), 90, END, 3), "no replica");
    }

    @Test
    void anOutdatedProposalWaitsForMetadata() {
        fetch(2, END, 1);
        IsrProposal proposal = replicas.propose(150, END, LAG + 2);
        replicas.refused(proposal, Refusal.OUTDATED, LAG + 2);
        assertNull(replicas.propose(150, END, LAG + 3));
        replicas.update(new IsrState(5, 7, List.of(1, 2, 3), List.of(1, 2, 3), 1, false), LAG + 4);
        assertNull(replicas.propose(150, END, LAG + 4), "only a setting has changed");
        replicas.update(new IsrState(5, 9, List.of(1, 2, 3), List.of(1, 2, 3), 2, false), LAG + 5);
        assertEquals(9, replicas.propose(150, END, LAG + 5).partitionEpoch());
    }

    @Test
    void anUnansweredProposalIsAskedAgainUnchangedAfterAWhile() {
        fetch(2, END, LAG + 2);
        IsrProposal proposal = replicas.propose(150, END, LAG + 2);
        replicas.refused(proposal, Refusal.UNKNOWN, LAG + 2);
        fetch(3, END, LAG + 3);
        assertNull(replicas.propose(150, END, LAG + 3), "rule L7");
        assertEquals(proposal, replicas.propose(150, END, LAG + 2 + RETRY), "it may have been taken");
    }

    @Test
    void anIneligibleAdditionIsDroppedAndHoldsUpNoRemoval() {
        replicas = leading(List.of(1, 2, 3), List.of(1, 2), 2, false);
        fetch(2, END, 1);
        fetch(3, END, 1);
        IsrProposal proposal = replicas.propose(END, END, 1);
        replicas.refused(proposal, Refusal.INELIGIBLE, 1);
        assertNull(replicas.propose(END, END, 2));
        assertEquals(List.of(1), ids(replicas.propose(END, END + 9, LAG + 3)), "who lags leaves meanwhile");
        eligible.remove(3);
        assertEquals(END + 50, withLeaderAt(END + 50), "it holds nothing back any more");
    }

    @Test
    void whoWasIneligibleIsProposedAgain() {
        replicas = leading(List.of(1, 2, 3), List.of(1, 2), 2, false);
        fetch(2, END, 1);
        fetch(3, END, 1);
        replicas.refused(replicas.propose(END, END, 1), Refusal.INELIGIBLE, 1);
        fetch(2, END, RETRY + 1);
        fetch(3, END, RETRY + 1);
        assertEquals(List.of(1, 2, 3), ids(replicas.propose(END, END, RETRY + 1)));
    }

    private long withLeaderAt(long end) {
        replicas.fetched(2, 12, wish(end), 90, end, 2);
        return replicas.highWatermark(END, end, end, 2);
    }

    @Test
    void anUncleanlyElectedLeaderSaysThatItHasRecoveredAndIsAlone() {
        replicas = leading(List.of(1, 2, 3), List.of(1), 1, true);
        fetch(2, END, 1);
        IsrProposal proposal = replicas.propose(END, END, 1);
        assertEquals(List.of(1), ids(proposal));
        assertFalse(proposal.recovering());
    }

    @Test
    void steadyLoadIsNoLag() {
        replicas = leading(List.of(1, 2), List.of(1, 2), 1, false);
        long end = 1_000;
        for (long now = 0; now < 20 * LAG; now += LAG / 4) {
            replicas.fetched(2, 12, wish(end), 90, end + 100, now);
            end += 100;
            assertNull(replicas.propose(100, end, now), "at " + now);
        }
    }

    /** Rule S8: it has rotted, say, and must not be elected before it was fetched anew. */
    @Test
    void aMemberThatAsksForWhatIsCommittedLeavesAtOnce_S8() {
        fetch(2, END, 1);
        fetch(3, END, 1);
        fetch(3, 80, 2);
        assertNull(replicas.propose(90, END, 2), "a fetch that came late");
        fetch(3, END, 3);
        fetch(3, 80, 4);
        fetch(3, 80, 5);
        assertNull(replicas.propose(90, END, 5));
        fetch(3, 80, 6);
        assertEquals(List.of(1, 2), ids(replicas.propose(90, END, 6)));
    }

    /** The ISR that completes a reassignment ends it in the same commit: the answer to the proposal does not say who has left. */
    @Test
    void replicasThatLeftWithTheSameCommitAreForgotten() {
        IsrState joined = new IsrState(5, 8, List.of(1, 2, 3), List.of(1, 2), 2, false);
        replicas.update(joined, 1);
        fetch(3, END, 2);
        replicas.update(new IsrState(5, 8, List.of(1, 2), List.of(1, 2), 2, false), 3);
        assertFalse(fetch(3, END, 4), "no replica any more");
    }
}
