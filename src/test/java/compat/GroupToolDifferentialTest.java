package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Kafka's own tools for groups print the same about this build's broker as about a real Kafka. */
class GroupToolDifferentialTest {
    private static final List<String> SETTINGS = List.of("group.initial.rebalance.delay.ms=0");

    @Test
    void printsAsWithKafka() throws Exception {
        try (TestBroker kafka = PeerBroker.start(SETTINGS);
                TestBroker ours = BrokerOfThisBuild.start(SETTINGS)) {
            Map<String, String> expected = GroupToolQuestions.ask(kafka);
            Map<String, String> got = GroupToolQuestions.ask(ours);
            assertEquals("", AnswerDifference.between(expected, got));
        }
    }
}
