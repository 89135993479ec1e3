package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import common.Callback;
import highwater.metadata.MetadataRecord;
import highwater.metadata.RemoveTopicRecord;
import highwater.metadata.TopicRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataCodec;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** A name that is taken again is given to its new topic only when the old one is gone on every shard (C7). */
class PublicationsTest {
    private static final Uuid OLD = new Uuid(1, 1);
    private static final Uuid NEW = new Uuid(1, 2);

    private record Sent(MetadataImage image, Callback<Void> applied) {}

    private final List<Sent> sent = new ArrayList<>();
    private final List<String> answered = new ArrayList<>();
    private final Publications publications = new Publications((image, applied) -> sent.add(new Sent(image, applied)));
    private final MetadataImage empty = MetadataImage.empty("cluster");
    private final MetadataImage before = added(empty, OLD, 1);
    private final MetadataImage gone = removed(before, OLD, 2);
    private final MetadataImage after = added(gone, NEW, 3);

    PublicationsTest() {
        publications.start();
        publish(before, "before");
        sent.get(0).applied.succeed(null);
    }

    private void publish(MetadataImage image, String name) {
        publications.publish(image, (applied, failure) -> answered.add(name));
    }

    private static MetadataImage added(MetadataImage base, Uuid id, long version) {
        MetadataDelta delta = new MetadataDelta(base);
        TopicRecord topic = TopicRecord.newBuilder()
                .setName("a")
                .setTopicId(MetadataCodec.bytes(id))
                .build();
        delta.apply(MetadataRecord.newBuilder().setTopic(topic).build(), version - 1);
        return delta.image(version);
    }

    private static MetadataImage removed(MetadataImage base, Uuid id, long version) {
        MetadataDelta delta = new MetadataDelta(base);
        RemoveTopicRecord removal = RemoveTopicRecord.newBuilder()
                .setTopicId(MetadataCodec.bytes(id))
                .build();
        delta.apply(MetadataRecord.newBuilder().setRemoveTopic(removal).build(), version - 1);
        return delta.image(version);
    }

    @Test
    void theNewTopicWaitsForADeletionInFlight() {
        publish(gone, "gone");
        publish(after, "after");
        assertEquals(2, sent.size());
        sent.get(1).applied.succeed(null);
        assertEquals(3, sent.size());
        assertEquals(NEW, sent.get(2).image.topic("a").id());
        sent.get(2).applied.succeed(null);
        assertEquals(List.of("before", "gone", "after"), answered);
    }

    @Test
    void deletionAndCreationInOneImageGoOutOneAfterTheOther() {
        publish(after, "after");
        assertEquals(2, sent.size());
        assertNull(sent.get(1).image.topic("a"));
        sent.get(1).applied.succeed(null);
        assertEquals(List.of("before"), answered);
        assertEquals(NEW, sent.get(2).image.topic("a").id());
        sent.get(2).applied.succeed(null);
        assertEquals(List.of("before", "after"), answered);
    }

    @Test
    void otherImagesDoNotWait() {
        publish(gone, "gone");
        MetadataDelta other = new MetadataDelta(gone);
        TopicRecord topic = TopicRecord.newBuilder()
                .setName("b")
                .setTopicId(MetadataCodec.bytes(NEW))
                .build();
        other.apply(MetadataRecord.newBuilder().setTopic(topic).build(), 3);
        publish(other.image(4), "other");
        assertEquals(3, sent.size());
    }
}
