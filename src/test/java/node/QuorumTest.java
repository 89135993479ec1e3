package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import node.QuorumLab.Machine;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import raft.VoterSet;

/** Three controllers and what becomes of their metadata, on the real log. */
class QuorumTest {
    private final long seed = new Random().nextLong();
    private QuorumLab lab = new QuorumLab(seed, 3, 1);

    @Test
    void oneLeadsAndAllHaveWhatItCommits() {
        lab.startAll();
        for (int i = 0; i < 20; i++) {
            lab.setQuota("user" + i, i + 1);
        }
        lab.awaitSame();
        assertEquals(20, lab.machine(4).lab.image().quotaEntities().size(), "an observer");
        for (Machine each : lab.machines.values()) {
            assertEquals(lab.active().id, each.controller().active().id());
            assertEquals(lab.active().id, each.lab.image().controllerId());
        }
    }

    /** KIP-1186: who shall vote and does not asks for it, as soon as it has what is committed. */
    @Test
    void anObserverThatMayJoinsTheVoters() {
        lab.joins = QuorumPlace.Joins.ALWAYS;
        lab.startAll();
        lab.awaitActive();
        lab.await("four vote", () -> voters().size() == 4);
        lab.setQuota("user", 1);
        lab.awaitSame();
    }

    /** Rule R13: with an empty disk a node is another one. It takes the place of its former self, so that the quorum is whole again. */
    @Test
    void aVoterWithAnEmptyDiskTakesItsPlaceAgain() {
        lab = new QuorumLab(seed, 3, 0);
        lab.joins = QuorumPlace.Joins.IN_PLACE_OF_ITSELF;
        lab.startAll();
        lab.setQuota("before", 1);
        lab.awaitSame();
        Machine wiped = lab.machine(lab.active().id == 1 ? 2 : 1);
        // Each has said by then which disk it has: until then any disk of its node would do.
        lab.runFor(5_000);
        Uuid former = voters().get(wiped.id);
        wiped.wipe();
        wiped.start();
        lab.await("it votes with its new disk", () -> voters().size() == 3 && !former.equals(voters().get(wiped.id)));
        lab.awaitSame();
        assertEquals(1, QuorumLab.quota(wiped.lab.image(), "before"));
        // The two others lose one of them: the new voter's vote and disk count.
        lab.machine(lab.active().id == 3 ? 3 - wiped.id : 3).kill();
        lab.setQuota("after", 2);
    }

    @Test
    void whoWasRemovedByAnOperatorStaysOut() {
        lab = new QuorumLab(seed, 3, 0);
        lab.joins = QuorumPlace.Joins.IN_PLACE_OF_ITSELF;
        lab.startAll();
        lab.awaitSame();
        lab.runFor(5_000);
        int out = lab.awaitActive().id == 1 ? 2 : 1;
        lab.await("it is removed", () -> {
            Machine active = lab.active();
            if (active != null && voters().containsKey(out)) {
                RemoveRaftVoterRequestData request = new RemoveRaftVoterRequestData()
                        .setClusterId(null)
                        .setVoterId(out)
                        .setVoterDirectoryId(voters().get(out));
                active.controller().removeRaftVoter(request, (answer, failure) -> {});
                lab.runFor(500);
            }
            return voters().size() == 2;
        });
        lab.runFor(20_000);
        lab.awaitActive();
        assertFalse(voters().containsKey(out));
        assertEquals(2, voters().size());
    }

    /** Their directories, as the active controller says; empty without one. */
    private Map<Integer, Uuid> voters() {
        Map<Integer, Uuid> voters = new TreeMap<>();
        if (lab.active() == null) {
            return voters;
        }
        DescribeQuorumRequestData request = new DescribeQuorumRequestData();
        request.topics()
                .add(new DescribeQuorumRequestData.TopicData()
                        .setTopicName("__cluster_metadata")
                        .setPartitions(List.of(new DescribeQuorumRequestData.PartitionData())));
        lab.active()
                .controller()
                .describeQuorum(
                        request,
                        (answer, failure) -> answer.topics()
                                .get(0)
                                .partitions()
                                .get(0)
                                .currentVoters()
                                .forEach(each -> voters.put(each.replicaId(), each.replicaDirectoryId())));
        return voters;
    }

    @Test
    void whoIsNotTheActiveControllerSaysSo() {
        lab.startAll();
        Machine active = lab.awaitActive();
        Machine other = lab.machine(active.id == 1 ? 2 : 1);
        List<FailureCode> failures = new ArrayList<>();
        lab.setQuota(other, "u", 1, (answer, failure) -> failures.add(failure.code()));
        assertEquals(List.of(FailureCode.NOT_LEADER), failures);
        lab.await("the others know", () -> other.controller().active().id() == active.id);
        assertEquals(active.id, other.controller().active().address().port());
        assertNull(active.controller().active().address());
    }

    /** Rule R10: what a leader that is cut off has decided and not committed is taken back, and who asked for it does not hear that it is done. */
    @Test
    void requestsInFlightFailWithTheLeadership() {
        lab.startAll();
        lab.setQuota("before", 1);
        lab.awaitSame();
        Machine old = lab.active();
        lab.isolate(old.id);
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            lab.setQuota(
                    old,
                    "lost" + i,
                    1,
                    (answer, failure) -> answers.add(
                            failure == null ? "done" : failure.code().name()));
        }
        lab.await("the leader resigns", () -> !old.isActive());
        assertEquals(Collections.nCopies(5, "NOT_LEADER"), answers);
        assertNull(QuorumLab.quota(old.lab.image(), "lost0"));
        lab.await("another leads", () -> lab.active() != null && lab.active() != old);
        lab.setQuota("after", 2);
        lab.heal();
        lab.awaitSame();
        assertNull(QuorumLab.quota(old.lab.image(), "lost0"), "cut off with the old leader's records");
        assertEquals(2, QuorumLab.quota(old.lab.image(), "after"));
    }

    @Test
    void aFollowerThatWasAwayCatchesUp() {
        lab.startAll();
        Machine follower = lab.machine(lab.awaitActive().id == 1 ? 2 : 1);
        lab.awaitSame();
        follower.stop();
        for (int i = 0; i < 10; i++) {
            lab.setQuota("user" + i, i + 1);
        }
        follower.start();
        lab.awaitSame();
        follower.kill();
        follower.start();
        lab.awaitSame();
        assertEquals(10, QuorumLab.quota(follower.lab.image(), "user9"));
    }

    @Test
    void aWholeQuorumThatLosesItsPowerGoesOn() {
        lab.startAll();
        lab.setQuota("user", 1);
        lab.awaitSame();
        lab.machines.values().forEach(Machine::powerCut);
        lab.machines.values().forEach(Machine::start);
        lab.setQuota("next", 2);
        lab.awaitSame();
        assertEquals(1, QuorumLab.quota(lab.active().lab.image(), "user"));
    }

    /** L1: the refused connection is enough, no timeout is waited for. */
    @Test
    void theNextLeaderIsThereWithinAMomentOfAKill() {
        lab.startAll();
        lab.setQuota("user", 1);
        lab.awaitSame();
        Machine old = lab.active();
        long now = lab.scheduler.now();
        old.kill();
        lab.await("another", () -> lab.active() != null);
        long millis = (lab.scheduler.now() - now) / 1_000_000;
        assertTrue(millis < 700, millis + " ms, seed " + seed);
    }

    private static QuorumLab snapshotting(long seed) {
        return new QuorumLab(
                seed,
                3,
                1,
                "metadata.log.max.record.bytes.between.snapshots",
                "600",
                "metadata.max.retention.bytes",
                "1",
                "internal.metadata.log.segment.bytes",
                "700");
    }

    /** Rule R12: who lacks what the leader's log no longer has gets a snapshot. */
    @Test
    void aFollowerThatWasAwayForLongGetsASnapshot() {
        lab = snapshotting(seed);
        lab.startAll();
        Machine follower = lab.machine(lab.awaitActive().id == 1 ? 2 : 1);
        lab.awaitSame();
        follower.kill();
        long end = follower.lab.controller.log().logEndOffset();
        for (int i = 0; i < 40; i++) {
            lab.setQuota("user" + i, i + 1);
        }
        assertTrue(lab.active().controller().log().logStartOffset() > end, "the leader's log is shorter");
        follower.start();
        lab.awaitSame();
        assertTrue(follower.controller().log().logStartOffset() > end);
        follower.powerCut();
        follower.start();
        lab.setQuota("last", 1);
        lab.awaitSame();
        lab.machines.values().forEach(Machine::kill);
        lab.machines.values().forEach(Machine::start);
        lab.awaitActive();
        lab.awaitSame();
        assertEquals(41, follower.lab.image().quotaEntities().size());
    }

    /** Rule R13: with static voters of unknown directories, the log soon says who they are. */
    @Test
    void theQuorumIsDescribedByItsLeader() {
        lab.startAll();
        lab.awaitActive();
        lab.runFor(5_000);
        DescribeQuorumRequestData request = new DescribeQuorumRequestData();
        request.topics()
                .add(new DescribeQuorumRequestData.TopicData()
                        .setTopicName("__cluster_metadata")
                        .setPartitions(List.of(new DescribeQuorumRequestData.PartitionData().setPartitionIndex(0))));
        Machine active = lab.active();
        DescribeQuorumResponseData answer =
                active.host.await(done -> active.controller().describeQuorum(request, done));
        var partition = answer.topics().get(0).partitions().get(0);
        assertEquals(active.id, partition.leaderId());
        assertEquals(3, partition.currentVoters().size());
        assertEquals(1, partition.observers().size());
        assertEquals(4, partition.observers().get(0).replicaId());
        long end = active.controller().log().logEndOffset();
        partition.currentVoters().forEach(each -> {
            assertEquals(end, each.logEndOffset());
            assertNotEquals(Uuid.ZERO_UUID, each.replicaDirectoryId());
            assertTrue(each.lastCaughtUpTimestamp() > 0);
        });
        assertEquals(3, answer.nodes().size());
        Machine other = lab.machine(active.id == 1 ? 2 : 1);
        DescribeQuorumResponseData elsewhere =
                other.host.await(done -> other.controller().describeQuorum(request, done));
        assertEquals(
                Errors.NOT_LEADER_OR_FOLLOWER.code(),
                elsewhere.topics().get(0).partitions().get(0).errorCode());
        assertFalse(other.isActive());
    }

    /** Rule R15: what has rotted is fetched again, and nobody is voted for before that is done. */
    @Test
    void aFollowerWhoseLogHasRottedFetchesItAgain() {
        lab.startAll();
        for (int i = 0; i < 10; i++) {
            lab.setQuota("user" + i, i + 1);
        }
        lab.awaitSame();
        Machine leader = lab.active();
        Machine rotten = lab.machine(leader.id == 1 ? 2 : 1);
        Machine third = lab.machine(6 - leader.id - rotten.id);
        rotten.kill();
        rotten.host.disk().rot("__cluster_metadata-0/00000000000000000000.log", 400, 2);
        // It may not help anybody to lead who has not all of it: alone with one that lacks the last records it sees no
        // leader.
        third.kill();
        leader.kill();
        rotten.start();
        third.start();
        lab.runFor(20_000);
        assertNull(lab.active(), "one of two that are sound is no majority");
        leader.start();
        lab.setQuota("more", 5);
        lab.awaitSame();
        assertNull(rotten.controller().log().damage());
        assertEquals(11, rotten.lab.image().quotaEntities().size());
        leader.kill();
        lab.await("the mended one votes again", () -> lab.active() != null);
    }

    private static VoterSet.Voter voter(Machine machine) {
        return new VoterSet.Voter(machine.lab.key(), QuorumLab.endpoints(machine.id));
    }

    /** Rule R13; KIP-853. */
    @Test
    void votersComeAndGo() {
        lab.startAll();
        lab.setQuota("user", 1);
        lab.runFor(5_000);
        Machine added = lab.machine(4);
        VoterSet.Voter voter = voter(added);
        AddRaftVoterRequestData request = new AddRaftVoterRequestData()
                .setClusterId(null)
                .setTimeoutMs(10_000)
                .setVoterId(4)
                .setVoterDirectoryId(
                        new Uuid(voter.key().directoryMost(), voter.key().directoryLeast()));
        request.listeners()
                .add(new AddRaftVoterRequestData.Listener()
                        .setName("CONTROLLER")
                        .setHost("machine4")
                        .setPort(4));
        Machine active = lab.active();
        AddRaftVoterResponseData refused =
                added.host.await(done -> added.controller().quorum().addRaftVoter(request.duplicate(), done));
        assertEquals(Errors.NOT_LEADER_OR_FOLLOWER.code(), refused.errorCode());
        AddRaftVoterResponseData answer =
                active.host.await(done -> active.controller().quorum().addRaftVoter(request.duplicate(), done));
        assertEquals(0, answer.errorCode(), answer.errorMessage());
        lab.awaitSame();
        RemoveRaftVoterRequestData removal = new RemoveRaftVoterRequestData()
                .setClusterId(null)
                .setVoterId(active.id)
                .setVoterDirectoryId(new Uuid(
                        active.lab.key().directoryMost(), active.lab.key().directoryLeast()));
        RemoveRaftVoterResponseData removed =
                active.host.await(done -> active.controller().quorum().removeRaftVoter(removal, done));
        assertEquals(0, removed.errorCode(), removed.errorMessage());
        lab.await("another leads", () -> lab.active() != null && lab.active() != active);
        active.kill();
        lab.setQuota("next", 2);
        lab.machines.values().stream().filter(Machine::isUp).forEach(Machine::powerCut);
        lab.machines.values().forEach(Machine::start);
        lab.setQuota("last", 3);
        lab.awaitSame();
        assertNotEquals(active, lab.active());
    }

    /** After a pause it hears first that its time is over. */
    @Test
    void aLeaderThatStoodStillDecidesNothing() {
        lab.startAll();
        lab.setQuota("user", 1);
        lab.awaitSame();
        Machine old = lab.active();
        old.host.pause();
        lab.await("another", () -> lab.active() != old && lab.active() != null);
        lab.runFor(2_000);
        List<FailureCode> failures = new ArrayList<>();
        lab.setQuota(old, "late", 1, (answer, failure) -> failures.add(failure.code()));
        assertEquals(List.of(FailureCode.NOT_LEADER), failures, "R5");
        old.host.resume();
        lab.awaitSame();
    }
}
