package controller;

import common.RandomSource;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;

/** Makes ids of new topics (C7), and of a new cluster. */
final class TopicIds {

    private final RandomSource random;

    TopicIds(RandomSource random) {
        this.random = random;
    }

    /** Random (RFC 4122 version 4), none of Kafka's reserved ones, unused in {@code image}, and not starting with '-' in text, as Kafka's. */
    Uuid next(MetadataImage image) {
        while (true) {
            long high = (random.nextLong() & 0xffffffffffff0fffL) | 0x4000L;
            long low = (random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
            Uuid id = new Uuid(high, low);
            if (!Uuid.RESERVED.contains(id)
                    && image.topic(id) == null
                    && !id.toString().startsWith("-")) {
                return id;
            }
        }
    }
}
