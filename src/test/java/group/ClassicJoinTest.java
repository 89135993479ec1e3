package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import coordinator.InstantRuntime.Answer;
import coordinator.Result;
import java.util.List;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import records.schemas.ConsumerGroupRecord;

/** Who joins, who waits for whom, and who leads (rule G3). */
class ClassicJoinTest {
    private final ClassicLab lab = new ClassicLab();

    @Test
    void anIdIsHandedOutFirst() {
        JoinGroupResponseData first = lab.join(ClassicLab.joining("")).value();
        assertEquals(Errors.MEMBER_ID_REQUIRED.code(), first.errorCode());
        assertTrue(
                first.memberId().matches("client-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
        assertNotEquals(first.memberId(), lab.newId());
        Answer<JoinGroupResponseData> join = lab.join(ClassicLab.joining(first.memberId()));
        assertFalse(join.isDone(), "an empty group waits for more members");
        lab.bench.advance(ClassicLab.SESSION);
        assertEquals(1, join.value().generationId());
        assertEquals(first.memberId(), join.value().leader());
        assertEquals("range", join.value().protocolName());
        assertEquals("consumer", join.value().protocolType());
        assertEquals(List.of(first.memberId()), ClassicLab.memberIds(join.value()));
        assertEquals("CompletingRebalance", lab.state());
    }

    @Test
    void oldClientsJoinAtOnce() {
        Answer<JoinGroupResponseData> join = lab.join(ClassicLab.joining(""), 3);
        lab.bench.advance(ClassicLab.INITIAL_DELAY);
        assertEquals(Errors.NONE.code(), join.value().errorCode());
        assertEquals(1, join.value().generationId());
    }

    @Test
    void whoAskedForAnIdAndVanishedHoldsUpUntilItsSessionEnds() {
        List<String> ids = lab.stable(1);
        lab.newId();
        Answer<JoinGroupResponseData> join = lab.join(ClassicLab.joining(ids.get(0)));
        assertFalse(join.isDone(), "the other one may still come");
        lab.bench.advance(ClassicLab.SESSION);
        assertEquals(2, join.value().generationId());
        assertEquals(List.of(ids.get(0)), ClassicLab.memberIds(join.value()));
    }

    @Test
    void aPendingIdIsUnknownAfterItsSession() {
        String id = lab.newId();
        lab.bench.advance(ClassicLab.SESSION);
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.joinError(ClassicLab.joining(id)));
    }

    @Test
    void pendingIdsAreBounded() {
        String first = lab.newId();
        for (int i = 0; i < PendingMembers.MAX; i++) {
            lab.newId();
        }
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.joinError(ClassicLab.joining(first)));
    }

    @Test
    void strangersAreRefused() {
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.joinError(ClassicLab.joining("made-up")));
        lab.stable(1);
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.joinError(ClassicLab.joining("made-up")));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.heartbeat("made-up", 1));
    }

    @Test
    void protocolsMustAgree() {
        assertEquals(
                Errors.INCONSISTENT_GROUP_PROTOCOL,
                lab.joinError(ClassicLab.joining("").setProtocolType("")));
        lab.stable(1);
        assertEquals(Errors.INCONSISTENT_GROUP_PROTOCOL, lab.joinError(ClassicLab.joining("", "sticky")));
        assertEquals(
                Errors.INCONSISTENT_GROUP_PROTOCOL,
                lab.joinError(ClassicLab.joining("").setProtocolType("connect")));
        assertEquals(Errors.MEMBER_ID_REQUIRED, lab.joinError(ClassicLab.joining("", "sticky", "range")));
        assertEquals("Stable", lab.state());
    }

    @Test
    void aRefusedFirstMemberLeavesNoGroupBehind() {
        lab.joinError(ClassicLab.joining("").setProtocolType(""));
        assertTrue(lab.group() instanceof SimpleGroup);
    }

    @Test
    void theProtocolWithMostVotesIsChosen() {
        lab.join(ClassicLab.joining(lab.newId(), "range", "sticky", "roundrobin"));
        lab.join(ClassicLab.joining(lab.newId(), "roundrobin", "sticky", "range"));
        Answer<JoinGroupResponseData> third = lab.join(ClassicLab.joining(lab.newId(), "only", "roundrobin", "sticky"));
        lab.bench.advance(2 * ClassicLab.INITIAL_DELAY);
        // range is not offered by the third, so the first votes for sticky.
        assertEquals("roundrobin", third.value().protocolName());
    }

    @Test
    void theFirstRebalanceWaitsLongerWhileMembersCome() {
        Answer<JoinGroupResponseData> first = lab.joinNew();
        lab.bench.advance(ClassicLab.INITIAL_DELAY - 1);
        Answer<JoinGroupResponseData> second = lab.joinNew();
        lab.bench.advance(ClassicLab.INITIAL_DELAY);
        assertFalse(first.isDone());
        lab.bench.advance(1);
        assertEquals(2, first.value().members().size());
        assertEquals(0, second.value().members().size());
        assertEquals(first.value().memberId(), second.value().leader());
    }

    @Test
    void theFirstRebalanceEndsWithTheRebalanceTimeout() {
        Answer<JoinGroupResponseData> first = lab.joinNew();
        for (int waited = 1_000; waited < ClassicLab.REBALANCE; waited += 1_000) {
            lab.bench.advance(1_000);
            assertFalse(first.isDone(), "after " + waited);
            lab.joinNew();
        }
        lab.bench.advance(1_000);
        assertEquals(30, first.value().members().size());
    }

    @Test
    void aNewMemberMakesAllJoinAgain() {
        List<String> ids = lab.stable(2);
        Answer<JoinGroupResponseData> third = lab.joinNew();
        assertEquals("PreparingRebalance", lab.state());
        assertEquals(Errors.REBALANCE_IN_PROGRESS, lab.heartbeat(ids.get(0), 1));
        assertEquals(Errors.REBALANCE_IN_PROGRESS, ClassicLab.syncError(lab.sync(ids.get(0), 1)));
        Answer<JoinGroupResponseData> second = lab.join(ClassicLab.joining(ids.get(1)));
        Answer<JoinGroupResponseData> first = lab.join(ClassicLab.joining(ids.get(0)));
        assertEquals(3, first.value().members().size());
        assertEquals(
                List.of(2, 2, 2),
                List.of(
                        first.value().generationId(),
                        second.value().generationId(),
                        third.value().generationId()));
        assertEquals(ids.get(0), third.value().leader(), "the leader stays");
        assertEquals(Errors.ILLEGAL_GENERATION, lab.heartbeat(ids.get(0), 1));
        assertEquals(Errors.NONE, lab.heartbeat(ids.get(0), 2));
    }

    @Test
    void whoDoesNotJoinInTimeIsLeftBehind() {
        List<String> ids = lab.stable(3);
        Answer<JoinGroupResponseData> again = lab.join(ClassicLab.joining(ids.get(0)));
        // The second says that it lives, but does not join; the third is gone.
        for (int i = 0; i < ClassicLab.REBALANCE / 5_000; i++) {
            assertFalse(again.isDone());
            assertEquals(Errors.REBALANCE_IN_PROGRESS, lab.heartbeat(ids.get(1), 1));
            lab.bench.advance(5_000);
        }
        assertEquals(List.of(ids.get(0)), ClassicLab.memberIds(again.value()));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.heartbeat(ids.get(1), 1));
    }

    @Test
    void aLeaderThatDoesNotJoinIsReplaced() {
        List<String> ids = lab.stable(3);
        lab.joinNew();
        Answer<JoinGroupResponseData> third = lab.join(ClassicLab.joining(ids.get(2)));
        lab.join(ClassicLab.joining(ids.get(1)));
        lab.heartbeat(ids.get(0), 1);
        lab.bench.advance(ClassicLab.REBALANCE);
        assertEquals(ids.get(1), third.value().leader());
    }

    @Test
    void onlyTheLeaderOrNewMetadataRebalances() {
        List<String> ids = lab.stable(2);
        Answer<JoinGroupResponseData> follower = lab.join(ClassicLab.joining(ids.get(1)));
        assertEquals(1, follower.value().generationId(), "nothing new: the answer was lost");
        assertEquals(0, follower.value().members().size());
        assertEquals("Stable", lab.state());
        Answer<JoinGroupResponseData> other = lab.join(changed(ids.get(1)));
        assertFalse(other.isDone());
        assertEquals("PreparingRebalance", lab.state());
        lab.join(ClassicLab.joining(ids.get(0)));
        assertEquals(2, other.value().generationId());
        lab.syncAll(ids, 2);
        lab.join(ClassicLab.joining(ids.get(0)));
        assertEquals("PreparingRebalance", lab.state(), "the leader may want to assign anew");
    }

    private static JoinGroupRequestData changed(String id) {
        JoinGroupRequestData request = ClassicLab.joining(id);
        request.protocols().clear();
        request.protocols()
                .add(new JoinGroupRequestProtocol().setName("range").setMetadata(ClassicLab.bytes("something else")));
        return request;
    }

    @Test
    void aJoinOnceMoreWhileOthersSyncIsAnsweredAtOnce() {
        Answer<JoinGroupResponseData> first = lab.joinNew();
        Answer<JoinGroupResponseData> second = lab.joinNew();
        lab.bench.advance(2 * ClassicLab.INITIAL_DELAY);
        String leader = first.value().memberId();
        JoinGroupResponseData again = lab.join(ClassicLab.joining(leader)).value();
        assertEquals(1, again.generationId());
        assertEquals(2, again.members().size());
        lab.join(changed(second.value().memberId()));
        assertEquals("PreparingRebalance", lab.state());
        assertEquals(Errors.REBALANCE_IN_PROGRESS, ClassicLab.syncError(lab.sync(leader, 1)));
    }

    @Test
    void whatNoRecordCouldHoldIsRefusedAtOnce() {
        ClassicLab group = new ClassicLab();
        List<String> ids = group.stable(2);
        JoinGroupRequestData large = ClassicLab.joining(ids.get(1));
        large.protocols().iterator().next().setMetadata(new byte[1_000_000]);
        assertEquals(Errors.INVALID_REQUEST, group.joinError(large));
        assertEquals("Stable", group.state());
    }

    @Test
    void theGroupHasAMaximalSize() {
        ClassicLab small = new ClassicLab("group.max.size=2");
        List<String> ids = small.stable(2);
        assertEquals(Errors.GROUP_MAX_SIZE_REACHED, small.joinError(ClassicLab.joining("")));
        // While members join again, the first come are those that stay.
        small.join(ClassicLab.joining(ids.get(0)));
        Answer<JoinGroupResponseData> third = small.joinNew();
        assertEquals(Errors.GROUP_MAX_SIZE_REACHED, small.joinError(ClassicLab.joining(ids.get(1))));
        assertEquals(2, third.value().generationId());
    }

    @Test
    void aSessionEndsWithoutHeartbeat() {
        List<String> ids = lab.stable(2);
        lab.bench.advance(ClassicLab.SESSION - 1);
        assertEquals(Errors.NONE, lab.heartbeat(ids.get(0), 1));
        lab.bench.advance(1);
        assertEquals(Errors.REBALANCE_IN_PROGRESS, lab.heartbeat(ids.get(0), 1));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.heartbeat(ids.get(1), 1));
        Answer<JoinGroupResponseData> again = lab.join(ClassicLab.joining(ids.get(0)));
        assertEquals(2, again.value().generationId());
    }

    @Test
    void aParkedJoinKeepsItsMemberButNotForeverANewOne() {
        List<String> ids = lab.stable(1);
        Answer<JoinGroupResponseData> fresh =
                lab.join(ClassicLab.joining(lab.newId()).setRebalanceTimeoutMs(900_000));
        for (int waited = 0; waited < JoinRequests.FRESH_MEMBER_MILLIS; waited += 5_000) {
            assertFalse(fresh.isDone(), "its rebalance timeout is longer; after " + waited);
            assertEquals(Errors.REBALANCE_IN_PROGRESS, lab.heartbeat(ids.get(0), 1));
            lab.bench.advance(5_000);
        }
        assertEquals(Errors.UNKNOWN_MEMBER_ID.code(), fresh.value().errorCode());
        Answer<JoinGroupResponseData> again = lab.join(ClassicLab.joining(ids.get(0)));
        assertEquals(2, again.value().generationId());
    }

    @Test
    void aCommitIsASignOfLife() {
        List<String> ids = lab.stable(1);
        CommitClaim claim = new CommitClaim(ids.get(0), null, 1, false, (short) 8);
        lab.bench.advance(ClassicLab.SESSION - 1);
        assertEquals(Errors.NONE, lab.group().checkCommit(claim).error());
        lab.group().committed(claim);
        lab.bench.advance(ClassicLab.SESSION - 1);
        assertEquals(Errors.NONE, lab.heartbeat(ids.get(0), 1));
    }

    @Test
    void membersLeave() {
        List<String> ids = lab.stable(2);
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.leave("made-up"));
        assertEquals(Errors.NONE, lab.leave(ids.get(1)));
        assertEquals("PreparingRebalance", lab.state());
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.leave(ids.get(1)));
        assertEquals(Errors.NONE, lab.leave(ids.get(0)));
        assertEquals("Empty", lab.state());
        assertEquals(2, lab.stored().generation());
        assertEquals(List.of(), lab.stored().members());
        assertEquals("consumer", lab.stored().protocolType());
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.heartbeat(ids.get(0), 2));
    }

    @Test
    void aPendingMemberThatLeavesDisturbsNobody() {
        List<String> ids = lab.stable(1);
        String pending = lab.newId();
        assertEquals(Errors.NONE, lab.leave(pending));
        assertEquals("Stable", lab.state());
        assertEquals(Errors.NONE, lab.heartbeat(ids.get(0), 1));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.joinError(ClassicLab.joining(pending)));
    }

    @Test
    void anEmptyGroupOfTheOtherProtocolBecomesAClassicOne() {
        lab.bench.write(shard -> Result.of(
                List.of(new ConsumerGroupRecord.Metadata(
                        ClassicLab.GROUP, new ConsumerGroupRecord.MetadataValue(3, 0))),
                null));
        assertEquals(GroupType.CONSUMER, lab.group().type());
        assertEquals(1, lab.bench.counts().consumerGroups());
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.joinError(ClassicLab.joining("made-up")));
        assertEquals(
                Errors.INCONSISTENT_GROUP_PROTOCOL,
                lab.joinError(ClassicLab.joining("").setProtocolType("")));
        assertEquals(GroupType.CONSUMER, lab.group().type());
        lab.stable(1);
        assertEquals(0, lab.bench.counts().consumerGroups());
        assertEquals(1, lab.bench.counts().in(ClassicState.STABLE));
        lab.bench.reload();
        assertEquals("Stable", lab.state());
        assertEquals(0, lab.bench.counts().consumerGroups());
        assertEquals(1, lab.bench.counts().in(ClassicState.STABLE));
    }
}
