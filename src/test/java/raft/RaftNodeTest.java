package raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.InvariantViolation;
import common.Mutations;
import java.util.List;
import org.junit.jupiter.api.Test;
import sim.SimRandom;

/** A quorum of one: it elects itself at once, waits for nobody, and follows the same rules. */
class RaftNodeTest {
    private static final ReplicaKey SELF = new ReplicaKey(1, 2, 3);

    @Test
    void persistsItsVoteBeforeItLeads() {
        ReplicaDisk log = log(4);
        RaftNode node = node(new VoteState(4, 1, 2, 3, 1, false), log);
        RaftOutput stand = node.start(100, -1);
        assertEquals(new VoteState(5, 1, 2, 3, -1, false), stand.persist());
        assertEquals(List.of(), stand.tasks(), "nothing is appended before the vote is durable (R1)");
        assertFalse(node.leads());

        RaftOutput won = node.votePersisted(100, stand.persist());
        assertNull(won.persist());
        VoterSet alone = new VoterSet(List.of(new VoterSet.Voter(SELF, List.of())));
        assertEquals(List.of(new RaftOutput.AppendLeaderChange(5, 1, alone, List.of(1))), won.tasks());
        assertTrue(node.leads());
        assertEquals(Long.MAX_VALUE, won.wakeAt(), "a quorum of one waits for nothing");
    }

    @Test
    void aSlowDiskCostsItNoElection() {
        RaftNode node = node(new VoteState(4, 1, 2, 3, 1, false), log(4));
        RaftOutput stand = node.start(100, -1);
        assertEquals(Long.MAX_VALUE, stand.wakeAt());
        RaftOutput won = node.votePersisted(100_000, stand.persist());
        assertTrue(node.leads());
        assertEquals(1, won.tasks().size());
    }

    @Test
    void commitsOlderRecordsOnlyThroughItsOwn() {
        RaftNode node = leader(log(1, 1, 1));
        assertEquals(-1, node.durable(0, 3).highWatermark(), "durable up to the leader change, but not with it (R6)");
        assertEquals(-1, appended(node, 4).highWatermark(), "not durable yet (R7)");
        assertEquals(4, node.durable(0, 4).highWatermark());
        appended(node, 8);
        assertEquals(8, node.durable(0, 8).highWatermark());
        assertEquals(8, node.durable(0, 7).highWatermark(), "it never falls (R7)");
        assertThrows(InvariantViolation.class, () -> node.durable(0, 9), "durable beyond the log's end");
    }

    @Test
    void aLogOfALaterEpochThanTheVoteIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> node(VoteState.NONE, log(1)));
    }

    @Test
    void commitsNothingAfterItWasHalted() {
        RaftNode node = leader(log());
        appended(node, 1);
        assertEquals(RaftOutput.Role.RESIGNED, node.halt(0).standing().role());
        assertEquals(-1, node.durable(0, 1).highWatermark());
        assertEquals(Long.MAX_VALUE, node.tick(1_000_000).wakeAt());
        assertFalse(node.leads());
    }

    private static RaftOutput appended(RaftNode node, long end) {
        return node.appended(0, new OffsetAndEpoch(end, node.epoch()), List.of());
    }

    private static ReplicaDisk log(int... epochs) {
        ReplicaDisk log = new ReplicaDisk(SELF);
        for (int epoch : epochs) {
            log.append(Entry.leaderChange(epoch));
        }
        return log;
    }

    private static RaftNode leader(ReplicaDisk log) {
        RaftNode node = node(new VoteState(1, -1, 0, 0, -1, false), log);
        node.votePersisted(0, node.start(0, -1).persist());
        return node;
    }

    private static RaftNode node(VoteState vote, ReplicaDisk log) {
        VoterSet alone = new VoterSet(List.of(new VoterSet.Voter(SELF, List.of())));
        RaftNode.Setup setup = new RaftNode.Setup(
                SELF, List.of(), alone, List.of(), RaftSim.TIMEOUTS, null, new SimRandom(1), Mutations.NONE);
        return new RaftNode(setup, vote, log, List.of());
    }
}
