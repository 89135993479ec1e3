package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import coordinator.InstantRuntime.Answer;
import coordinator.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import records.schemas.GroupRecord;

/** What members are given, and when (rules G2, G3, G4); what of it survives (G9). */
class ClassicSyncTest {
    private final ClassicLab lab = new ClassicLab();

    /** Two members whose JoinGroups were answered; the first leads. */
    private List<String> joined() {
        Answer<JoinGroupResponseData> first = lab.joinNew();
        Answer<JoinGroupResponseData> second = lab.joinNew();
        lab.bench.advance(2 * ClassicLab.INITIAL_DELAY);
        return List.of(first.value().memberId(), second.value().memberId());
    }

    @Test
    void followersWaitForTheLeader() {
        List<String> ids = joined();
        Answer<SyncGroupResponseData> second = lab.sync(ids.get(1), 1);
        assertFalse(second.isDone());
        Answer<SyncGroupResponseData> first = lab.sync(ids.get(0), 1, ids.get(0), "a", ids.get(1), "b");
        assertEquals("a", ClassicLab.given(first));
        assertEquals("b", ClassicLab.given(second));
        assertEquals("range", second.value().protocolName());
        assertEquals("consumer", second.value().protocolType());
        assertEquals("Stable", lab.state());
        assertEquals("b", ClassicLab.given(lab.sync(ids.get(1), 1)), "who asks again is told again");
    }

    @Test
    void whoTheLeaderForgotIsGivenNothing() {
        List<String> ids = joined();
        lab.sync(ids.get(0), 1, ids.get(0), "a", "nobody", "b");
        assertEquals("", ClassicLab.given(lab.sync(ids.get(1), 1)));
        assertEquals(new TreeMap<>(Map.of(ids.get(0), "a", ids.get(1), "")), lab.storedAssignments());
    }

    @Test
    void nothingIsHandedOutBeforeItIsCommitted() {
        List<String> ids = joined();
        Answer<SyncGroupResponseData> second = lab.sync(ids.get(1), 1);
        lab.bench.holdCommits();
        Answer<SyncGroupResponseData> first = lab.sync(ids.get(0), 1, ids.get(0), "a", ids.get(1), "b");
        assertFalse(first.isDone());
        assertFalse(second.isDone());
        lab.bench.commit();
        assertEquals("a", ClassicLab.given(first));
        assertEquals("b", ClassicLab.given(second));
    }

    @Test
    void oneAssignmentPerGeneration() {
        List<String> ids = joined();
        lab.bench.holdCommits();
        lab.sync(ids.get(0), 1, ids.get(0), "a", ids.get(1), "b");
        Answer<SyncGroupResponseData> again = lab.sync(ids.get(0), 1, ids.get(0), "other", ids.get(1), "other");
        lab.bench.commit();
        assertEquals("a", ClassicLab.given(again));
        assertEquals("b", lab.storedAssignments().get(ids.get(1)));
        lab.bench.reload();
        assertEquals("a", ClassicLab.given(lab.sync(ids.get(0), 1)));
    }

    @Test
    void aRebalanceWhileTheAssignmentIsWrittenAsksAllToJoinAgain() {
        List<String> ids = joined();
        Answer<SyncGroupResponseData> second = lab.sync(ids.get(1), 1);
        String newcomer = lab.newId();
        lab.bench.holdCommits();
        lab.sync(ids.get(0), 1, ids.get(0), "a", ids.get(1), "b");
        lab.join(ClassicLab.joining(newcomer));
        lab.bench.commit();
        assertEquals(Errors.REBALANCE_IN_PROGRESS, ClassicLab.syncError(second));
        assertEquals("PreparingRebalance", lab.state());
    }

    @Test
    void joinIsAnsweredWhenItsGenerationIsCommitted() {
        List<String> ids = lab.stable(1);
        lab.bench.holdCommits();
        Answer<JoinGroupResponseData> again = lab.join(ClassicLab.joining(ids.get(0)));
        assertFalse(again.isDone());
        lab.bench.commit();
        assertEquals(2, again.value().generationId());
        assertEquals(2, lab.stored().generation());
    }

    @Test
    void checksComeInKafkasOrder() {
        List<String> ids = joined();
        SyncGroupRequestData request =
                new SyncGroupRequestData().setMemberId("made-up").setGenerationId(7);
        assertEquals(Errors.UNKNOWN_MEMBER_ID, ClassicLab.syncError(lab.sync(request)));
        assertEquals(
                Errors.UNKNOWN_MEMBER_ID,
                ClassicLab.syncError(lab.sync(request.setMemberId(ids.get(0)).setGroupInstanceId("i"))));
        request.setGroupInstanceId(null);
        assertEquals(Errors.ILLEGAL_GENERATION, ClassicLab.syncError(lab.sync(request.setProtocolType("connect"))));
        assertEquals(Errors.INCONSISTENT_GROUP_PROTOCOL, ClassicLab.syncError(lab.sync(request.setGenerationId(1))));
        request.setProtocolType("consumer").setProtocolName("sticky");
        assertEquals(Errors.INCONSISTENT_GROUP_PROTOCOL, ClassicLab.syncError(lab.sync(request)));
        lab.leave(ids.get(0), null, ids.get(1), null);
        assertEquals(Errors.UNKNOWN_MEMBER_ID, ClassicLab.syncError(lab.sync(request)));
    }

    @Test
    void whoDoesNotSyncIsLeftBehind() {
        List<String> ids = joined();
        Answer<SyncGroupResponseData> second = lab.sync(ids.get(1), 1);
        for (int i = 0; i < 6; i++) {
            assertEquals(Errors.NONE, lab.heartbeat(ids.get(0), 1));
            assertFalse(second.isDone());
            lab.bench.advance(5_000);
        }
        assertEquals(Errors.REBALANCE_IN_PROGRESS, ClassicLab.syncError(second));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.heartbeat(ids.get(0), 1));
        Answer<JoinGroupResponseData> alone = lab.join(ClassicLab.joining(ids.get(1)));
        assertEquals(ids.get(1), alone.value().leader());
    }

    @Test
    void aLeaderThatVanishesSendsTheOthersBackToJoin() {
        List<String> ids = joined();
        Answer<SyncGroupResponseData> second = lab.sync(ids.get(1), 1);
        lab.bench.advance(ClassicLab.SESSION);
        assertEquals(Errors.REBALANCE_IN_PROGRESS, ClassicLab.syncError(second));
        assertEquals(
                List.of(ids.get(1)),
                ClassicLab.memberIds(lab.join(ClassicLab.joining(ids.get(1))).value()));
    }

    @Test
    void commitsAreFenced() {
        assertEquals(Errors.NONE, commit("", -1));
        List<String> ids = joined();
        assertEquals(Errors.UNKNOWN_MEMBER_ID, commit("", -1));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, commit("made-up", 1));
        assertEquals(Errors.ILLEGAL_GENERATION, commit(ids.get(0), 0));
        assertEquals(Errors.ILLEGAL_GENERATION, commit(ids.get(0), -1));
        assertEquals(Errors.REBALANCE_IN_PROGRESS, commit(ids.get(0), 1));
        lab.syncAll(ids, 1);
        assertEquals(Errors.NONE, commit(ids.get(0), 1));
        lab.join(ClassicLab.joining(ids.get(0)));
        assertEquals(Errors.NONE, commit(ids.get(1), 1), "before it joins again a member may say how far it came");
        lab.leave(ids.get(0), null, ids.get(1), null);
        assertEquals(Errors.NONE, commit("", -1));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, commit(ids.get(1), 1));
    }

    private Errors commit(String memberId, int generation) {
        return lab.group()
                .checkCommit(new CommitClaim(memberId, null, generation, false, (short) 9))
                .error();
    }

    @Test
    void aStableGroupGoesOnWithAnotherCoordinator() {
        List<String> ids = lab.stable(2);
        lab.bench.advance(ClassicLab.SESSION - 1);
        lab.bench.reload();
        lab.bench.advance(ClassicLab.SESSION - 1);
        assertEquals(Errors.NONE, lab.heartbeat(ids.get(0), 1));
        assertEquals(Errors.NONE, lab.heartbeat(ids.get(1), 1));
        assertEquals("p1", ClassicLab.given(lab.sync(ids.get(1), 1)));
        lab.bench.advance(ClassicLab.SESSION);
        assertEquals("Empty", lab.state());
    }

    @Test
    void aCoordinatorThatStopsBetweenJoinAndSyncMakesAllJoinAgain() {
        List<String> ids = joined();
        lab.bench.reload();
        assertEquals(Errors.REBALANCE_IN_PROGRESS, ClassicLab.syncError(lab.sync(ids.get(1), 1)));
        assertEquals(Errors.REBALANCE_IN_PROGRESS, lab.heartbeat(ids.get(0), 1));
        lab.join(ClassicLab.joining(ids.get(1)));
        JoinGroupResponseData answer = lab.join(ClassicLab.joining(ids.get(0))).value();
        assertEquals(2, answer.generationId(), "1 was told to members already");
        lab.syncAll(ids, 2);
    }

    @Test
    void aCoordinatorThatStopsFailsWhoWaits() {
        List<String> ids = joined();
        Answer<SyncGroupResponseData> sync = lab.sync(ids.get(1), 1);
        lab.join(ClassicLab.joining(lab.newId()));
        Answer<JoinGroupResponseData> join = lab.join(ClassicLab.joining(ids.get(0)));
        lab.bench.reload();
        assertEquals(Errors.REBALANCE_IN_PROGRESS, ClassicLab.syncError(sync));
        assertEquals(FailureCode.NOT_COORDINATOR, join.failure().code());
    }

    @Test
    void aFailedAppendTellsNobodyAnything() {
        List<String> ids = joined();
        Answer<SyncGroupResponseData> second = lab.sync(ids.get(1), 1);
        lab.bench.holdCommits();
        Answer<SyncGroupResponseData> first = lab.sync(ids.get(0), 1, ids.get(0), "a", ids.get(1), "b");
        lab.bench.failAppend();
        assertEquals(FailureCode.NOT_COORDINATOR, first.failure().code());
        assertEquals(FailureCode.NOT_COORDINATOR, second.failure().code());
        assertEquals("PreparingRebalance", lab.state());
    }

    @Test
    void refusedRecordsTakeTheGroupBackToItsLog() {
        List<String> ids = joined();
        Answer<SyncGroupResponseData> second = lab.sync(ids.get(1), 1);
        lab.bench.refuseNext(FailureCode.RECORD_LIST_TOO_LARGE);
        Answer<SyncGroupResponseData> first = lab.sync(ids.get(0), 1, ids.get(0), "much", ids.get(1), "too much");
        assertEquals(FailureCode.RECORD_LIST_TOO_LARGE, first.failure().code());
        assertEquals(FailureCode.RECORD_LIST_TOO_LARGE, second.failure().code());
        assertEquals("PreparingRebalance", lab.state());
        lab.join(ClassicLab.joining(ids.get(1)));
        assertEquals(2, lab.join(ClassicLab.joining(ids.get(0))).value().generationId());
    }

    @Test
    void aRefusedLeaveLeavesTheMemberInTheGroup() {
        List<String> ids = lab.stable(1);
        lab.bench.refuseNext(FailureCode.COORDINATOR_NOT_AVAILABLE);
        Answer<?> leave = lab.leaving(ids.get(0), null);
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, leave.failure().code());
        assertEquals(Errors.NONE, lab.heartbeat(ids.get(0), 1));
        assertEquals("p0", ClassicLab.given(lab.sync(ids.get(0), 1)));
        lab.bench.advance(ClassicLab.SESSION);
        assertEquals("Empty", lab.state());
    }

    @Test
    void aLoadedGroupThatIsTooLargeShrinks() {
        ClassicLab small = new ClassicLab("group.max.size=2");
        List<String> ids = lab.stable(3);
        small.bench.take(lab.bench);
        assertEquals("PreparingRebalance", small.state());
        small.join(ClassicLab.joining(ids.get(2)));
        Answer<JoinGroupResponseData> second = small.join(ClassicLab.joining(ids.get(1)));
        assertEquals(Errors.GROUP_MAX_SIZE_REACHED, small.joinError(ClassicLab.joining(ids.get(0))));
        assertEquals(2, second.value().generationId());
        assertTrue(second.value().leader().equals(ids.get(1))
                || second.value().leader().equals(ids.get(2)));
    }

    @Test
    void deletedIsGone() {
        lab.stable(1);
        lab.leave(lab.stored().leader());
        lab.bench.write(shard -> {
            List<GroupRecord> tombstones = new ArrayList<>();
            lab.group().tombstones(tombstones);
            return Result.of(tombstones, null);
        });
        assertTrue(lab.group() instanceof SimpleGroup);
        lab.bench.reload();
        assertTrue(lab.group() instanceof SimpleGroup);
    }
}
