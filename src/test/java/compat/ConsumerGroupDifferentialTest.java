package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Members of KIP-848 groups talk to this build's broker and to a real Kafka, in lockstep. */
class ConsumerGroupDifferentialTest {
    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=4",
            "offsets.topic.replication.factor=1",
            // Answers must not depend on how fast questions come.
            "group.consumer.max.session.timeout.ms=600000",
            "group.consumer.session.timeout.ms=600000",
            "group.consumer.assignment.interval.ms=0",
            "group.consumer.assignor.offload.enable=false");

    /** Questions that we answer otherwise on purpose, with the reasons. */
    private static final Map<String, String> KNOWN =
            Map.of("create a topic to consume", "compared by AdminDifferentialTest");

    @Test
    void answersAsKafkaDoes() throws IOException {
        try (TestBroker kafka = PeerBroker.start(SETTINGS);
                TestBroker ours = BrokerOfThisBuild.start(SETTINGS)) {
            assertEquals("", AnswerDifference.between(ask(kafka.port()), ask(ours.port())));
        }
    }

    private static Map<String, String> ask(int port) throws IOException {
        try (Conversation talk = new Conversation(port)) {
            ConsumerGroupQuestions.ask(talk);
            Map<String, String> answers = talk.answers();
            KNOWN.keySet().forEach(label -> answers.keySet().removeIf(each -> each.startsWith(label + " | ")));
            return answers;
        }
    }
}
