package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The same requests, of every version and right and wrong, to this build's broker and to a real Kafka: the answers must not differ. */
class AdminDifferentialTest {

    @Test
    void answersAsKafkaDoes() throws IOException {
        try (TestBroker kafka = PeerBroker.start(List.of());
                TestBroker ours = BrokerOfThisBuild.start(List.of())) {
            Map<String, String> expected = AllQuestions.ask(kafka.port());
            Map<String, String> got = AllQuestions.ask(ours.port());
            KnownDifferences.REASONS.forEach((label, reason) -> {
                expected.keySet().removeIf(key -> key.startsWith(label + " | "));
                got.keySet().removeIf(key -> key.startsWith(label + " | "));
            });
            assertEquals("", AnswerDifference.between(expected, got));
        }
    }
}
