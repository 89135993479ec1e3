package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import coordinator.InstantRuntime.Answer;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** JoinGroups of classic members in large KIP-848 groups: a worker computes what they are given, while the group goes on. */
class OffloadedJoinsTest {
    private static final int PARTITIONS = 600;

    private final TopicImages images = new TopicImages().topic("t", PARTITIONS);
    private final OwnershipJudge judge = new OwnershipJudge();
    private final List<FakeClassicConsumer> classic = new ArrayList<>();
    private final List<FakeConsumer> modern = new ArrayList<>();
    private ShardBench bench;

    @BeforeEach
    void begin() {
        bench = bench("bidirectional");
    }

    private ShardBench bench(String policy) {
        ShardBench made = new ShardBench(
                ShardBench.config(
                        "group.consumer.migration.policy=" + policy,
                        "group.consumer.assignment.interval.ms=0",
                        "group.initial.rebalance.delay.ms=0"),
                images.image(),
                1);
        made.holdComputations();
        return made;
    }

    private FakeConsumer modern(String id) {
        FakeConsumer consumer = new FakeConsumer(bench, "g", id).topics("t");
        modern.add(consumer);
        return consumer;
    }

    private FakeClassicConsumer classic() {
        FakeClassicConsumer consumer = new FakeClassicConsumer(bench, "g", "t");
        classic.add(consumer);
        return consumer;
    }

    /** Everybody goes on, and the worker computes, until nothing changes. */
    private void settle() {
        for (int i = 0; i < 20; i++) {
            for (FakeClassicConsumer each : classic) {
                each.step();
                computeAll();
            }
            for (FakeConsumer each : modern) {
                Answer<?> answer = each.start(each.request());
                computeAll();
                each.take(cast(answer));
            }
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
        assertEquals(PARTITIONS, sum, "each once");
        assertEquals(PARTITIONS, all.build().size(), "all");
        assertEquals("Stable", group().state());
    }

    private static ConsumerGroupHeartbeatResponseData cast(Answer<?> answer) {
        return (ConsumerGroupHeartbeatResponseData) answer.value();
    }

    private void computeAll() {
        while (bench.computations() > 0) {
            bench.compute();
        }
    }

    private Group group() {
        return bench.read(shard -> shard.groups().get("g")).value();
    }

    private ConsumerGroup consumerGroup() {
        return assertInstanceOf(ConsumerGroup.class, group());
    }

    private JoinGroupRequestData joining(String memberId, String instanceId) {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId("g")
                .setMemberId(memberId)
                .setGroupInstanceId(instanceId)
                .setProtocolType("consumer")
                .setSessionTimeoutMs(10_000)
                .setRebalanceTimeoutMs(30_000);
        byte[] subscription = MessageUtil.toVersionPrefixedBytes(
                (short) 3, new ConsumerProtocolSubscription().setTopics(List.of("t")));
        request.protocols().add(new JoinGroupRequestProtocol().setName("sticky").setMetadata(subscription));
        return request;
    }

    private Answer<JoinGroupResponseData> join(String memberId, String instanceId) {
        ClientInfo client = new ClientInfo("old", "/127.0.0.1", (short) 9);
        return bench.park(new ClassicJoin(client, joining(memberId, instanceId)));
    }

    /** A group of one consumer of the new protocol, that has all. */
    private FakeConsumer alone() {
        FakeConsumer a = modern("a");
        settle();
        return a;
    }

    private static Errors error(Answer<JoinGroupResponseData> answer) {
        return Errors.forCode(answer.value().errorCode());
    }

    @Test
    void theAnswerWaitsForTheWorker() {
        alone();
        int epoch = consumerGroup().epoch();
        Answer<JoinGroupResponseData> answer = join("m", null);
        assertFalse(answer.isDone());
        assertEquals(1, bench.computations());
        assertEquals(epoch + 1, consumerGroup().epoch());
        assertEquals("Assigning", group().state());
        bench.compute();
        assertEquals(Errors.NONE, error(answer));
        assertEquals("m", answer.value().memberId());
        assertEquals(epoch + 1, answer.value().generationId());
        assertEquals("sticky", answer.value().protocolName());
        assertEquals(PARTITIONS / 2, consumerGroup().target("m").size());
        assertEquals(0, bench.computations());
    }

    @Test
    void membersOfBothProtocolsShareAssignments() {
        alone();
        Answer<JoinGroupResponseData> first = join("m", null);
        Answer<JoinGroupResponseData> second = join("n", null);
        FakeConsumer b = modern("b");
        Answer<?> third = b.start(b.request());
        assertEquals(1, bench.computations(), "one at a time");
        bench.compute();
        assertTrue(first.isDone());
        assertFalse(second.isDone());
        bench.compute();
        assertEquals(Errors.NONE, error(second));
        b.take(cast(third));
        assertEquals(0, bench.computations());
        assertEquals(consumerGroup().epoch(), second.value().generationId());
    }

    @Test
    void aWholeMigrationThereAndBack() {
        classic();
        classic();
        settle();
        modern("a");
        settle();
        assertEquals(2, consumerGroup().classicMembers());
        classic().instance("i");
        settle();
        classic.remove(0).leave();
        settle();
        bench.image(images.grow("t", PARTITIONS).image());
        modern.remove(0).leave(-1);
        settle();
        assertInstanceOf(ClassicGroup.class, group());
    }

    @Test
    void aNewStaticMemberKeepsTheIdOfItsFirstStep() {
        alone();
        Answer<JoinGroupResponseData> answer = join("", "i");
        assertFalse(answer.isDone());
        bench.compute();
        assertEquals(Errors.NONE, error(answer));
        assertEquals(
                answer.value().memberId(), consumerGroup().staticMember("i").id());
        assertEquals(2, consumerGroup().members().size());
    }

    @Test
    void whoseGroupIsAClassicOneAgainJoinsAgain() {
        alone();
        FakeClassicConsumer old = classic();
        old.step();
        old.step();
        assertEquals(1, bench.computations(), "it waits");
        modern.remove(0).leave(ConsumerMember.LEFT);
        assertInstanceOf(ClassicGroup.class, group());
        bench.compute();
        String id = old.id();
        settle();
        assertEquals(id, old.id(), "it is a member all the while");
    }

    @Test
    void whoHasLeftWhileItWaitedIsUnknown() {
        alone();
        Answer<JoinGroupResponseData> answer = join("m", null);
        LeaveGroupRequestData leaving = new LeaveGroupRequestData().setGroupId("g");
        leaving.members().add(new MemberIdentity().setMemberId("m"));
        bench.write(shard -> shard.classic().leave(leaving));
        computeAll();
        assertEquals(Errors.UNKNOWN_MEMBER_ID, error(answer));
        assertNull(consumerGroup().member("m"));
        settle();
    }

    @Test
    void whosePlaceWasTakenWhileItWaitedIsUnknown() {
        alone();
        Answer<JoinGroupResponseData> answer = join("", "i");
        Answer<JoinGroupResponseData> again = join("", "i");
        computeAll();
        assertEquals(Errors.UNKNOWN_MEMBER_ID, error(answer));
        assertEquals(Errors.NONE, error(again));
        assertEquals(again.value().memberId(), consumerGroup().staticMember("i").id());
    }

    @Test
    void aGroupThatIsGoneWhileItWaited() {
        alone();
        Answer<JoinGroupResponseData> answer = join("m", null);
        LeaveGroupRequestData leaving = new LeaveGroupRequestData().setGroupId("g");
        leaving.members().add(new MemberIdentity().setMemberId("m"));
        leaving.members().add(new MemberIdentity().setMemberId("a"));
        bench.write(shard -> shard.classic().leave(leaving));
        bench.write(shard -> shard.admin().delete(List.of("g")));
        assertNull(group());
        computeAll();
        assertEquals(Errors.UNKNOWN_MEMBER_ID, error(answer));
    }

    @Test
    void aMemberThatWaitsLivesByItsSession() {
        alone();
        Answer<JoinGroupResponseData> answer = join("m", null);
        bench.advance(9_999);
        assertTrue(consumerGroup().member("m") != null);
        bench.advance(1);
        assertNull(consumerGroup().member("m"), "its client may be gone");
        computeAll();
        assertEquals(Errors.UNKNOWN_MEMBER_ID, error(answer));
    }

    @Test
    void aRefusedRecordFailsThoseThatWait() {
        alone();
        Answer<JoinGroupResponseData> answer = join("m", null);
        bench.refuseNext(FailureCode.COORDINATOR_NOT_AVAILABLE);
        bench.compute();
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, answer.failure().code());
        Answer<JoinGroupResponseData> again = join("m", null);
        computeAll();
        assertEquals(Errors.NONE, error(again));
    }

    @Test
    void aJoinThatIsRefusedLeavesNothing() {
        alone();
        bench.refuseNext(FailureCode.COORDINATOR_NOT_AVAILABLE);
        Answer<JoinGroupResponseData> answer = join("m", null);
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, answer.failure().code());
        assertEquals(0, bench.computations());
        assertNull(consumerGroup().member("m"));
        settle();
    }

    @Test
    void anotherCoordinatorBeginsAnew() {
        alone();
        Answer<JoinGroupResponseData> lost = join("m", null);
        bench.reload();
        assertEquals(FailureCode.NOT_COORDINATOR, lost.failure().code());
        Answer<JoinGroupResponseData> again = join("m", null);
        computeAll();
        assertEquals(Errors.NONE, error(again));
        assertEquals(2, consumerGroup().members().size());
    }

    /** Whoever has the group as a classic one assigns anew, so nothing is computed for it. */
    @Test
    void aStaticMemberThatGoesBackToTheOldProtocolTakesTheGroupWithIt() {
        FakeConsumer a = modern("a").instance("i");
        settle();
        classic();
        settle();
        modern.remove(a);
        a.leave(ConsumerMember.LEFT_FOR_NOW);
        int epoch = consumerGroup().epoch();
        Answer<JoinGroupResponseData> answer = join("", "i");
        assertEquals(Errors.NONE, error(answer));
        assertEquals(0, bench.computations());
        assertTrue(answer.value().generationId() >= epoch);
        ClassicGroup now = assertInstanceOf(ClassicGroup.class, group());
        assertTrue(now.generation() >= epoch);
        assertEquals(2, now.members().size());
        FakeClassicConsumer back = classic().instance("i");
        settle();
        assertEquals(PARTITIONS / 2, back.owned().size());
    }

    /** Nobody there speaks the new protocol, and the policy keeps the group what it is. */
    @Test
    void aGroupOfClassicMembersOnlyIsComputedByAWorkerToo() {
        bench = bench("upgrade");
        classic();
        settle();
        modern("a");
        settle();
        modern.remove(0).leave(ConsumerMember.LEFT);
        settle();
        consumerGroup();
        Answer<JoinGroupResponseData> answer = join("m", null);
        assertFalse(answer.isDone());
        computeAll();
        assertEquals(Errors.NONE, error(answer));
    }
}
