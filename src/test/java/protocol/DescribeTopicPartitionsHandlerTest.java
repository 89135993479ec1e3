package protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import services.ClusterImages;

class DescribeTopicPartitionsHandlerTest {
    private static final int MAX = 7;

    @Test
    void pagesPutTogetherAreTheWhole() {
        long seed = 99;
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            List<String> expected = new ArrayList<>();
            MetadataImage image = image(random, expected);
            DescribeTopicPartitionsRequestData request =
                    new DescribeTopicPartitionsRequestData().setResponsePartitionLimit(1 + random.nextInt(2 * MAX));
            if (random.nextBoolean()) {
                List<String> names = new ArrayList<>();
                image.topics().forEach(topic -> names.add(topic.name()));
                java.util.Collections.shuffle(names, random);
                names.forEach(name -> request.topics().add(new TopicRequest().setName(name)));
            }
            assertEquals(expected, allPages(image, request), "seed " + seed + ", round " + round);
        }
    }

    @Test
    void namesUnknownTopicsThatWereAskedFor() {
        DescribeTopicPartitionsRequestData request = new DescribeTopicPartitionsRequestData();
        for (String name : List.of("z", "b@d")) {
            request.topics().add(new TopicRequest().setName(name));
        }
        DescribeTopicPartitionsResponseData answer = ask(new ClusterImages().image(), request);
        assertEquals(
                List.of(Errors.INVALID_TOPIC_EXCEPTION.code(), Errors.UNKNOWN_TOPIC_OR_PARTITION.code()),
                answer.topics().stream().map(topic -> topic.errorCode()).toList());
    }

    @Test
    void refusesACursorThatPointsNowhere() {
        DescribeTopicPartitionsRequestData request =
                new DescribeTopicPartitionsRequestData().setCursor(new Cursor().setTopicName("x"));
        request.topics().add(new TopicRequest().setName("a"));
        request.topics().add(new TopicRequest().setName("y"));
        assertAllRefused(ask(new ClusterImages().image(), request));
        request.cursor().setTopicName("a").setPartitionIndex(-1);
        assertAllRefused(ask(new ClusterImages().image(), request));
    }

    private static void assertAllRefused(DescribeTopicPartitionsResponseData answer) {
        assertEquals(2, answer.topics().size());
        answer.topics().forEach(topic -> assertEquals(Errors.INVALID_REQUEST.code(), topic.errorCode()));
    }

    /** @param expected gets "topic-partition" of each, in order */
    private static MetadataImage image(Random random, List<String> expected) {
        ClusterImages images = new ClusterImages().broker(1, false, "PLAINTEXT", "h", 1);
        TreeSet<String> names = new TreeSet<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            names.add("topic" + random.nextInt(20));
        }
        int id = 0;
        for (String name : names) {
            int partitions = 1 + random.nextInt(10);
            images.topic(name, new Uuid(3, ++id), partitions, 1);
            for (int partition = 0; partition < partitions; partition++) {
                expected.add(name + "-" + partition);
            }
        }
        return images.image();
    }

    private static List<String> allPages(MetadataImage image, DescribeTopicPartitionsRequestData request) {
        List<String> seen = new ArrayList<>();
        for (int page = 0; page < 1000; page++) {
            DescribeTopicPartitionsResponseData answer = ask(image, request);
            int before = seen.size();
            answer.topics()
                    .forEach(topic -> topic.partitions()
                            .forEach(partition -> seen.add(topic.name() + "-" + partition.partitionIndex())));
            assertTrue(seen.size() - before <= Math.min(MAX, request.responsePartitionLimit()));
            if (answer.nextCursor() == null) {
                return seen;
            }
            request.setCursor(new Cursor()
                    .setTopicName(answer.nextCursor().topicName())
                    .setPartitionIndex(answer.nextCursor().partitionIndex()));
        }
        throw new AssertionError("no end of pages");
    }

    private static DescribeTopicPartitionsResponseData ask(
            MetadataImage image, DescribeTopicPartitionsRequestData request) {
        return HandlerCall.of(new DescribeTopicPartitionsHandler(MAX), 0, () -> image, request)
                .answer(DescribeTopicPartitionsResponseData.class);
    }
}
