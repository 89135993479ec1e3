package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The life of classic groups in every version of their APIs, at this build's broker and at a real Kafka: the answers must not differ. */
class ClassicGroupDifferentialTest {
    private static final List<String> SETTINGS =
            List.of("group.initial.rebalance.delay.ms=100", "offsets.topic.num.partitions=1");

    @Test
    void answersAsKafkaDoes() throws IOException {
        try (TestBroker kafka = PeerBroker.start(SETTINGS);
                TestBroker ours = BrokerOfThisBuild.start(SETTINGS)) {
            assertEquals(
                    "",
                    AnswerDifference.between(
                            ClassicGroupQuestions.ask(kafka.port()), ClassicGroupQuestions.ask(ours.port())));
        }
    }
}
