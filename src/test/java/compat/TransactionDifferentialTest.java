package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Requests about transactions, in every state and version, right and wrong, to this build's broker and to a real Kafka. */
@ExtendWith(BrokerExtension.class)
class TransactionDifferentialTest {
    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=4",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.num.partitions=4");

    /** Questions that we answer otherwise on purpose, as expressions, with the reasons. Each must differ. */
    private static final Map<String, String> KNOWN = known();

    private static Map<String, String> known() {
        Map<String, String> known = new LinkedHashMap<>();
        known.put(
                "init by (a higher epoch|the epoch before the last|the last epoch|the next epoch) when open2?",
                "Kafka lets anybody who has the producer id end the open transaction (T3, T12)");
        known.put(
                "init without claim again when open2?|init without claim( again)? when fenced2?|describe when fenced2?",
                "an end against the producer's will raises the epoch by two, so that the producer's own end is not taken for a repeat of it (T6)");
        known.put(
                "(commit|abort) by the last epoch when (committed|aborted)",
                "Kafka takes a request of the epoch before for a repeat of an end that did not raise the epoch (T12)");
        known.put(
                "end after mark (a second time|with the other result), .*",
                "Kafka writes a marker again that was written already (T7)");
        known.put("write at the beginning after one (committed|aborted) by v5", "as before: other offsets");
        known.put(
                "(mark|producers after mark|end after mark) by (a coordinator that there is not|an older coordinator), .*",
                "Kafka believes every epoch of a coordinator, and then fences the real one; we refuse what no coordinator can have (T2)");
        known.put(
                "mark a negative (epoch|producer)|(fetch|offset) at isolation 2, .*",
                "Kafka says UNKNOWN_SERVER_ERROR, we say whose mistake it is");
        known.put(
                "write by the nameless",
                "nobody has such an id, and we say so as of any other; Kafka calls it invalid");
        return known;
    }

    @Test
    void answersAsKafkaDoes() throws IOException {
        try (TestBroker kafka = PeerBroker.start(SETTINGS);
                TestBroker ours = BrokerOfThisBuild.start(SETTINGS)) {
            Map<String, String> expected = ask(kafka.port());
            Map<String, String> got = ask(ours.port());
            KNOWN.keySet().forEach(label -> assertNotEquals(of(label, expected), of(label, got), label));
            KNOWN.keySet().forEach(label -> {
                expected.keySet().removeAll(of(label, expected).keySet());
                got.keySet().removeAll(of(label, got).keySet());
            });
            assertEquals("", AnswerDifference.between(expected, got));
        }
    }

    private static Map<String, String> of(String label, Map<String, String> answers) {
        Map<String, String> some = new TreeMap<>(answers);
        some.keySet().removeIf(each -> !each.matches("(" + label + ") \\| .*"));
        return some;
    }

    private static Map<String, String> ask(int port) throws IOException {
        try (Conversation talk = new Conversation(port)) {
            TransactionQuestions.ask(talk);
            TransactionDataQuestions.ask(talk);
            TransactionOffsetQuestions.ask(talk);
            Map<String, String> answers = talk.answers();
            // As DataDifferentialTest; also the times of markers, and that of a duplicate, which Kafka tells as if it
            // were LogAppendTime.
            answers.replaceAll((question, answer) -> answer.replaceAll("\"errorMessage\":(null|\"text\"),", "")
                    .replaceAll("(\"baseOffset\":-1,\"errorCode\":-?[1-9].*?\"logStartOffset\":)-?\\d+", "$1*")
                    .replaceAll("\"timestamp\":(?!" + TransactionSteps.TIME + ")\\d{13}", "\"timestamp\":*")
                    .replace("\"logAppendTimeMs\":" + TransactionSteps.TIME, "\"logAppendTimeMs\":-1"));
            return answers;
        }
    }

    /** Kafka never answers a verification of no transaction. */
    @Test
    void noTransactionsAreVerifiedAtOnce(TestBroker broker) throws IOException {
        try (RawConnection connection = new RawConnection("127.0.0.1", broker.port())) {
            AddPartitionsToTxnResponseData answer = (AddPartitionsToTxnResponseData)
                    connection.ask(ApiKeys.ADD_PARTITIONS_TO_TXN, (short) 5, new AddPartitionsToTxnRequestData());
            assertEquals(0, answer.errorCode());
            assertEquals(0, answer.resultsByTransaction().size());
        }
    }

    /** Kafka never answers when all that one of several producers wrote is unknown. */
    @Test
    void markersOfSeveralProducersAreAnsweredWhereverTheyGo(TestBroker broker) throws IOException {
        try (Conversation talk = new Conversation(broker.port())) {
            talk.awaitCoordinator("any");
            WriteTxnMarkersRequestData request = new WriteTxnMarkersRequestData()
                    .setMarkers(List.of(marker("__consumer_offsets"), marker("nobody")));
            WriteTxnMarkersResponseData answer =
                    (WriteTxnMarkersResponseData) talk.step(ApiKeys.WRITE_TXN_MARKERS, 1, request);
            assertEquals(Errors.NONE.code(), errorOf(answer, 0));
            assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), errorOf(answer, 1));
        }
    }

    /** With Kafka the id hangs: its own coordinator counts as an old one from then on. */
    @Test
    void aMarkerOfACoordinatorThatThereIsNotHangsNobody(TestBroker broker) throws IOException {
        try (Conversation talk = new Conversation(broker.port())) {
            talk.askLatest(
                    "a topic", ApiKeys.CREATE_TOPICS, AdminQuestions.topics(AdminQuestions.topic("hanging", 1, 1)));
            talk.awaitCoordinator("any");
            TransactionSteps steps = new TransactionSteps(talk, "hanging");
            steps.awaitCoordinator();
            TransactionSteps.Writer writer = steps.produced(steps.init("hung"), TransactionSteps.PRODUCE_2, 0, 0);
            WritableTxnMarker marker = marker("hanging")
                    .setProducerId(writer.producerId())
                    .setProducerEpoch(writer.epoch())
                    .setCoordinatorEpoch(Integer.MAX_VALUE);
            WriteTxnMarkersResponseData answer = (WriteTxnMarkersResponseData) talk.step(
                    ApiKeys.WRITE_TXN_MARKERS, 1, new WriteTxnMarkersRequestData().setMarkers(List.of(marker)));
            assertEquals(Errors.INVALID_REQUEST.code(), errorOf(answer, 0));
            TransactionSteps.Writer next = steps.ended(writer, TransactionSteps.END_2, true);
            steps.ended(steps.produced(next, TransactionSteps.PRODUCE_2, 0, 0), TransactionSteps.END_2, false);
        }
    }

    private static WritableTxnMarker marker(String topic) {
        return new WritableTxnMarker()
                .setProducerId(99_000)
                .setProducerEpoch((short) 1)
                .setCoordinatorEpoch(0)
                .setTopics(List.of(new WritableTxnMarkerTopic().setName(topic).setPartitionIndexes(List.of(0))));
    }

    private static short errorOf(WriteTxnMarkersResponseData answer, int marker) {
        return answer.markers().get(marker).topics().get(0).partitions().get(0).errorCode();
    }
}
