package raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.InvariantViolation;
import org.junit.jupiter.api.Test;

class RaftNodeTest {
    private static final RaftNode.Voter SELF = new RaftNode.Voter(1, 2, 3);

    @Test
    void persistsItsVoteBeforeItLeads() {
        RaftNode node = new RaftNode(SELF, new VoteState(4, 1, 2, 3, 1), 4);
        RaftOutput stand = node.start();
        assertEquals(new VoteState(5, 1, 2, 3, 1), stand.persist());
        assertEquals(-1, stand.leaderChangeEpoch(), "nothing is appended before the vote is durable (R1)");
        assertFalse(node.leads());

        RaftOutput won = node.votePersisted(stand.persist());
        assertNull(won.persist());
        assertEquals(5, won.leaderChangeEpoch());
        assertTrue(node.leads());
    }

    @Test
    void commitsOlderRecordsOnlyThroughItsOwn() {
        RaftNode node = leader();
        node.leaderChangeAppended(10);
        assertEquals(-1, node.persisted(10).committed(), "durable up to the leader change, but not with it (R6)");
        assertEquals(11, node.persisted(11).committed());
        assertEquals(15, node.persisted(15).committed());
        assertThrows(InvariantViolation.class, () -> node.persisted(12), "the committed end never falls (R7)");
    }

    @Test
    void aLogOfALaterEpochThanTheVoteIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new RaftNode(SELF, VoteState.NONE, 1));
    }

    @Test
    void commitsNothingAfterItResigned() {
        RaftNode node = leader();
        node.leaderChangeAppended(0);
        node.resign();
        assertEquals(-1, node.persisted(7).committed());
        assertFalse(node.leads());
    }

    private static RaftNode leader() {
        RaftNode node = new RaftNode(SELF, VoteState.NONE, -1);
        node.votePersisted(node.start().persist());
        return node;
    }
}
