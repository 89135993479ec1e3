package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import records.schemas.ConsumerGroupRecord.RegularExpression;

/** Subscriptions by pattern. */
class TopicPatternsTest {
    private final TopicImages images =
            new TopicImages().topic("a1", 2).topic("a2", 2).topic("b1", 2);
    private final ShardBench bench =
            new ShardBench(ShardBench.config("group.consumer.assignment.interval.ms=0"), images.image(), 1);

    private FakeConsumer consumer(String id, String pattern) {
        return new FakeConsumer(bench, "g", id).pattern(pattern);
    }

    private ConsumerGroup group() {
        return (ConsumerGroup) bench.read(shard -> shard.groups().get("g")).value();
    }

    @Test
    void topicsThatMatchWhollyAreAssignedWithTheSecondHeartbeat() {
        FakeConsumer a = consumer("a", "a.");
        a.beat();
        assertEquals(0, a.owned().size());
        assertEquals(List.of("a1", "a2"), group().subscriptions().resolved("a.").topics());
        a.beat();
        assertEquals(4, a.owned().size());
        assertTrue(group().isSubscribedTo("a1"));
        assertTrue(!group().isSubscribedTo("b1"));
    }

    @Test
    void namesAndPatternsAddUp() {
        FakeConsumer a = consumer("a", "a1").topics("b1");
        a.beat();
        assertEquals(2, a.owned().size());
        a.beat();
        assertEquals(4, a.owned().size());
    }

    @Test
    void whatIsNoPatternIsRefused() {
        assertEquals(Errors.INVALID_REGULAR_EXPRESSION, consumer("a", "(").error());
        assertEquals(Errors.INVALID_REGULAR_EXPRESSION, consumer("a", "a(?=1)").error(), "not in RE2's syntax");
        assertEquals(List.of(), bench.log());
    }

    @Test
    void patternsThatWouldExpandWithoutBoundAreRefusedBeforeTheyDo() {
        for (String pattern : List.of(
                "((a{1000}){1000}){1000}",
                "(".repeat(10_000) + ")".repeat(10_000),
                "(?:".repeat(10_000) + "a" + ")*".repeat(10_000),
                "(?i)\u1c80")) {
            assertEquals(
                    Errors.INVALID_REGULAR_EXPRESSION, consumer("a", pattern).error());
        }
        assertEquals(List.of(), bench.log());
    }

    @Test
    void longPatternsOverManyTopicsAreMatchedToo() {
        for (int i = 0; i < 50; i++) {
            images.topic("t" + i + "-" + "y".repeat(200), 1);
        }
        bench.image(images.image());
        FakeConsumer a = consumer("a", "t.*|" + "z|".repeat(10_000) + "b1");
        a.beat();
        a.beat();
        assertEquals(52, a.owned().size());
    }

    @Test
    void newTopicsAreFoundButNotTooOften() {
        FakeConsumer a = consumer("a", "a.*");
        a.beat();
        a.beat();
        bench.image(images.topic("a3", 1).image());
        a.beat();
        assertEquals(4, a.owned().size(), "patterns were matched a moment ago");
        bench.advance(10_001);
        a.beat();
        a.beat();
        assertEquals(5, a.owned().size());
    }

    @Test
    void deletedTopicsGo() {
        FakeConsumer a = consumer("a", "a.*");
        a.beat();
        a.beat();
        bench.image(images.remove("a1").image());
        a.beat();
        a.beat();
        assertEquals(2, a.owned().size());
    }

    @Test
    void thePatternsOfOthersAreKnownAtOnce() {
        FakeConsumer a = consumer("a", "a.*");
        a.beat();
        a.beat();
        FakeConsumer b = consumer("b", "a.*");
        b.beat();
        assertEquals(group().epoch(), b.epoch());
        a.beat();
        a.beat();
        b.beat();
        assertEquals(2, b.owned().size());
    }

    @Test
    void aPatternThatNobodyHasAnyMoreIsForgotten() {
        FakeConsumer a = consumer("a", "a.*");
        a.beat();
        a.beat();
        a.pattern("").topics("b1").tellAll().beat();
        assertNull(group().subscriptions().resolved("a.*"));
        a.beat();
        assertEquals(2, a.owned().size());
        FakeConsumer b = consumer("b", "b.*");
        b.beat();
        b.leave(-1);
        assertTrue(group().subscriptions().patterns().isEmpty());
        assertNull(group().subscriptions().resolved("b.*"));
    }

    @Test
    void patternsAreMatchedAgainAfterALoad() {
        FakeConsumer a = consumer("a", "a.*");
        a.beat();
        a.beat();
        bench.image(images.topic("a9", 1).image());
        bench.reload();
        bench.advance(10_001);
        a.beat();
        a.beat();
        assertEquals(5, a.owned().size());
    }

    /** One turn and one record, whatever other topics there are. */
    @Test
    void aNewTopicIsMatchedAlone() {
        for (int i = 0; i < 2_500; i++) {
            images.topic("x" + i, 1);
        }
        bench.image(images.image());
        FakeConsumer a = consumer("a", "x1\\d*");
        FakeConsumer b = new FakeConsumer(bench, "g", "b").pattern("a.*");
        a.beat();
        assertTrue(bench.submissions() > 2, "all topics take several turns");
        bench.advance(10_001);
        b.beat();
        for (int i = 0; i < 4; i++) {
            a.beat();
            b.beat();
        }
        int had = a.owned().size();
        assertEquals(1_111, had);

        int turns = bench.submissions();
        int records = bench.log().size();
        for (int i = 0; i < 5; i++) {
            bench.image(images.topic("other" + i, 1).image());
            bench.advance(10_001);
            a.beat();
            a.beat();
            b.beat();
        }
        assertEquals(turns + 5, bench.submissions());
        assertEquals(records, bench.log().size(), "nothing is new for the group");

        bench.image(images.topic("x1-new", 1).topic("x19999", 1).image());
        bench.advance(10_001);
        a.beat();
        a.beat();
        assertEquals(had + 1, a.owned().size());
        assertEquals(turns + 6, bench.submissions());
        assertEquals(
                1,
                bench.log().subList(records, bench.log().size()).stream()
                        .filter(RegularExpression.class::isInstance)
                        .count(),
                "of the pattern that it matches");
        bench.image(images.remove("x19999").image());
        a.beat();
        assertEquals(had, a.owned().size());
        bench.image(images.topic("x19999", 2).image());
        bench.advance(10_001);
        a.beat();
        a.beat();
        assertEquals(had + 2, a.owned().size(), "the name has another topic now");
    }

    @Test
    void moreNewTopicsThanAreRememberedAreFoundAllTheSame() {
        FakeConsumer a = consumer("a", "n.*");
        a.beat();
        a.beat();
        bench.advance(10_001);
        for (int i = 0; i < NewTopics.MAX + 10; i++) {
            images.topic((i < 5 ? "n" : "o") + i, 1);
        }
        bench.image(images.image());
        bench.image(images.topic("n-last", 1).image());
        a.beat();
        a.beat();
        assertEquals(6, a.owned().size());
    }

    @Test
    void whatWasMadeBeforeTheFirstGroupIsMatched() {
        bench.image(images.topic("a7", 1).image());
        FakeConsumer a = consumer("a", "a.*");
        a.beat();
        a.beat();
        assertEquals(5, a.owned().size());
        a.leave(-1);
        FakeConsumer b = consumer("b", "a.*");
        bench.advance(10_001);
        b.beat();
        bench.image(images.topic("a8", 1).image());
        bench.advance(10_001);
        b.beat();
        b.beat();
        assertEquals(6, b.owned().size());
    }

    /** Its record could not be written, and the group would wait for it for ever. */
    @Test
    void aPatternOfMoreTopicsThanARecordHoldsIsRefusedAndTheOthersGoOn() {
        for (int i = 0; i < 100; i++) {
            images.topic("x" + i + "-" + "y".repeat(50), 1);
        }
        bench.image(images.image());
        bench.maxBatchBytes(2_000);
        FakeConsumer wide = consumer("a", "x.*");
        FakeConsumer narrow = consumer("b", "a.*");
        wide.beat();
        bench.advance(10_001);
        narrow.beat();
        assertEquals(Errors.INVALID_REGULAR_EXPRESSION, wide.error());
        narrow.beat();
        assertEquals(4, narrow.owned().size());
        assertEquals(Errors.INVALID_REGULAR_EXPRESSION, consumer("c", "x.*").error(), "known at once");
        bench.reload();
        bench.advance(10_001);
        narrow.beat();
        assertEquals(Errors.INVALID_REGULAR_EXPRESSION, wide.tellAll().error());
        assertEquals(0, wide.pattern("x1-.*").tellAll().beat().errorCode());
        bench.advance(10_001);
        wide.beat();
        wide.beat();
        assertEquals(1, wide.owned().size());
    }

    @Test
    void manyTopicsAreMatchedInPieces() {
        for (int i = 0; i < 2_500; i++) {
            images.topic("x" + i, 1);
        }
        bench.image(images.image());
        FakeConsumer a = consumer("a", "x\\d+");
        a.beat();
        a.beat();
        assertEquals(2_500, a.owned().size());
    }
}
