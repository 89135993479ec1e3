package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;

class ExplanationTest {

    @Test
    void theHintFitsTheProblem() {
        hint("older than this command", new UnsupportedVersionException("no such request"));
        hint("config describe", new InvalidConfigurationException("no such key"));
        hint("groups list", new GroupIdNotFoundException("no such group"));
        hint("members must end first", new GroupNotEmptyException("busy"));
        hint("members must end first", new UnknownMemberIdException("busy"));
        hint("reads the topic", new GroupSubscribedToTopicException("busy"));
        hint("", new KafkaException("who knows"));
    }

    private static void hint(String expected, KafkaException problem) {
        CliFailure failure = Explanation.of(new ExecutionException(problem));
        assertEquals(problem.getMessage(), failure.getMessage());
        assertTrue(failure.hint().contains(expected), failure.hint());
        assertEquals(expected.isEmpty(), failure.hint().isEmpty(), failure.hint());
    }
}
