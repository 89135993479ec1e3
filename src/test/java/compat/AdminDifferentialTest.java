package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The same requests, of every version and right and wrong, to this build's broker and to a real Kafka: the answers must not differ. */
class AdminDifferentialTest {
    /** So that some settings have a static value. */
    private static final List<String> SETTINGS = List.of("log.retention.hours=168", "log.segment.bytes=1073741824");

    private static final List<String> OURS = List.of(
            "log.retention.hours=168",
            "log.segment.bytes=1073741824",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1");

    @Test
    void answersAsKafkaDoes() throws IOException {
        try (TestBroker kafka = PeerBroker.start(SETTINGS);
                TestBroker ours = BrokerOfThisBuild.start(OURS)) {
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
