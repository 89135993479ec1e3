package raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.InvariantViolation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules R1 to R5, R14, R15: votes, pre-votes, epochs. */
class ElectionRulesTest {
    private static final OffsetAndEpoch FAR = new OffsetAndEpoch(100, 5);

    @Test
    void aVoteIsPersistedBeforeItIsSaid() {
        OneReplica replica = new OneReplica(OneReplica.inEpoch(5), 3);
        long asked = replica.ask(OneReplica.vote(2, 6, FAR, false));
        assertNull(replica.reply(asked), "R1");
        assertEquals(new VoteState(6, 2, 102, 1, -1, false), replica.toPersist());
        replica.persist();
        assertTrue(OneReplica.granted(replica.reply(asked)));
    }

    @Test
    void aCandidacyIsPersistedBeforeItIsSaidAndCounts() {
        OneReplica replica = new OneReplica(OneReplica.inEpoch(5), 3);
        replica.candidate();
        replica.sent.clear();
        replica.time(10);
        assertEquals(List.of(), replica.sent, "R1");
        replica.persist();
        assertEquals(2, replica.sent.size());
        assertEquals(RaftOutput.Role.CANDIDATE, replica.last.standing().role());
        replica.grant(2, false);
        assertTrue(replica.node.leads());
    }

    /** It is no leader, whatever it was asked to stop being. */
    @Test
    void whoStopsAndDidNotLeadTellsNobodyThatItDid() {
        for (OneReplica replica : List.of(OneReplica.follower(3), new OneReplica(OneReplica.inEpoch(5), 3))) {
            replica.sent.clear();
            replica.took(replica.node.halt(replica.now));
            assertEquals(List.of(), replica.sent, "R2");
        }
        OneReplica leader = OneReplica.leader(3);
        leader.sent.clear();
        leader.took(leader.node.halt(leader.now));
        assertEquals(2, leader.sent.size());
    }

    @Test
    void oneVotePerEpoch() {
        OneReplica replica = new OneReplica(OneReplica.inEpoch(5), 3);
        replica.ask(OneReplica.vote(2, 6, FAR, false));
        replica.persist();
        assertFalse(OneReplica.granted(replica.request(OneReplica.vote(3, 6, FAR, false))), "R3");
        assertTrue(OneReplica.granted(replica.request(OneReplica.vote(2, 6, FAR, false))), "the same again");
        RaftRequest otherDisk =
                new RaftRequest.Vote("cluster", new ReplicaKey(2, 7, 7), 6, FAR, false, OneReplica.SELF);
        assertFalse(OneReplica.granted(replica.request(otherDisk)), "R13: with another directory it is another one");
    }

    @Test
    void aVoteIsKeptOverARestart() {
        OneReplica replica = new OneReplica(new VoteState(6, 2, 102, 1, -1, false), 3);
        assertFalse(OneReplica.granted(replica.request(OneReplica.vote(3, 6, FAR, false))), "R2");
    }

    /** The epoch of the last record comes first, then the length; the current epoch does not matter. */
    @Test
    void theLogDecides() {
        for (boolean preVote : new boolean[] {true, false}) {
            assertFalse(grants(preVote, new OffsetAndEpoch(9, 3)), "R3: longer, but of an older epoch");
            assertFalse(grants(preVote, new OffsetAndEpoch(2, 4)), "R3: shorter");
            assertTrue(grants(preVote, new OffsetAndEpoch(3, 4)), "R3: equal");
            assertTrue(grants(preVote, new OffsetAndEpoch(1, 5)), "R3: of a newer epoch");
        }
    }

    private static boolean grants(boolean preVote, OffsetAndEpoch end) {
        OneReplica replica = new OneReplica(OneReplica.inEpoch(8), 3, 4, 4);
        long asked = replica.ask(OneReplica.vote(2, 9, end, preVote));
        replica.persist();
        return OneReplica.granted(replica.reply(asked));
    }

    @Test
    void noVoteInAnEpochWithALeader() {
        OneReplica replica = OneReplica.follower(3);
        assertFalse(OneReplica.granted(replica.request(OneReplica.vote(3, 5, FAR, false))), "R3");
    }

    @Test
    void aPreVoteChangesNothing() {
        OneReplica replica = new OneReplica(OneReplica.inEpoch(5), 3);
        assertTrue(OneReplica.granted(replica.request(OneReplica.vote(2, 9, FAR, true))), "R4");
        assertNull(replica.toPersist());
        assertEquals(5, replica.node.epoch());
    }

    @Test
    void noPreVoteWhileTheLeaderIsHeard() {
        OneReplica replica = OneReplica.follower(3);
        assertFalse(OneReplica.granted(replica.request(OneReplica.vote(3, 5, FAR, true))), "R4");
        replica.now += 999;
        assertFalse(OneReplica.granted(replica.request(OneReplica.vote(3, 5, FAR, true))));
        replica.now += 1;
        assertTrue(OneReplica.granted(replica.request(OneReplica.vote(3, 5, FAR, true))));
    }

    @Test
    void aPreVoteAtOnceWhenTheLeadersProcessIsGone() {
        OneReplica replica = OneReplica.follower(3);
        replica.took(replica.node.processGone(replica.now, 3));
        assertFalse(OneReplica.granted(replica.request(OneReplica.vote(3, 5, FAR, true))), "it was another process");
        replica.took(replica.node.processGone(replica.now, 2));
        assertTrue(OneReplica.granted(replica.request(OneReplica.vote(3, 5, FAR, true))), "R4");
        replica.time(100);
        assertEquals(RaftOutput.Role.PROSPECTIVE, replica.last.standing().role(), "it stands soon itself");
        replica.request(new RaftRequest.BeginEpoch("cluster", 5, 2, List.of(), OneReplica.SELF));
        assertEquals(RaftOutput.Role.FOLLOWER, replica.last.standing().role(), "the leader spoke, so it lives");
    }

    @Test
    void aLeaderRefusesPreVotes() {
        OneReplica replica = OneReplica.leader(3);
        assertFalse(OneReplica.granted(replica.request(OneReplica.vote(3, 6, new OffsetAndEpoch(9, 6), true))), "R4");
        assertTrue(replica.node.leads());
    }

    @Test
    void onlyDistinctVotersCount() {
        OneReplica replica = new OneReplica(OneReplica.inEpoch(5), 3);
        replica.candidate();
        replica.persist();
        RaftOutput.Send call = replica.call(2);
        replica.answer(call, new RaftResponse.Vote(OneReplica.head(RaftError.NONE, 6, -1), false));
        replica.answer(call, new RaftResponse.Vote(OneReplica.head(RaftError.NONE, 6, -1), true));
        assertFalse(replica.node.leads(), "R14: the second answer to one request is dropped");
    }

    @Test
    void aLateVoteOfAnOlderElectionIsDropped() {
        OneReplica replica = new OneReplica(OneReplica.inEpoch(5), 3);
        replica.candidate();
        replica.persist();
        RaftOutput.Send old = replica.call(2);
        replica.time(2_000);
        replica.candidate();
        replica.persist();
        replica.answer(old, new RaftResponse.Vote(OneReplica.head(RaftError.NONE, 6, -1), true));
        assertFalse(replica.node.leads(), "R14");
    }

    @Test
    void aLeaderThatNobodyHearsResigns() {
        OneReplica replica = OneReplica.leader(3);
        replica.request(OneReplica.fetch(3, 6, 1, 3));
        replica.time(1_499);
        assertTrue(replica.node.leads());
        replica.time(1);
        assertEquals(RaftOutput.Role.RESIGNED, replica.last.standing().role(), "R5");
        assertTrue(replica.call(3).request() instanceof RaftRequest.EndEpoch);
        assertEquals(
                List.of(OneReplica.key(3), OneReplica.key(2)),
                ((RaftRequest.EndEpoch) replica.call(3).request()).successors(),
                "the one with more records first");
    }

    /** A pause of the process: the first thing that it does is to resign. */
    @Test
    void aPausedLeaderAnswersNothingAsLeader() {
        OneReplica replica = OneReplica.leader(3);
        replica.now += 10_000;
        assertEquals(RaftError.NOT_LEADER_OR_FOLLOWER, replica.error(OneReplica.fetch(3, 6, 1, 3)), "R5");
    }

    @Test
    void aHigherEpochIsPersistedBeforeTheAnswer() {
        for (RaftRequest request : List.of(
                OneReplica.vote(2, 9, OffsetAndEpoch.START, false),
                OneReplica.fetch(2, 9, 0, 0),
                new RaftRequest.BeginEpoch("cluster", 9, 2, List.of(), OneReplica.SELF),
                new RaftRequest.EndEpoch("cluster", 9, 2, List.of()))) {
            OneReplica replica = OneReplica.leader(3);
            long asked = replica.ask(request);
            assertFalse(replica.node.leads());
            assertNull(replica.reply(asked), "R14");
            replica.persist();
            assertEquals(9, replica.reply(asked).head().epoch());
        }
    }

    @Test
    void aLowerEpochIsFencedWithTheLeader() {
        OneReplica replica = OneReplica.follower(3);
        for (RaftRequest request : List.of(
                OneReplica.vote(3, 4, FAR, false),
                OneReplica.fetch(3, 4, 0, 0),
                new RaftRequest.BeginEpoch("cluster", 4, 3, List.of(), OneReplica.SELF),
                new RaftRequest.EndEpoch("cluster", 4, 3, List.of()))) {
            RaftResponse.Head head = replica.request(request).head();
            assertEquals(new RaftResponse.Head(RaftError.FENCED_LEADER_EPOCH, 5, 2, Entry.endpoints(2)), head, "R14");
        }
    }

    @Test
    void strangersAreRefused() {
        OneReplica replica = OneReplica.leader(3);
        assertEquals(
                RaftError.INCONSISTENT_CLUSTER_ID,
                replica.error(new RaftRequest.Vote("other", OneReplica.key(2), 9, FAR, false, OneReplica.SELF)));
        ReplicaKey oldDisk = new ReplicaKey(1, 5, 5);
        assertEquals(
                RaftError.INVALID_VOTER_KEY,
                replica.error(new RaftRequest.Vote("cluster", OneReplica.key(2), 9, FAR, false, oldDisk)));
        assertEquals(
                RaftError.INVALID_VOTER_KEY,
                replica.error(new RaftRequest.BeginEpoch("cluster", 9, 2, List.of(), oldDisk)));
        assertEquals(RaftError.INVALID_REQUEST, replica.error(OneReplica.fetch(1, 6, 0, 0)), "this node's own id");
        assertTrue(replica.node.leads());
    }

    @Test
    void anAnswerOfAnotherClusterTeachesNothing() {
        OneReplica replica = OneReplica.follower(3);
        replica.answer(
                replica.call(2), new RaftResponse.Plain(OneReplica.head(RaftError.INCONSISTENT_CLUSTER_ID, 99, 3)));
        assertEquals(5, replica.node.epoch());
    }

    @Test
    void twoLeadersOfOneEpochStopTheNode() {
        OneReplica replica = OneReplica.follower(3);
        RaftRequest other = new RaftRequest.BeginEpoch("cluster", 5, 3, List.of(), OneReplica.SELF);
        assertThrows(InvariantViolation.class, () -> replica.request(other), "R2");
        OneReplica leader = OneReplica.leader(3);
        RaftRequest usurper = new RaftRequest.BeginEpoch("cluster", 6, 3, List.of(), OneReplica.SELF);
        assertThrows(InvariantViolation.class, () -> leader.request(usurper), "R2");
    }

    @Test
    void oneWithRotNeitherVotesNorStands() {
        OneReplica replica = new OneReplica(new VoteState(5, -1, 0, 0, 2, false), 1, 3);
        assertNull(replica.toPersist());
        OneReplica rotten = new OneReplica(new VoteState(5, -1, 0, 0, 2, false), 1L, 3);
        assertTrue(rotten.toPersist().refetching());
        assertEquals(List.of(), rotten.sent, "R15: nothing leaves before that is persisted");
        rotten.persist();
        assertFalse(OneReplica.granted(rotten.request(OneReplica.vote(2, 9, FAR, true))), "R15");
        long asked = rotten.ask(OneReplica.vote(2, 9, FAR, false));
        rotten.persist();
        assertFalse(OneReplica.granted(rotten.reply(asked)), "R15");
        rotten.time(60_000);
        rotten.time(60_000);
        assertEquals(RaftOutput.Role.UNATTACHED, rotten.last.standing().role(), "R15");
        OneReplica again = new OneReplica(rotten.disk.vote(), 3);
        assertFalse(OneReplica.granted(again.request(OneReplica.vote(2, 9, FAR, true))), "R15: after a restart, too");
    }

    @Test
    void theSuccessorThatIsNamedStandsAtOnce() {
        OneReplica first = OneReplica.follower(3);
        first.request(new RaftRequest.EndEpoch("cluster", 5, 2, List.of(OneReplica.SELF, OneReplica.key(3))));
        assertEquals(RaftOutput.Role.PROSPECTIVE, first.last.standing().role());
        OneReplica second = OneReplica.follower(3);
        second.request(new RaftRequest.EndEpoch("cluster", 5, 2, List.of(OneReplica.key(3), OneReplica.SELF)));
        assertEquals(RaftOutput.Role.FOLLOWER, second.last.standing().role());
        assertTrue(OneReplica.granted(second.request(OneReplica.vote(3, 5, FAR, true))), "R4: that leader is no more");
        second.time(200);
        assertEquals(RaftOutput.Role.PROSPECTIVE, second.last.standing().role());
    }

    @Test
    void anElectionThatCannotBeWonIsGivenUpEarly() {
        OneReplica replica = new OneReplica(OneReplica.inEpoch(5), 3);
        replica.candidate();
        replica.persist();
        replica.answer(replica.call(2), new RaftResponse.Vote(OneReplica.head(RaftError.NONE, 6, -1), false));
        assertEquals(RaftOutput.Role.CANDIDATE, replica.last.standing().role());
        replica.took(replica.node.failed(replica.now, replica.call(3).correlation()));
        assertEquals(RaftOutput.Role.UNATTACHED, replica.last.standing().role());
        assertTrue(replica.last.wakeAt() <= replica.now + 100, "a short random wait, then again");
        assertNotNull(replica.disk.vote());
    }

    /** A client that makes no sense, in this epoch or a later one, changes nothing. */
    @Test
    void requestsThatNameNobodyAreRefused() {
        for (int epoch : List.of(6, 9)) {
            OneReplica leader = OneReplica.leader(3);
            leader.sent.clear();
            for (RaftRequest each : List.of(
                    new RaftRequest.BeginEpoch("cluster", epoch, -1, List.of(), OneReplica.SELF),
                    new RaftRequest.EndEpoch("cluster", epoch, -1, List.of()),
                    new RaftRequest.Vote("cluster", ReplicaKey.of(-1), epoch, FAR, false, OneReplica.SELF))) {
                assertEquals(RaftError.INVALID_REQUEST, leader.error(each), each.toString());
                assertTrue(leader.node.leads(), each.toString());
                assertEquals(6, leader.node.epoch(), each.toString());
            }
        }
    }
}
