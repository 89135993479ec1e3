package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests about committed offsets and groups without members, of every version and right and wrong, to this build's broker and to a real Kafka. */
class OffsetDifferentialTest {
    private static final List<String> SETTINGS =
            List.of("offsets.topic.num.partitions=4", "offsets.topic.replication.factor=1");

    /** Questions that we answer otherwise on purpose, with the reasons. */
    private static final Map<String, String> KNOWN =
            Map.of("create a topic for offsets", "compared by AdminDifferentialTest");

    @Test
    void answersAsKafkaDoes() throws IOException {
        try (TestBroker kafka = PeerBroker.start(SETTINGS);
                TestBroker ours = BrokerOfThisBuild.start(SETTINGS)) {
            assertEquals("", AnswerDifference.between(ask(kafka.port()), ask(ours.port())));
        }
    }

    private static Map<String, String> ask(int port) throws IOException {
        try (Conversation talk = new Conversation(port)) {
            OffsetQuestions.ask(talk);
            Map<String, String> answers = talk.answers();
            KNOWN.keySet().forEach(label -> answers.keySet().removeIf(each -> each.startsWith(label + " | ")));
            return answers;
        }
    }
}
