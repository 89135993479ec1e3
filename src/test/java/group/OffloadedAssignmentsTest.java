package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import coordinator.InstantRuntime.Answer;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Assignments that a worker computes while the group goes on. */
class OffloadedAssignmentsTest {
    private static final int PARTITIONS = 600;

    private final TopicImages images =
            new TopicImages().topic("t", PARTITIONS).topic("small", 4).topic("other", PARTITIONS);
    private ShardBench bench = bench();

    private ShardBench bench(String... settings) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add(0, "group.consumer.assignment.interval.ms=0");
        ShardBench made = new ShardBench(ShardBench.config(all.toArray(new String[0])), images.image(), 1);
        made.holdComputations();
        return made;
    }

    private FakeConsumer consumer(String id) {
        return new FakeConsumer(bench, "g", id).topics("t");
    }

    private Answer<ConsumerGroupHeartbeatResponseData> start(FakeConsumer consumer) {
        return consumer.start(consumer.request());
    }

    private FakeConsumer joined(String id) {
        FakeConsumer consumer = consumer(id);
        heard(consumer, start(consumer));
        return consumer;
    }

    /** Computes until the answer has come. */
    private void heard(FakeConsumer consumer, Answer<ConsumerGroupHeartbeatResponseData> answer) {
        while (!answer.isDone() && bench.computations() > 0) {
            bench.compute();
        }
        consumer.take(answer.value());
    }

    private void settle(FakeConsumer... consumers) {
        for (int i = 0; i < 4; i++) {
            for (FakeConsumer each : consumers) {
                heard(each, start(each));
            }
        }
        assertEquals("Stable", group().state());
        PartitionSet.Builder all = new PartitionSet.Builder();
        for (FakeConsumer each : consumers) {
            assertEquals(PARTITIONS / consumers.length, each.owned().size());
            each.owned().forEach(all::add);
        }
        assertEquals(PARTITIONS, all.build().size());
    }

    private ConsumerGroup group() {
        return (ConsumerGroup) bench.read(shard -> shard.groups().get("g")).value();
    }

    private static Errors error(Answer<ConsumerGroupHeartbeatResponseData> answer) {
        return Errors.forCode(answer.value().errorCode());
    }

    @Test
    void theAnswerIsThatOfAnAssignmentMadeAtOnce() {
        FakeConsumer a = consumer("a");
        Answer<ConsumerGroupHeartbeatResponseData> answer = start(a);
        assertFalse(answer.isDone());
        assertEquals("Assigning", group().state());
        bench.compute();
        a.take(answer.value());
        assertEquals(2, a.epoch());
        assertEquals(PARTITIONS, a.owned().size());
        assertEquals("Stable", group().state());
        assertEquals(0, bench.computations());
        assertEquals(
                List.of(
                        "MemberMetadata",
                        "Metadata",
                        "TargetAssignmentMember",
                        "TargetAssignmentMetadata",
                        "CurrentMemberAssignment"),
                bench.log().stream()
                        .map(record -> record.getClass().getSimpleName())
                        .toList(),
                "Kafka's order");
    }

    @Test
    void whoComesMeanwhileSharesTheNextOne() {
        FakeConsumer a = consumer("a");
        FakeConsumer b = consumer("b");
        FakeConsumer c = consumer("c");
        List<Answer<ConsumerGroupHeartbeatResponseData>> answers = new ArrayList<>();
        answers.add(start(a));
        answers.add(start(b));
        answers.add(start(c));
        assertEquals(1, bench.computations(), "one at a time");
        bench.compute();
        assertTrue(answers.get(0).isDone());
        assertFalse(answers.get(1).isDone());
        assertEquals(2, group().assignmentEpoch(), "that which was computed");
        assertEquals(4, group().epoch());
        assertEquals(1, bench.computations());
        bench.compute();
        assertEquals(4, group().assignmentEpoch());
        assertEquals(0, bench.computations());
        a.take(answers.get(0).value());
        b.take(answers.get(1).value());
        c.take(answers.get(2).value());
        settle(a, b, c);
    }

    @Test
    void whoseEpochHasItsTargetNeedNotWaitForALaterOne() {
        FakeConsumer a = consumer("a");
        Answer<ConsumerGroupHeartbeatResponseData> first = start(a);
        bench.holdCommits();
        Answer<ConsumerGroupHeartbeatResponseData> second = start(consumer("b"));
        bench.compute();
        bench.commit();
        assertTrue(first.isDone());
        assertFalse(second.isDone());
        assertEquals(2, first.value().memberEpoch());
    }

    @Test
    void withAnIntervalNobodyWaitsForMoreThanTheOneUnderWay() {
        bench = bench("group.consumer.assignment.interval.ms=1000");
        Answer<ConsumerGroupHeartbeatResponseData> first = start(consumer("a"));
        FakeConsumer b = consumer("b");
        Answer<ConsumerGroupHeartbeatResponseData> second = start(b);
        bench.compute();
        assertTrue(first.isDone());
        b.take(second.value());
        assertEquals(2, b.epoch(), "the last target, as while it is not yet time for the next one");
        assertEquals(PartitionSet.EMPTY, b.owned());
        assertEquals(0, bench.computations());
        bench.advance(1000);
        Answer<ConsumerGroupHeartbeatResponseData> later = start(b);
        assertFalse(later.isDone());
        heard(b, later);
        assertEquals(3, b.epoch());
    }

    @Test
    void whoHasLeftMeanwhileGetsNothing() {
        FakeConsumer a = joined("a");
        FakeConsumer b = joined("b");
        settle(a, b);
        Answer<ConsumerGroupHeartbeatResponseData> joining = start(consumer("c"));
        b.leave(ConsumerMember.LEFT);
        int epoch = group().epoch();
        bench.compute();
        assertTrue(joining.isDone());
        assertEquals(epoch - 1, group().assignmentEpoch());
        assertNull(group().target("b"));
        FakeConsumer c = consumer("c");
        c.take(joining.value());
        settle(a, c);
    }

    @Test
    void whoHasLeftWhileItWaitedIsNotThereAgain() {
        FakeConsumer a = joined("a");
        FakeConsumer b = consumer("b");
        Answer<ConsumerGroupHeartbeatResponseData> joining = start(b);
        b.leave(ConsumerMember.LEFT);
        bench.compute();
        assertEquals(Errors.UNKNOWN_MEMBER_ID, error(joining));
        assertNull(group().member("b"));
        settle(a);
    }

    @Test
    void whoTakesThePlaceOfAStaticMemberTakesWhatItWasToHave() {
        FakeConsumer a = joined("a");
        FakeConsumer b = consumer("b").instance("i");
        heard(b, start(b));
        settle(a, b);
        Answer<ConsumerGroupHeartbeatResponseData> joining = start(consumer("c"));
        b.leave(ConsumerMember.LEFT_FOR_NOW);
        FakeConsumer again = consumer("b2").instance("i");
        Answer<ConsumerGroupHeartbeatResponseData> replacing = start(again);
        bench.compute();
        assertEquals(PARTITIONS / 3, group().target("b2").size());
        assertNull(group().target("b"));
        FakeConsumer c = consumer("c");
        c.take(joining.value());
        heard(again, replacing);
        settle(a, again, c);
    }

    @Test
    void aGroupThatWasEmptyMeanwhileIsAssignedAnew() {
        FakeConsumer a = joined("a");
        Answer<ConsumerGroupHeartbeatResponseData> joining = start(consumer("b"));
        a.leave(ConsumerMember.LEFT);
        consumer("b").leave(ConsumerMember.LEFT);
        FakeConsumer c = consumer("c");
        Answer<ConsumerGroupHeartbeatResponseData> last = start(c);
        bench.compute();
        assertEquals(Errors.UNKNOWN_MEMBER_ID, error(joining));
        assertFalse(last.isDone());
        heard(c, last);
        settle(c);
    }

    @Test
    void whatAMemberSaysWhileItWaitsIsNotForgotten() {
        FakeConsumer a = joined("a");
        a.topics("other").tellAll();
        Answer<ConsumerGroupHeartbeatResponseData> answer = start(a);
        bench.compute();
        a.take(answer.value());
        assertEquals(PartitionSet.EMPTY, a.owned(), "gives up all of the old topic first");
        heard(a, start(a));
        heard(a, start(a));
        assertEquals(PARTITIONS, a.owned().size());
        assertEquals(List.of(images.id("other")), a.owned().topics());
    }

    @Test
    void whatAMemberSaysLaterIsNotUndoneByTheAnswerToWhatItSaidBefore() {
        FakeConsumer a = joined("a");
        a.topics("other").tellAll();
        Answer<ConsumerGroupHeartbeatResponseData> before = start(a);
        a.topics("small").tellAll();
        Answer<ConsumerGroupHeartbeatResponseData> after = start(a);
        int epoch = group().epoch();
        bench.compute();
        assertTrue(before.isDone());
        assertEquals(List.of("small"), group().member("a").metadata().subscribedTopicNames());
        heard(a, after);
        assertEquals(epoch, group().epoch(), "nothing has changed since");
        assertEquals(List.of("small"), group().member("a").metadata().subscribedTopicNames());
    }

    @Test
    void aRefusedRecordFailsThoseThatWait() {
        Answer<ConsumerGroupHeartbeatResponseData> answer = start(consumer("a"));
        bench.refuseNext(FailureCode.COORDINATOR_NOT_AVAILABLE);
        bench.compute();
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, answer.failure().code());
        FakeConsumer again = consumer("a");
        heard(again, start(again));
        settle(again);
    }

    @Test
    void aRequestThatIsRefusedLeavesNothingToCompute() {
        bench.refuseNext(FailureCode.COORDINATOR_NOT_AVAILABLE);
        Answer<ConsumerGroupHeartbeatResponseData> answer = start(consumer("a"));
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, answer.failure().code());
        assertEquals(0, bench.computations());
        settle(joined("a"));
    }

    @Test
    void anotherCoordinatorBeginsAnew() {
        FakeConsumer a = joined("a");
        Answer<ConsumerGroupHeartbeatResponseData> lost = start(consumer("b"));
        bench.reload();
        assertEquals(FailureCode.NOT_COORDINATOR, lost.failure().code());
        String before = group().state() + bench.log().size();
        bench.compute();
        assertEquals(before, group().state() + bench.log().size(), "an outcome for a shard that is gone");
        FakeConsumer b = joined("b");
        settle(a, b);
    }

    @Test
    void aGroupThatChangesItsProtocolMeanwhile() {
        bench = bench("group.initial.rebalance.delay.ms=0");
        FakeClassicConsumer old = new FakeClassicConsumer(bench, "g", "t");
        stepUntilItHas(old, PARTITIONS);
        FakeConsumer a = consumer("a");
        Answer<ConsumerGroupHeartbeatResponseData> upgrading = start(a);
        assertFalse(upgrading.isDone());
        assertEquals(1, group().classicMembers());
        heard(a, upgrading);
        for (int i = 0; i < 10; i++) {
            old.step();
            heard(a, start(a));
            bench.advance(500);
        }
        assertEquals("Stable", group().state());
        assertEquals(PARTITIONS / 2, a.owned().size());
        assertEquals(PARTITIONS / 2, old.owned().size());

        FakeConsumer b = consumer("b");
        Answer<ConsumerGroupHeartbeatResponseData> joining = start(b);
        b.leave(ConsumerMember.LEFT);
        a.leave(ConsumerMember.LEFT);
        assertEquals(
                GroupType.CLASSIC,
                bench.read(shard -> shard.groups().get("g")).value().type());
        bench.compute();
        assertEquals(Errors.GROUP_ID_NOT_FOUND, error(joining));
        stepUntilItHas(old, PARTITIONS);
    }

    private void stepUntilItHas(FakeClassicConsumer consumer, int partitions) {
        for (int i = 0; i < 20 && consumer.owned().size() < partitions; i++) {
            consumer.step();
            bench.advance(500);
        }
        assertEquals(partitions, consumer.owned().size());
    }

    @Test
    void aSmallOneIsComputedAtOnce() {
        FakeConsumer a = consumer("a").topics("small");
        a.beat();
        assertEquals(4, a.owned().size());
    }

    @Test
    void settingsOfTheBrokerAndOfTheGroup() {
        assertFalse(start(consumer("a")).isDone());
        bench = bench("group.consumer.assignor.offload.enable=false");
        assertTrue(start(consumer("a")).isDone());
        bench.image(images.groupConfig("g", "consumer.assignor.offload.enable", "true")
                .image());
        assertFalse(start(consumer("b")).isDone());
        images.groupConfig("g", "consumer.assignor.offload.enable", "false");
        bench = bench();
        assertTrue(start(consumer("a")).isDone());
        images.brokerConfig("group.consumer.assignor.offload.enable", "false");
        bench = bench();
        assertTrue(start(new FakeConsumer(bench, "h", "a").topics("t")).isDone());
    }
}
