package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import coordinator.InstantRuntime.Answer;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Groups whose records of one change are more than a batch takes: they go on, or whoever makes them too large is told so, and the others go on. */
class LargeGroupsTest {
    private static final int PARTITIONS = 24;

    private final TopicImages images = new TopicImages().topic("t", PARTITIONS);
    private final ShardBench bench = new ShardBench(
            ShardBench.config(
                    "group.consumer.assignment.interval.ms=0",
                    "group.initial.rebalance.delay.ms=0",
                    "group.consumer.migration.policy=bidirectional"),
            images.image(),
            1);
    private final OwnershipJudge judge = new OwnershipJudge();
    private final List<FakeConsumer> consumers = new ArrayList<>();
    private final List<FakeClassicConsumer> classic = new ArrayList<>();

    private FakeConsumer consumer(int number) {
        FakeConsumer consumer = new FakeConsumer(bench, "g", "m%02d".formatted(number))
                .topics("t")
                .assignor("range");
        consumers.add(consumer);
        return consumer;
    }

    private void settle() {
        for (int i = 0; i < 12; i++) {
            consumers.forEach(FakeConsumer::beat);
            classic.forEach(FakeClassicConsumer::step);
            judge.read(bench.log());
            bench.advance(500);
        }
        int sum = 0;
        PartitionSet.Builder all = new PartitionSet.Builder();
        for (FakeConsumer each : consumers) {
            each.owned().forEach(all::add);
            sum += each.owned().size();
        }
        for (FakeClassicConsumer each : classic) {
            each.owned().forEach(all::add);
            sum += each.owned().size();
        }
        assertEquals(PARTITIONS, sum, "each once");
        assertEquals(PARTITIONS, all.build().size(), "all");
        assertEquals("Stable", group().state());
    }

    private Group group() {
        return bench.read(shard -> shard.groups().get("g")).value();
    }

    @Test
    void anAssignmentOfManyMembersIsWrittenInSeveralBatches() {
        bench.maxBatchBytes(700);
        for (int i = 0; i < 20; i++) {
            // Sorted before the others, so that the ranges of all move.
            consumer(50 - i);
            settle();
        }
        assertEquals(20, ((ConsumerGroup) group()).members().size());
    }

    /** Wherever a crash ends the log, the group goes on, and no partition has two owners (rules G5, G6, L5). */
    @Test
    void theLogMayEndInTheMiddleOfAnAssignment_G5() {
        int cuts = 0;
        for (int kept = 0; cuts >= 0; kept++) {
            for (int i = 0; i < 6; i++) {
                consumer(50 - i);
            }
            settle();
            bench.holdCommits();
            FakeConsumer late = consumer(10);
            late.start(late.request());
            int first = bench.lastTogether();
            int all = bench.uncommitted();
            assertTrue(first < all && all > 8, "targets of all members: " + all + " records, together " + first);
            if (first + kept > all) {
                cuts = -1;
                bench.commit();
            } else {
                bench.failAppend(first + kept);
                cuts++;
            }
            settle();
            bench.reload();
            settle();
            consumers.forEach(each -> each.leave(-1));
            consumers.clear();
        }
    }

    @Test
    void theLogMayEndInTheMiddleOfALeaveOfMany_L5() {
        for (int kept = 1; kept < 20; kept += 3) {
            for (int i = 0; i < 9; i++) {
                consumer(i).instance("i" + i);
            }
            settle();
            bench.holdCommits();
            leave(0, 7);
            assertEquals(1, bench.lastTogether());
            bench.failAppend(kept);
            // They are gone: operators remove members whose processes have ended.
            consumers.subList(0, 7).clear();
            bench.advance(30_000);
            consumers.forEach(FakeConsumer::beat);
            bench.advance(30_000);
            settle();
            consumers.forEach(each -> each.leave(-1));
            consumers.clear();
        }
    }

    private Answer<LeaveGroupResponseData> leave(int from, int to) {
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId("g");
        for (int i = from; i < to; i++) {
            request.members().add(new MemberIdentity().setMemberId("").setGroupInstanceId("i" + i));
        }
        return bench.write(shard -> shard.classic().leave(request));
    }

    @Test
    void manyMembersLeaveAtOnce() {
        for (int i = 0; i < 20; i++) {
            consumer(i).instance("i" + i);
        }
        settle();
        bench.maxBatchBytes(700);
        LeaveGroupResponseData left = leave(0, 20).value();
        left.members().forEach(each -> assertEquals(Errors.NONE.code(), each.errorCode()));
        assertEquals("Empty", group().state());
    }

    @Test
    void aGroupThatIsTooLargeForAnotherProtocolStaysWhatItIs() {
        for (int i = 0; i < 10; i++) {
            classic.add(new FakeClassicConsumer(bench, "g", "t"));
        }
        settle();
        bench.maxBatchBytes(2_000);
        FakeConsumer modern = new FakeConsumer(bench, "g", "a").topics("t");
        assertEquals(Errors.GROUP_ID_NOT_FOUND, modern.error());
        settle();
        assertInstanceOf(ClassicGroup.class, group());

        bench.maxBatchBytes(1 << 20);
        consumers.add(modern);
        settle();
        settle();
        assertInstanceOf(ConsumerGroup.class, group());
        bench.maxBatchBytes(2_000);
        consumers.remove(modern);
        assertEquals(Errors.NONE.code(), modern.leave(-1).errorCode());
        settle();
        settle();
        assertEquals(10, assertInstanceOf(ConsumerGroup.class, group()).classicMembers());
    }

    @Test
    void aMemberThatMakesAClassicGroupTooLargeIsTurnedAway() {
        ClassicLab lab = new ClassicLab();
        lab.bench.maxBatchBytes(5_000);
        List<String> ids = lab.stable(2);
        assertEquals(Errors.GROUP_MAX_SIZE_REACHED, lab.joinError(large(lab.newId(), 3_000)));
        assertEquals("Stable", lab.state(), "the others are not disturbed");
        assertEquals(Errors.NONE, lab.heartbeat(ids.get(1), 1));

        Answer<JoinGroupResponseData> fits = lab.join(large(lab.newId(), 1_000));
        lab.join(ClassicLab.joining(ids.get(0)));
        lab.join(ClassicLab.joining(ids.get(1)));
        assertEquals(2, fits.value().generationId());
        assertEquals(Errors.GROUP_MAX_SIZE_REACHED, lab.joinError(large(ids.get(1), 3_000)), "a known member too");
        assertEquals(Errors.UNKNOWN_MEMBER_ID, lab.heartbeat(ids.get(1), 2));
    }

    private static JoinGroupRequestData large(String memberId, int bytes) {
        JoinGroupRequestData request = ClassicLab.joining(memberId);
        request.protocols().find("range").setMetadata(new byte[bytes]);
        return request;
    }

    /** None of them could ever sync: the leader alone can mend it, by leaving. */
    @Test
    void aLeaderWhoseAssignmentIsTooLargeIsDismissed() {
        ClassicLab lab = new ClassicLab();
        lab.bench.maxBatchBytes(5_000);
        List<String> ids = new ArrayList<>();
        List<Answer<JoinGroupResponseData>> joins = List.of(lab.joinNew(), lab.joinNew(), lab.joinNew());
        lab.bench.advance(2 * ClassicLab.INITIAL_DELAY);
        joins.forEach(each -> ids.add(each.value().memberId()));
        Answer<SyncGroupResponseData> second = lab.sync(ids.get(1), 1);
        Answer<SyncGroupResponseData> leader =
                lab.sync(ids.get(0), 1, ids.get(0), "x".repeat(3_000), ids.get(1), "y".repeat(3_000));
        assertEquals(Errors.UNKNOWN_SERVER_ERROR, ClassicLab.syncError(leader));
        assertEquals(Errors.REBALANCE_IN_PROGRESS, ClassicLab.syncError(second));
        Answer<JoinGroupResponseData> again = lab.join(ClassicLab.joining(ids.get(1)));
        lab.join(ClassicLab.joining(ids.get(2)));
        assertEquals(2, again.value().generationId());
        assertEquals(List.of(ids.get(1), ids.get(2)), ClassicLab.memberIds(again.value()));
        lab.syncAll(ids.subList(1, 3), 2);
    }

    @Test
    void aLeaderThatIsAloneWithATooLargeAssignmentLeavesTheGroupEmpty() {
        ClassicLab lab = new ClassicLab();
        lab.bench.maxBatchBytes(5_000);
        Answer<JoinGroupResponseData> join = lab.joinNew();
        lab.bench.advance(2 * ClassicLab.INITIAL_DELAY);
        String id = join.value().memberId();
        assertEquals(Errors.UNKNOWN_SERVER_ERROR, ClassicLab.syncError(lab.sync(id, 1, id, "x".repeat(6_000))));
        assertEquals("Empty", lab.state());
        lab.stable(1);
    }
}
