package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import records.schemas.ConsumerGroupRecord.CurrentMemberAssignment;
import records.schemas.GroupRecord;
import records.schemas.GroupRecordCodec;
import sim.SimRandom;

/** Assignments in which one member's part is more than a record can hold. */
class UnstorableTargetsTest {
    /** Of records in a batch of max.message.bytes of Kafka's default. */
    private static final int DEFAULT_ROOM = 1_048_588 - 61 - 40;

    private final TopicImages images = new TopicImages();
    private final List<FakeConsumer> consumers = new ArrayList<>();
    private ShardBench bench;

    private void begin(int maxBytes, String... settings) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add(0, "group.consumer.assignment.interval.ms=0");
        bench = new ShardBench(ShardBench.config(all.toArray(new String[0])), images.image(), 1);
        bench.maxBatchBytes(maxBytes);
    }

    private FakeConsumer consumer(String id, String... topics) {
        FakeConsumer consumer = new FakeConsumer(bench, "g", id).topics(topics);
        consumers.add(consumer);
        return consumer;
    }

    /** Nobody meets an error. */
    private void settle() {
        for (int i = 0; i < 8; i++) {
            for (FakeConsumer each : consumers) {
                each.beat();
                assertEquals(Errors.NONE, each.error());
            }
            bench.advance(500);
        }
    }

    private ConsumerGroup group() {
        return (ConsumerGroup) bench.shard().groups().get("g");
    }

    private int owned() {
        return consumers.stream().mapToInt(each -> each.owned().size()).sum();
    }

    private static int bytes(GroupRecord record) {
        return GroupRecordCodec.encodeKey(record).length + GroupRecordCodec.encodeValue(record).length;
    }

    @Test
    void aHundredAndThirtyThousandPartitionsAreOneMembers() {
        int most = 130_900;
        images.topic("t", most);
        begin(DEFAULT_ROOM);
        consumer("a", "t");
        settle();
        assertEquals(most, owned());
        int largest = bench.log().stream()
                .filter(CurrentMemberAssignment.class::isInstance)
                .mapToInt(UnstorableTargetsTest::bytes)
                .max()
                .orElseThrow();
        assertTrue(largest > DEFAULT_ROOM - 2_000, "not far from the limit: " + largest);
    }

    @Test
    void aGroupWaitsForAsManyMembersAsItNeeds() {
        images.topic("t", 140_000);
        begin(DEFAULT_ROOM);
        consumer("a", "t");
        settle();
        assertEquals(0, owned(), "none, and no error");
        assertEquals("Assigning", group().state());
        consumer("b", "t");
        settle();
        assertEquals(140_000, owned());
        assertEquals("Stable", group().state());
        consumers.remove(1).leave(ConsumerMember.LEFT);
        settle();
        assertEquals(70_000, owned(), "what it has, it keeps");
        assertEquals("Assigning", group().state());
    }

    @Test
    void aTopicThatGrowsLeavesMembersWhatTheyHave() {
        images.topic("t", 60);
        begin(800);
        consumer("a", "t");
        settle();
        assertEquals(60, owned());
        bench.image(images.grow("t", 100).image());
        settle();
        assertEquals(60, owned());
        assertEquals(Errors.NONE, consumers.get(0).error());
        consumer("b", "t");
        settle();
        assertEquals(100, owned());
    }

    @Test
    void itIsNotComputedAgainAndAgain() {
        images.topic("t", 600);
        begin(800);
        bench.holdComputations();
        FakeConsumer a = consumer("a", "t");
        var answer = a.start(a.request());
        assertEquals(1, bench.computations());
        bench.compute();
        a.take(answer.value());
        assertEquals(0, bench.computations());
        for (int i = 0; i < 100; i++) {
            a.beat();
            assertEquals(0, bench.computations());
            bench.advance(500);
        }
        assertEquals(Errors.NONE, a.error());
    }

    @Test
    void aHigherLimitIsFoundAfterAWhile() {
        images.topic("t", 100);
        begin(800);
        consumer("a", "t");
        settle();
        assertEquals(0, owned());
        bench.maxBatchBytes(8_000);
        settle();
        assertEquals(0, owned());
        for (int i = 0; i < 2; i++) {
            bench.advance(30_000);
            settle();
        }
        assertEquals(100, owned());
    }

    @Test
    void classicMembersAreNotSentRoundInCircles() {
        images.topic("t", 100);
        begin(2_000, "group.consumer.migration.policy=upgrade", "group.initial.rebalance.delay.ms=0");
        FakeConsumer a = consumer("a", "t");
        FakeConsumer b = consumer("b", "t");
        settle();
        FakeClassicConsumer old = new FakeClassicConsumer(bench, "g", "t");
        for (int i = 0; i < 20; i++) {
            old.step();
            settle();
        }
        assertEquals(100, owned() + old.owned().size());
        consumers.clear();
        bench.maxBatchBytes(700);
        a.leave(ConsumerMember.LEFT);
        b.leave(ConsumerMember.LEFT);
        int before = old.owned().size();
        for (int i = 0; i < 10; i++) {
            old.step();
            bench.advance(500);
        }
        int epoch = group().epoch();
        for (int i = 0; i < 10; i++) {
            assertEquals(Errors.NONE, old.beat());
            bench.advance(500);
        }
        assertEquals(epoch, group().epoch());
        assertEquals(before, old.owned().size());
    }

    /** Whatever its members have and give up on the way: what was found to fit does. */
    @Test
    void noRecordOfAnAssignmentThatWasMadeIsTooLarge() {
        for (long seed = 1; seed <= 200; seed++) {
            SimRandom random = new SimRandom(seed);
            List<String> topics = new ArrayList<>();
            for (int i = 0; i < 1 + random.below(12); i++) {
                topics.add("s" + seed + "t" + i);
                images.topic(topics.get(i), 1 + random.below(40));
            }
            int room = 700 + random.below(2_000);
            begin(room);
            consumers.clear();
            for (int i = 0; i < 1 + random.below(6); i++) {
                consumer(
                        "m" + i,
                        topics.subList(0, 1 + random.below(topics.size())).toArray(new String[0]));
                settle();
            }
            if (consumers.size() > 1) {
                consumers.remove(0).leave(ConsumerMember.LEFT);
                settle();
            }
            for (GroupRecord record : bench.log()) {
                if (record instanceof CurrentMemberAssignment && !record.tombstone()) {
                    assertTrue(bytes(record) <= room, "seed " + seed + ": " + record);
                }
            }
        }
    }
}
