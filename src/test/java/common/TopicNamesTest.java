package common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Random;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;
import org.junit.jupiter.api.Test;

/** Kafka's own check is the judge. */
class TopicNamesTest {
    private static final String CHARACTERS = "azAZ09._-.. /@é\u0000,:+";

    @Test
    void allowsWhatKafkaAllows() {
        long seed = 4711;
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            String name = random(random);
            assertEquals(isLegalInKafka(name), TopicNames.problem(name) == null, "seed " + seed + ": '" + name + "'");
            assertEquals(Topic.hasCollisionChars(name), TopicNames.mayCollide(name), name);
            assertEquals(Topic.unifyCollisionChars(name), TopicNames.collisionKey(name), name);
        }
    }

    @Test
    void knowsTheLongestName() {
        assertNull(TopicNames.problem("x".repeat(249)));
        assertNotNull(TopicNames.problem("x".repeat(250)));
    }

    @Test
    void knowsInternalTopics() {
        for (String name :
                new String[] {"__consumer_offsets", "__transaction_state", "__share_group_state", "orders"}) {
            assertEquals(Topic.isInternal(name), TopicNames.isInternal(name), name);
        }
        assertEquals(Topic.CLUSTER_METADATA_TOPIC_NAME, TopicNames.CLUSTER_METADATA);
    }

    private static String random(Random random) {
        StringBuilder name = new StringBuilder();
        int length = random.nextInt(4);
        for (int i = 0; i < length; i++) {
            name.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        return name.toString();
    }

    private static boolean isLegalInKafka(String name) {
        try {
            Topic.validate(name);
            return true;
        } catch (InvalidTopicException e) {
            return false;
        }
    }
}
