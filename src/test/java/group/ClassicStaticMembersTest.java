package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import coordinator.InstantRuntime.Answer;
import java.util.List;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Members with a group.instance.id (KIP-345, KIP-814). */
class ClassicStaticMembersTest {
    private final ClassicLab lab = new ClassicLab();

    private static JoinGroupRequestData joining(String memberId, String instance, String... protocols) {
        return ClassicLab.joining(memberId, protocols).setGroupInstanceId(instance);
    }

    /** A stable group of the static members "one" and "two"; the first leads. */
    private List<String> stable() {
        Answer<JoinGroupResponseData> one = lab.join(joining("", "one", "range", "sticky"));
        Answer<JoinGroupResponseData> two = lab.join(joining("", "two", "range", "sticky"));
        lab.bench.advance(2 * ClassicLab.INITIAL_DELAY);
        List<String> ids = List.of(one.value().memberId(), two.value().memberId());
        lab.syncAll(ids, 1);
        return ids;
    }

    @Test
    void areNotAskedToComeAgainWithAnId() {
        List<String> ids = stable();
        assertTrue(ids.get(0).startsWith("one-"), ids.get(0));
        assertEquals("one", lab.stored().members().get(0).groupInstanceId());
    }

    @Test
    void aRestartedMemberMovesNothing() {
        List<String> ids = stable();
        JoinGroupResponseData back =
                lab.join(joining("", "two", "range", "sticky")).value();
        assertEquals(Errors.NONE.code(), back.errorCode());
        assertEquals(1, back.generationId());
        assertNotEquals(ids.get(1), back.memberId());
        assertFalse(back.skipAssignment());
        assertEquals("Stable", lab.state());
        assertEquals("p1", ClassicLab.given(lab.sync(back.memberId(), 1)));
        assertEquals("p1", lab.storedAssignments().get(back.memberId()));
        assertEquals(Errors.FENCED_INSTANCE_ID, lab.heartbeat(ids.get(1), "two", 1));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.heartbeat(ids.get(1), 1));
        assertEquals(Errors.NONE, lab.heartbeat(back.memberId(), "two", 1));
        lab.bench.reload();
        assertEquals("p1", ClassicLab.given(lab.sync(back.memberId(), 1)));
    }

    @Test
    void aRestartedLeaderIsToldToLeaveTheAssignment() {
        stable();
        JoinGroupResponseData back =
                lab.join(joining("", "one", "range", "sticky")).value();
        assertTrue(back.skipAssignment());
        assertEquals(back.memberId(), back.leader());
        assertEquals(2, back.members().size());
        assertEquals("p0", ClassicLab.given(lab.sync(back.memberId(), 1)));
    }

    @Test
    void anOldClientsRestartedLeaderIsToldThatAnotherLeads() {
        List<String> ids = stable();
        JoinGroupResponseData back =
                lab.join(joining("", "one", "range", "sticky"), 8).value();
        assertFalse(back.skipAssignment());
        assertEquals(ids.get(0), back.leader());
        assertEquals(0, back.members().size());
    }

    @Test
    void isAnsweredWhenTheReplacementIsCommitted() {
        stable();
        lab.bench.holdCommits();
        Answer<JoinGroupResponseData> back = lab.join(joining("", "two", "range", "sticky"));
        assertFalse(back.isDone());
        lab.bench.commit();
        assertTrue(back.isDone());
    }

    @Test
    void anotherChoiceOfProtocolRebalances() {
        List<String> ids = stable();
        Answer<JoinGroupResponseData> back = lab.join(joining("", "two", "sticky"));
        assertFalse(back.isDone());
        assertEquals("PreparingRebalance", lab.state());
        lab.join(joining(ids.get(0), "one", "range", "sticky"));
        assertEquals("sticky", back.value().protocolName());
        assertEquals(2, back.value().generationId());
    }

    @Test
    void aRestartWhileOthersSyncRebalances() {
        Answer<JoinGroupResponseData> one = lab.join(joining("", "one"));
        lab.join(joining("", "two"));
        lab.bench.advance(2 * ClassicLab.INITIAL_DELAY);
        Answer<SyncGroupResponseData> waits =
                lab.sync(new SyncGroupRequestData().setMemberId(memberOf("two")).setGenerationId(1));
        Answer<JoinGroupResponseData> back = lab.join(joining("", "two"));
        assertEquals(Errors.FENCED_INSTANCE_ID, ClassicLab.syncError(waits));
        assertEquals("PreparingRebalance", lab.state());
        lab.join(joining(one.value().memberId(), "one"));
        assertEquals(2, back.value().generationId());
    }

    private String memberOf(String instance) {
        return ((ClassicGroup) lab.group()).roster().memberOf(instance);
    }

    @Test
    void twoOfOneNameFenceEachOther() {
        stable();
        lab.joinNew();
        Answer<JoinGroupResponseData> first = lab.join(joining("", "two", "range", "sticky"));
        Answer<JoinGroupResponseData> second = lab.join(joining("", "two", "range", "sticky"));
        assertEquals(Errors.FENCED_INSTANCE_ID.code(), first.value().errorCode());
        assertNull(first.value().protocolName());
        assertFalse(second.isDone());
    }

    @Test
    void anotherMemberIdIsFencedEverywhere() {
        List<String> ids = stable();
        assertEquals(Errors.FENCED_INSTANCE_ID, lab.joinError(joining("made-up", "two")));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.joinError(joining("made-up", "three")));
        assertEquals(Errors.FENCED_INSTANCE_ID, lab.heartbeat(ids.get(0), "two", 1));
        assertEquals(
                Errors.FENCED_INSTANCE_ID,
                ClassicLab.syncError(lab.sync(new SyncGroupRequestData()
                        .setMemberId(ids.get(0))
                        .setGroupInstanceId("two")
                        .setGenerationId(1))));
        assertEquals(
                Errors.FENCED_INSTANCE_ID,
                lab.group()
                        .checkCommit(new CommitClaim(ids.get(0), "two", 1, false, (short) 9))
                        .error());
        assertEquals(
                Errors.FENCED_INSTANCE_ID.code(),
                lab.leave(ids.get(0), "two").members().get(0).errorCode());
    }

    @Test
    void keepTheirPlaceUntilTheirSessionEnds() {
        List<String> ids = stable();
        JoinGroupRequestData dynamic = ClassicLab.joining(lab.newId(), "range").setSessionTimeoutMs(60_000);
        Answer<JoinGroupResponseData> third = lab.join(dynamic);
        for (int i = 0; i < 6; i++) {
            lab.heartbeat(ids.get(0), 1);
            lab.heartbeat(ids.get(1), 1);
            lab.bench.advance(ClassicLab.REBALANCE / 6);
        }
        assertEquals(3, third.value().members().size(), "nobody has joined again, but they live");
        assertEquals(third.value().memberId(), third.value().leader());
        lab.bench.advance(ClassicLab.SESSION);
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.heartbeat(ids.get(0), 2));
    }

    @Test
    void aGroupOfStaticMembersWaitsForThem() {
        List<String> ids = stable();
        lab.leave("", "one");
        for (int i = 0; i < 12; i++) {
            assertEquals(Errors.REBALANCE_IN_PROGRESS, lab.heartbeat(ids.get(1), "two", 1));
            lab.bench.advance(ClassicLab.REBALANCE / 6);
        }
        assertEquals(2, lab.join(joining(ids.get(1), "two")).value().generationId());
    }

    @Test
    void anOperatorRemovesThemByName() {
        List<String> ids = stable();
        var answer = lab.leave("", "one", "", "nobody", "", null, ids.get(1), "two");
        List<Errors> errors = answer.members().stream()
                .map(each -> Errors.forCode(each.errorCode()))
                .toList();
        assertEquals(List.of(Errors.NONE, Errors.UNKNOWN_MEMBER_ID, Errors.UNKNOWN_MEMBER_ID, Errors.NONE), errors);
        assertEquals("one", answer.members().get(0).groupInstanceId());
        assertEquals("Empty", lab.state());
    }
}
