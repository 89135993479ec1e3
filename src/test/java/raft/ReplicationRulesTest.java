package raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.InvariantViolation;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules R6 to R9, R12, R13: what is fetched, what is committed, who counts. */
class ReplicationRulesTest {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    @Test
    void commitsWhatAMajorityPromisesAndTheLeaderHasFsynced() {
        OneReplica leader = OneReplica.leader(3, 3);
        leader.request(OneReplica.fetch(2, 6, 2, 3));
        assertEquals(-1, leader.last.highWatermark(), "R6: two have the old records, none but the leader has its own");
        leader.request(OneReplica.fetch(2, 6, 3, 6));
        assertEquals(3, leader.last.highWatermark(), "R7");
        leader.appendOnly();
        leader.request(OneReplica.fetch(2, 6, 4, 6));
        assertEquals(3, leader.last.highWatermark(), "R7: the leader's own is not fsynced");
        leader.request(OneReplica.fetch(3, 6, 4, 6));
        assertEquals(4, leader.last.highWatermark(), "R7: the two others are a majority");
        leader.request(OneReplica.fetch(2, 6, 1, 3));
        assertEquals(4, leader.last.highWatermark(), "R7: it never falls");
    }

    @Test
    void observersDoNotCount() {
        OneReplica leader = OneReplica.leader(3);
        leader.request(OneReplica.fetch(4, 6, 2, 6));
        RaftRequest otherDisk =
                new RaftRequest.Fetch("cluster", new ReplicaKey(2, 9, 9), 6, new OffsetAndEpoch(2, 6), -1, 300);
        leader.request(otherDisk);
        assertEquals(-1, leader.last.highWatermark(), "R13: 2 with another directory is no voter");
        assertEquals(2, leader.node.replicas().size());
    }

    @Test
    void aFollowerFetchesWhenAllIsFsynced() {
        OneReplica replica = OneReplica.follower(3);
        RaftOutput.Send before = replica.call(2);
        assertEquals(new OffsetAndEpoch(1, 3), ((RaftRequest.Fetch) before.request()).end());
        replica.fetched(2, 5, 1, ByteBuffer.allocate(1));
        assertTrue(replica.tasks.remove(0) instanceof RaftOutput.AppendFetched);
        replica.disk.append(Entry.leaderChange(5));
        replica.took(replica.node.appended(replica.now, replica.disk.end(), List.of()));
        assertSame(before, replica.call(2), "R8");
        replica.sync();
        assertEquals(
                new OffsetAndEpoch(2, 5), ((RaftRequest.Fetch) replica.call(2).request()).end());
    }

    @Test
    void divergingLogsMeetByEpoch() {
        OneReplica leader = OneReplica.leader(1, 1, 3, 3);
        assertEquals(new OffsetAndEpoch(2, 1), diverging(leader, 5, 2), "R9: of an epoch that the leader never had");
        assertEquals(new OffsetAndEpoch(4, 3), diverging(leader, 5, 3), "R9: longer in the same epoch");
        assertNull(diverging(leader, 4, 3));

        OneReplica follower = OneReplica.follower(1, 1, 2, 2);
        follower.answer(follower.call(2), answer(new OffsetAndEpoch(2, 1), null));
        assertEquals(List.of(new RaftOutput.Truncate(2)), follower.tasks);
        OneReplica shorter = OneReplica.follower(1, 2, 2);
        shorter.answer(shorter.call(2), answer(new OffsetAndEpoch(5, 1), null));
        assertEquals(List.of(new RaftOutput.Truncate(1)), shorter.tasks, "R9: to its own end of that epoch");
    }

    private static OffsetAndEpoch diverging(OneReplica leader, long offset, int epoch) {
        RaftRequest.Fetch asked = OneReplica.fetch(2, 6, offset, epoch);
        RaftResponse response = leader.request(asked);
        return response == null ? null : ((RaftResponse.Fetch) response).diverging();
    }

    private static RaftResponse answer(OffsetAndEpoch diverging, OffsetAndEpoch snapshot) {
        return new RaftResponse.Fetch(OneReplica.head(RaftError.NONE, 5, 2), 0, diverging, snapshot, NOTHING);
    }

    @Test
    void oneThatShouldCutCommittedRecordsStops() {
        OneReplica replica = OneReplica.follower(1, 1, 2);
        replica.fetched(2, 5, 3, NOTHING);
        assertEquals(3, replica.last.highWatermark());
        RaftOutput.Send call = replica.call(2);
        assertThrows(
                InvariantViolation.class, () -> replica.answer(call, answer(new OffsetAndEpoch(2, 1), null)), "R9");
    }

    @Test
    void aFollowerKnowsNoMoreCommittedThanItHas() {
        OneReplica replica = OneReplica.follower(3);
        replica.fetched(2, 5, 90, NOTHING);
        assertEquals(1, replica.last.highWatermark());
    }

    @Test
    void whatIsBeforeTheLogComesAsSnapshot() {
        OneReplica leader = OneReplica.leader(1, 2, 3);
        OffsetAndEpoch snapshot = new OffsetAndEpoch(2, 2);
        leader.disk.addSnapshot(new ReplicaDisk.Snapshot(snapshot, 0, null));
        leader.disk.deleteBefore(snapshot);
        assertEquals(snapshot, offered(leader, 1, 1), "R9: below the start");
        assertEquals(snapshot, offered(leader, 2, 1), "R9: at the start, of another epoch");
        assertEquals(snapshot, offered(leader, 7, 1), "R9: beyond it, of an epoch that ended before");
        assertNull(offered(leader, 2, 2));
    }

    private static OffsetAndEpoch offered(OneReplica leader, long offset, int epoch) {
        RaftResponse response = leader.request(OneReplica.fetch(2, 6, offset, epoch));
        return response == null ? null : ((RaftResponse.Fetch) response).snapshot();
    }

    @Test
    void aSnapshotIsInstalledWhenItIsWhole() {
        OneReplica replica = new OneReplica(new VoteState(5, -1, 0, 0, 2, false), 1);
        OffsetAndEpoch snapshot = new OffsetAndEpoch(7, 4);
        replica.answer(replica.call(2), answer(null, snapshot));
        assertEquals(0, ((RaftRequest.FetchSnapshot) replica.call(2).request()).position());
        piece(replica, snapshot, 0, 60);
        assertEquals(1, replica.tasks.size());
        replica.took(replica.node.snapshotWritten(replica.now, snapshot, 60));
        assertEquals(60, ((RaftRequest.FetchSnapshot) replica.call(2).request()).position());
        piece(replica, snapshot, 60, 40);
        replica.tasks.clear();
        replica.took(replica.node.snapshotWritten(replica.now, snapshot, 100));
        assertEquals(List.of(new RaftOutput.InstallSnapshot(snapshot)), replica.tasks, "R12");
        RaftOutput.Send before = replica.call(2);
        VoterSet four = OneReplica.VOTERS.with(OneReplica.voter(4));
        replica.took(replica.node.snapshotInstalled(replica.now, snapshot, new VotersAt(3, four)));
        assertNotSame(before, replica.call(2));
        assertEquals(snapshot, ((RaftRequest.Fetch) replica.call(2).request()).end());
        assertEquals(7, replica.last.highWatermark());
        assertEquals(four, replica.node.voters(), "R12: the snapshot holds the set of voters");
    }

    private static void piece(OneReplica replica, OffsetAndEpoch snapshot, long position, int bytes) {
        replica.answer(
                replica.call(2),
                new RaftResponse.FetchSnapshot(
                        OneReplica.head(RaftError.NONE, 5, 2), snapshot, 100, position, ByteBuffer.allocate(bytes)));
    }

    @Test
    void aSnapshotThatIsGoneIsAskedForAnew() {
        OneReplica replica = new OneReplica(new VoteState(5, -1, 0, 0, 2, false), 1);
        replica.answer(replica.call(2), answer(null, new OffsetAndEpoch(7, 4)));
        replica.answer(replica.call(2), new RaftResponse.Plain(OneReplica.head(RaftError.SNAPSHOT_NOT_FOUND, 5, 2)));
        replica.time(20);
        assertTrue(replica.call(2).request() instanceof RaftRequest.Fetch);
    }

    @Test
    void aFetchWaitsForNews() {
        OneReplica leader = OneReplica.leader(3);
        long first = leader.ask(OneReplica.fetch(2, 6, 2, 6));
        assertEquals(2, leader.last.highWatermark());
        assertEquals(2, ((RaftResponse.Fetch) leader.reply(first)).highWatermark(), "what it commits itself is news");
        long second =
                leader.ask(new RaftRequest.Fetch("cluster", OneReplica.key(2), 6, new OffsetAndEpoch(2, 6), 2, 300));
        assertNull(leader.reply(second));
        leader.appendOnly();
        assertEquals(List.of(new RaftOutput.Read(second, 2, 3)), leader.tasks.subList(1, 2), "new records");
        leader.took(leader.node.recordsRead(leader.now, second, ByteBuffer.allocate(9)));
        assertEquals(9, ((RaftResponse.Fetch) leader.reply(second)).records().remaining());

        long third =
                leader.ask(new RaftRequest.Fetch("cluster", OneReplica.key(3), 6, new OffsetAndEpoch(3, 6), 2, 300));
        leader.time(299);
        assertNull(leader.reply(third));
        leader.time(1);
        assertEquals(RaftError.NONE, leader.reply(third).head().error(), "its time is up");
    }

    @Test
    void aFetchThatWaitsWhenTheLeadershipEndsIsTold() {
        OneReplica leader = OneReplica.leader(3);
        leader.request(OneReplica.fetch(2, 6, 2, 6));
        long waiting =
                leader.ask(new RaftRequest.Fetch("cluster", OneReplica.key(3), 6, new OffsetAndEpoch(2, 6), 2, 300));
        long reading = leader.ask(OneReplica.fetch(2, 6, 1, 3));
        leader.ask(OneReplica.vote(3, 7, new OffsetAndEpoch(9, 6), false));
        leader.persist();
        assertEquals(
                RaftError.NOT_LEADER_OR_FOLLOWER, leader.reply(waiting).head().error());
        assertEquals(
                RaftError.NOT_LEADER_OR_FOLLOWER, leader.reply(reading).head().error());
        int replies = leader.replies.size();
        leader.took(leader.node.recordsRead(leader.now, reading, ByteBuffer.allocate(9)));
        assertEquals(replies, leader.replies.size(), "what is read later might be another leader's records");
    }

    /** The log of a former leader is still being written: it neither fetches nor stands meanwhile. */
    @Test
    void aLateAppendOfAFormerLeadershipIsAwaited() {
        OneReplica leader = OneReplica.leader(3);
        leader.disk.writing(true);
        leader.ask(OneReplica.vote(3, 7, new OffsetAndEpoch(9, 6), false));
        leader.persist();
        leader.sent.clear();
        leader.request(new RaftRequest.BeginEpoch("cluster", 7, 3, List.of(), OneReplica.SELF));
        leader.persist();
        assertNull(leader.call(3));
        leader.time(5_000);
        assertEquals(RaftOutput.Role.FOLLOWER, leader.last.standing().role());
        leader.disk.writing(false);
        leader.disk.append(Entry.leaderChange(6));
        leader.took(leader.node.appended(leader.now, leader.disk.end(), List.of()));
        assertEquals(RaftOutput.Role.PROSPECTIVE, leader.last.standing().role());
    }

    private static final RaftRequest ADD_4 = new RaftRequest.AddVoter("cluster", OneReplica.voter(4), 500, true);

    private static OneReplica established() {
        OneReplica leader = OneReplica.leader(3);
        leader.request(OneReplica.fetch(2, 6, 2, 6));
        return leader;
    }

    @Test
    void noChangeBeforeTheLeadersOwnRecordIsCommitted() {
        OneReplica leader = OneReplica.leader(3);
        assertEquals(RaftError.REQUEST_TIMED_OUT, leader.error(ADD_4), "R13");
    }

    @Test
    void aNewVoterCatchesUpFirst() {
        OneReplica leader = established();
        long late = leader.ask(ADD_4);
        leader.time(500);
        assertEquals(RaftError.REQUEST_TIMED_OUT, leader.reply(late).head().error(), "R13");
        long asked = leader.ask(ADD_4);
        leader.request(OneReplica.fetch(4, 6, 2, 6));
        VoterSet four = OneReplica.VOTERS.with(OneReplica.voter(4));
        assertEquals(new RaftOutput.AppendVoters(6, four), leader.tasks.get(leader.tasks.size() - 1));
        assertEquals(OneReplica.VOTERS, leader.node.voters());
        leader.appendVoters();
        assertEquals(four, leader.node.voters(), "R13: from when it is appended on");
        leader.request(OneReplica.fetch(2, 6, 3, 6));
        assertNull(leader.reply(asked), "R7: two of four");
        assertEquals(
                RaftError.REQUEST_TIMED_OUT,
                leader.error(new RaftRequest.RemoveVoter("cluster", OneReplica.key(2))),
                "R13: one at a time");
        leader.request(OneReplica.fetch(4, 6, 3, 6));
        assertEquals(RaftError.NONE, leader.reply(asked).head().error());
        assertEquals(3, leader.last.highWatermark());
    }

    @Test
    void aChangeIsUndoneWithItsRecord() {
        OneReplica replica = OneReplica.follower(3);
        replica.fetched(2, 5, 1, ByteBuffer.allocate(1));
        VoterSet two = OneReplica.VOTERS.without(3);
        replica.disk.append(new Entry(5, 0, two));
        replica.took(replica.node.appended(replica.now, replica.disk.end(), List.of(new VotersAt(1, two))));
        assertEquals(two, replica.node.voters(), "R13");
        replica.sync();
        replica.answer(replica.call(2), answer(new OffsetAndEpoch(1, 3), null));
        replica.disk.truncate(1);
        replica.took(replica.node.truncated(replica.now, replica.disk.end()));
        assertEquals(OneReplica.VOTERS, replica.node.voters(), "R13");
    }

    @Test
    void wrongChangesAreRefused() {
        OneReplica leader = established();
        assertEquals(
                RaftError.DUPLICATE_VOTER,
                leader.error(new RaftRequest.AddVoter(
                        "cluster", new VoterSet.Voter(new ReplicaKey(2, 8, 8), List.of()), 500, true)));
        assertEquals(
                RaftError.VOTER_NOT_FOUND,
                leader.error(new RaftRequest.RemoveVoter("cluster", new ReplicaKey(2, 8, 8))));
        assertEquals(
                RaftError.VOTER_NOT_FOUND,
                leader.error(new RaftRequest.UpdateVoter("cluster", 6, OneReplica.voter(5))));
        assertEquals(RaftError.NOT_LEADER_OR_FOLLOWER, OneReplica.follower(3).error(ADD_4));
    }

    @Test
    void aVoterSaysWhereItListensNow() {
        OneReplica leader = established();
        VoterSet.Voter moved = new VoterSet.Voter(OneReplica.key(2), Entry.endpoints(77));
        long asked = leader.ask(new RaftRequest.UpdateVoter("cluster", 6, moved));
        assertNull(leader.reply(asked));
        leader.appendVoters();
        assertEquals(RaftError.NONE, leader.reply(asked).head().error(), "its Fetch may be what commits it");
        assertEquals(moved, leader.node.voters().voter(2));
    }

    /** Voters from settings say their directories one after the other; the third is down meanwhile. */
    @Test
    void aVoterThatSaysItsDirectoryWasHeardBefore() {
        VoterSet unknown = new VoterSet(List.of(
                OneReplica.voter(1),
                new VoterSet.Voter(ReplicaKey.of(2), Entry.endpoints(2)),
                new VoterSet.Voter(ReplicaKey.of(3), Entry.endpoints(3))));
        OneReplica leader = OneReplica.leader(unknown, 3);
        for (int i = 0; i < 100; i++) {
            leader.request(OneReplica.fetch(2, 6, 2, 6));
            leader.time(100);
        }
        assertTrue(leader.node.leads(), "R5: a majority fetches");
        leader.ask(new RaftRequest.UpdateVoter("cluster", 6, OneReplica.voter(2)));
        leader.appendVoters();
        assertEquals(OneReplica.voter(2), leader.node.voters().voter(2));
        assertTrue(leader.node.leads(), "R5: it was heard a moment ago");
        assertEquals(2, leader.last.highWatermark(), "R7: what another directory promised does not count for this one");
        leader.request(OneReplica.fetch(2, 6, 3, 6));
        assertEquals(3, leader.last.highWatermark());
    }

    @Test
    void aLeaderThatIsTakenOutResignsAtTheCommit() {
        OneReplica leader = established();
        long asked = leader.ask(new RaftRequest.RemoveVoter("cluster", OneReplica.SELF));
        leader.appendVoters();
        leader.request(OneReplica.fetch(2, 6, 3, 6));
        assertEquals(2, leader.last.highWatermark(), "R13: it does not count itself");
        assertTrue(leader.node.leads());
        leader.request(OneReplica.fetch(3, 6, 3, 6));
        assertEquals(3, leader.last.highWatermark());
        assertEquals(RaftError.NONE, leader.reply(asked).head().error());
        assertFalse(leader.node.leads(), "R13");
        assertTrue(leader.call(2).request() instanceof RaftRequest.EndEpoch);
    }

    @Test
    void withoutItsFirstRecordALeaderResigns() {
        OneReplica elected = new OneReplica(OneReplica.inEpoch(5), 3);
        elected.candidate();
        elected.persist();
        elected.grant(2, false);
        assertTrue(elected.node.leads());
        elected.took(elected.node.appendFailed(elected.now));
        assertFalse(elected.node.leads(), "R6");

        OneReplica leader = established();
        long asked = leader.ask(new RaftRequest.RemoveVoter("cluster", OneReplica.key(3)));
        leader.took(leader.node.appendFailed(leader.now));
        assertEquals(RaftError.UNKNOWN_SERVER_ERROR, leader.reply(asked).head().error());
        assertTrue(leader.node.leads());
        assertEquals(OneReplica.VOTERS, leader.node.voters());
    }

    /** Found by seed 103228 of the simulation. */
    @Test
    void aPieceOfAnotherDownloadIsNotTakenForItsOwn() {
        OneReplica replica = new OneReplica(new VoteState(5, -1, 0, 0, 2, false), 1);
        OffsetAndEpoch snapshot = new OffsetAndEpoch(7, 4);
        replica.answer(replica.call(2), answer(null, snapshot));
        piece(replica, snapshot, 0, 60);
        replica.took(replica.node.snapshotWritten(replica.now, snapshot, 60));
        piece(replica, snapshot, 60, 20);

        replica.request(new RaftRequest.BeginEpoch("cluster", 6, 3, List.of(), OneReplica.SELF));
        replica.persist();
        RaftResponse.Head head = OneReplica.head(RaftError.NONE, 6, 3);
        replica.answer(replica.call(3), new RaftResponse.Fetch(head, 0, null, snapshot, NOTHING));
        replica.answer(
                replica.call(3), new RaftResponse.FetchSnapshot(head, snapshot, 100, 0, ByteBuffer.allocate(60)));
        RaftOutput.Send first = replica.call(3);
        replica.took(replica.node.snapshotWritten(replica.now, snapshot, 80));
        assertSame(first, replica.call(3), "R12: the old leader's piece; the file begins anew behind it");
        replica.took(replica.node.snapshotWritten(replica.now, snapshot, 60));
        assertEquals(60, ((RaftRequest.FetchSnapshot) replica.call(3).request()).position());
    }
}
