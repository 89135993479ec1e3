package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.junit.jupiter.api.Test;

/** Requests about records, of every version and right and wrong, to this build's broker and to a real Kafka: the answers must not differ. */
class DataDifferentialTest {
    /** Questions that we answer otherwise on purpose, with the reasons. */
    private static final Map<String, String> KNOWN = Map.of(
            "create a topic for records", "compared by AdminDifferentialTest",
            "produce unknown codec", "Kafka answers UNKNOWN_SERVER_ERROR, we say which error it is",
            "produce out of order first",
                    "the second time is a duplicate: Kafka tells its time as if it were LogAppendTime",
            "produce sequence", "as before",
            "producer id", "whether the first block of ids is there in time differs from run to run");

    @Test
    void answersAsKafkaDoes() throws IOException {
        try (TestBroker kafka = PeerBroker.start(List.of());
                TestBroker ours = BrokerOfThisBuild.start(List.of())) {
            Map<String, String> expected = ask(kafka.port());
            Map<String, String> got = ask(ours.port());
            assertEquals("", AnswerDifference.between(expected, got));
            rangesAsKafkas(ours.port());
        }
    }

    /** Rule R8, from outside: what is advertised has Kafka's ranges. */
    private static void rangesAsKafkas(int port) throws IOException {
        ApiVersionsResponseData.ApiVersionCollection kafkas =
                ApiVersionsResponse.brokerApiVersions(ApiMessageType.ListenerType.BROKER, false, true);
        try (RawConnection connection = new RawConnection("127.0.0.1", port)) {
            ApiVersionsResponseData answer = (ApiVersionsResponseData)
                    connection.ask(ApiKeys.API_VERSIONS, (short) 0, new ApiVersionsRequestData());
            assertTrue(
                    answer.apiKeys().size() >= 20,
                    "APIs offered: " + answer.apiKeys().size());
            for (ApiVersion each : answer.apiKeys()) {
                ApiVersion theirs = kafkas.find(each.apiKey());
                assertEquals(theirs.minVersion(), each.minVersion(), "lowest version of API " + each.apiKey());
                assertEquals(theirs.maxVersion(), each.maxVersion(), "highest version of API " + each.apiKey());
            }
        }
    }

    private static Map<String, String> ask(int port) throws IOException {
        try (Conversation talk = new Conversation(port)) {
            DataQuestions.ask(talk);
            Map<String, String> answers = talk.answers();
            KNOWN.forEach((label, reason) -> answers.keySet().removeIf(question -> question.startsWith(label + " | ")));
            // We say more: why a record was refused. Where Kafka happens to know the log's start beside an error, we do
            // not tell it.
            answers.replaceAll((question, answer) -> answer.replaceAll("\"errorMessage\":(null|\"text\"),", "")
                    .replaceAll("(\"baseOffset\":-1,\"errorCode\":-?[1-9].*?\"logStartOffset\":)-?\\d+", "$1*"));
            return answers;
        }
    }
}
