package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests about records, of every version and right and wrong, to this build's broker and to a real Kafka: the answers must not differ. */
class DataDifferentialTest {

    @Test
    void answersAsKafkaDoes() throws IOException {
        try (TestBroker kafka = PeerBroker.start(List.of());
                TestBroker ours = BrokerOfThisBuild.start(List.of())) {
            Map<String, String> expected = ask(kafka.port());
            Map<String, String> got = ask(ours.port());
            assertEquals("", AnswerDifference.between(expected, got));
        }
    }

    private static Map<String, String> ask(int port) throws IOException {
        try (Conversation talk = new Conversation(port)) {
            DataQuestions.ask(talk);
            Map<String, String> answers = talk.answers();
            // We say more: why a record was refused. Where Kafka happens to know the log's start beside an error, we do not tell it.
            answers.replaceAll((question, answer) -> answer.replaceAll("\"errorMessage\":(null|\"text\"),", "")
                    .replaceAll("(\"baseOffset\":-1,\"errorCode\":-?[1-9].*?\"logStartOffset\":)-?\\d+", "$1*"));
            return answers;
        }
    }
}
