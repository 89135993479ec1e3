package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import coordinator.InstantRuntime.Answer;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Groups whose members change from one protocol to the other, one by one. */
class OnlineMigrationTest {
    private final TopicImages images = new TopicImages().topic("t", 6);
    private ShardBench bench = bench("bidirectional");
    private final OwnershipJudge judge = new OwnershipJudge();
    private final List<FakeClassicConsumer> classic = new ArrayList<>();
    private final List<FakeConsumer> modern = new ArrayList<>();

    private ShardBench bench(String policy) {
        return new ShardBench(
                ShardBench.config(
                        "group.consumer.migration.policy=" + policy,
                        "group.consumer.assignment.interval.ms=0",
                        "group.initial.rebalance.delay.ms=0"),
                images.image(),
                1);
    }

    private FakeClassicConsumer classic() {
        FakeClassicConsumer consumer = new FakeClassicConsumer(bench, "g", "t");
        classic.add(consumer);
        return consumer;
    }

    private FakeConsumer modern(String id) {
        FakeConsumer consumer = new FakeConsumer(bench, "g", id).topics("t");
        modern.add(consumer);
        return consumer;
    }

    private void settle() {
        for (int i = 0; i < 40; i++) {
            classic.forEach(FakeClassicConsumer::step);
            modern.forEach(FakeConsumer::beat);
            judge.read(bench.log());
            bench.advance(500);
        }
        PartitionSet.Builder all = new PartitionSet.Builder();
        int sum = 0;
        for (FakeClassicConsumer each : classic) {
            each.owned().forEach(all::add);
            sum += each.owned().size();
        }
        for (FakeConsumer each : modern) {
            each.owned().forEach(all::add);
            sum += each.owned().size();
        }
        assertEquals(6, sum, "each once");
        assertEquals(6, all.build().size(), "all");
        assertEquals("Stable", group().state());
    }

    private Group group() {
        return bench.read(shard -> shard.groups().get("g")).value();
    }

    @Test
    void membersChangeOneByOneAndBack() {
        classic();
        classic();
        settle();
        assertInstanceOf(ClassicGroup.class, group());
        int generation = classic.get(0).generation();

        modern("a");
        settle();
        ConsumerGroup group = assertInstanceOf(ConsumerGroup.class, group());
        assertTrue(group.epoch() > generation);
        assertEquals(2, group.classicMembers());
        for (FakeClassicConsumer each : classic) {
            assertEquals(2, each.owned().size());
        }
        classic.remove(0).leave();
        modern("b");
        settle();
        classic.remove(0).leave();
        modern("c");
        settle();
        assertEquals(0, ((ConsumerGroup) group()).classicMembers());

        classic();
        modern.remove(0).leave(-1);
        settle();
        assertInstanceOf(ConsumerGroup.class, group());
        modern.remove(0).leave(-1);
        modern.remove(0).leave(-1);
        settle();
        assertInstanceOf(ClassicGroup.class, group());
        assertEquals(6, classic.get(0).owned().size());
    }

    @Test
    void aLoadFindsMembersOfBothProtocols() {
        classic();
        settle();
        modern("a");
        settle();
        bench.reload();
        settle();
        assertEquals(1, ((ConsumerGroup) group()).classicMembers());
        bench.advance(10_001);
        assertEquals(0, ((ConsumerGroup) group()).classicMembers(), "its own session timeout");
    }

    @Test
    void aStaticMemberChangesInPlace() {
        FakeClassicConsumer one = classic().instance("i");
        classic().instance("j");
        settle();
        PartitionSet had = one.owned();
        classic.remove(one);
        FakeConsumer again = modern("a").instance("i");
        settle();
        assertEquals(had, again.owned());
        assertInstanceOf(ConsumerGroup.class, group());
        modern.remove(again);
        again.leave(-2);
        classic().instance("i");
        settle();
        assertInstanceOf(ClassicGroup.class, group());
    }

    @Test
    void whoIsLeftByTheSessionDowngradesToo() {
        classic();
        settle();
        modern("a");
        settle();
        modern.clear();
        for (int i = 0; i < 100; i++) {
            classic.forEach(FakeClassicConsumer::step);
            bench.advance(500);
        }
        settle();
        assertInstanceOf(ClassicGroup.class, group());
    }

    @Test
    void thePolicyDecides() {
        bench = bench("disabled");
        classic();
        settle();
        assertEquals(Errors.GROUP_ID_NOT_FOUND, modern("a").error());
        modern.clear();
        settle();
        assertInstanceOf(ClassicGroup.class, group());

        bench = bench("disabled");
        classic.clear();
        modern("a");
        settle();
        classic();
        classic.get(0).step();
        assertEquals(1, ((ConsumerGroup) group()).members().size());
        classic.clear();

        bench = bench("upgrade");
        modern.clear();
        classic();
        settle();
        modern("a");
        settle();
        modern.remove(0).leave(-1);
        settle();
        assertInstanceOf(ConsumerGroup.class, group(), "no way back");
        bench.image(images.grow("t", 7).image());
        for (int i = 0; i < 10; i++) {
            classic.get(0).step();
        }
        assertEquals(7, classic.get(0).owned().size());
    }

    @Test
    void whoWaitsInAClassicGroupIsAskedToJoinAgain() {
        classic();
        settle();
        classic();
        classic.get(1).step();
        modern("a");
        settle();
        assertEquals(3, ((ConsumerGroup) group()).members().size());
    }

    /** The classic group is gone from the shard, and with it who would answer, before it is known that nothing came of it. */
    @Test
    void whoWaitsIsAnsweredWhenTheUpgradeIsNotCommitted_G2() {
        classic();
        settle();
        FakeClassicConsumer late = new FakeClassicConsumer(bench, "g", "t");
        late.step();
        late.step();
        bench.holdCommits();
        FakeConsumer upgrading = new FakeConsumer(bench, "g", "a").topics("t");
        upgrading.start(upgrading.request());
        assertInstanceOf(ConsumerGroup.class, bench.shard().groups().get("g"));
        bench.failAppend();
        assertInstanceOf(ClassicGroup.class, group());
        settle();
    }

    /** The upgrade is behind the assignment in the log, and was made from a group that had none yet. */
    @Test
    void anAssignmentThatAnUpgradeOvertookIsNotHandedOut_G5() {
        FakeClassicConsumer leader = classic();
        leader.step();
        leader.step();
        bench.advance(1);
        bench.holdCommits();
        leader.step();
        FakeConsumer upgrading = modern("a");
        var answer = upgrading.start(upgrading.request());
        assertInstanceOf(ConsumerGroup.class, bench.shard().groups().get("g"));
        bench.commit();
        upgrading.take(answer.value());
        leader.step();
        PartitionSet both = leader.owned().where(upgrading.owned()::contains);
        assertEquals(PartitionSet.EMPTY, both);
        settle();
    }

    /** The old member has not yet given up what it was asked to, and nobody else was told that it still has it. */
    @Test
    void aGroupThatComesBackAtOnceKnowsWhatItsMembersHave_G5() {
        FakeClassicConsumer old = classic();
        settle();
        modern("a").beat();
        modern.remove(0).leave(ConsumerMember.LEFT);
        assertInstanceOf(ClassicGroup.class, group());
        FakeConsumer next = modern("b");
        next.beat();
        assertInstanceOf(ConsumerGroup.class, group());
        assertEquals(6, old.owned().size());
        assertEquals(PartitionSet.EMPTY, next.owned());
        settle();
    }

    /** No member was told of the rebalance, and none of the generation in the log: none would join again by itself. */
    @Test
    void aGroupThatIsLoadedRightAfterItCameBackRebalances_L5() {
        classic();
        modern("a");
        settle();
        modern.remove(0).leave(ConsumerMember.LEFT);
        assertInstanceOf(ClassicGroup.class, group());
        bench.reload();
        assertEquals(ClassicState.PREPARING_REBALANCE.toString(), group().state());
        settle();
        assertEquals(6, classic.get(0).owned().size());
    }

    @Test
    void groupsOfOthersStayWhatTheyAre() {
        ClassicLab lab = new ClassicLab("group.consumer.assignment.interval.ms=0");
        FakeConsumer stranger = new FakeConsumer(lab.bench, "g", "a").topics("t");
        lab.join(ClassicLab.joining("").setProtocolType("connect"), 1);
        assertEquals(Errors.GROUP_ID_NOT_FOUND, stranger.error());
    }

    /** Its records would come back to life when somebody deletes the group. */
    @Test
    void aRefusedTakeoverLeavesTheEmptyGroupInItsPlace_G2() {
        modern("a").beat();
        modern.remove(0).leave(-1);
        int epoch = ((ConsumerGroup) group()).epoch();
        bench.refuseNext(FailureCode.COORDINATOR_NOT_AVAILABLE);
        Answer<JoinGroupResponseData> refused = joinOfOld();
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, refused.failure().code());
        assertEquals(epoch, assertInstanceOf(ConsumerGroup.class, group()).epoch());
        assertEquals(
                Map.of("g", Errors.NONE),
                bench.write(shard -> shard.admin().delete(List.of("g"))).value());
        bench.reload();
        assertNull(group());
    }

    /** Of a client that gets its member id with the answer. */
    private Answer<JoinGroupResponseData> joinOfOld() {
        JoinGroupRequestData request = ClassicLab.joining("");
        ClientInfo client = new ClientInfo("c", "/127.0.0.1", (short) 1);
        return bench.park(new ClassicJoin(client, request));
    }

    @Test
    void aTakeoverOnItsWayToTheLogIsNotTakenBack() {
        modern("a").beat();
        modern.remove(0).leave(-1);
        bench.holdCommits();
        joinOfOld();
        ClassicGroup taken =
                assertInstanceOf(ClassicGroup.class, bench.shard().groups().get("g"));
        bench.refuseNext(FailureCode.RECORD_LIST_TOO_LARGE);
        LeaveGroupRequestData leaving = new LeaveGroupRequestData().setGroupId("g");
        leaving.members().add(new MemberIdentity().setMemberId(taken.leader()));
        bench.write(shard -> shard.classic().leave(leaving));
        assertInstanceOf(ClassicGroup.class, bench.shard().groups().get("g"));
        bench.commit();
        classic();
        settle();
        bench.reload();
        assertInstanceOf(ClassicGroup.class, group());
    }

    @Test
    void anEmptyGroupTakesAnyProtocol() {
        modern("a").beat();
        modern.remove(0).leave(-1);
        classic();
        settle();
        assertInstanceOf(ClassicGroup.class, group());
        classic.remove(0).leave();
        modern("b");
        settle();
        assertInstanceOf(ConsumerGroup.class, group());
        bench.reload();
        assertInstanceOf(ConsumerGroup.class, group());
    }
}
