package group;

import java.util.List;
import metadata.ConfigTarget;
import metadata.DirectoryId;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;

/** Metadata images of topics that come, grow and go. */
final class TopicImages {
    private MetadataImage image = MetadataImage.empty("test");
    private int made;

    MetadataImage image() {
        return image;
    }

    TopicImages topic(String name, int partitions) {
        Uuid id = new Uuid(99, ++made);
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(MetadataRecords.topic(name, id), image.version());
        MetadataImage withTopic = delta.image(image.version() + 1);
        image = withTopic;
        return grow(name, partitions);
    }

    /** To so many partitions in all. */
    TopicImages grow(String name, int partitions) {
        MetadataDelta delta = new MetadataDelta(image);
        long version = image.version();
        for (int i = image.topic(name).partitions().size(); i < partitions; i++) {
            PartitionImage partition =
                    new PartitionImage(i, 1, 0, 0, List.of(1), List.of(1), List.of(DirectoryId.UNASSIGNED));
            delta.apply(MetadataRecords.partition(id(name), partition), version++);
        }
        image = delta.image(version);
        return this;
    }

    TopicImages remove(String name) {
        return apply(MetadataRecords.removeTopic(id(name)));
    }

    TopicImages groupConfig(String group, String key, String value) {
        return apply(MetadataRecords.config(new ConfigTarget(ConfigTarget.GROUP, group), key, value));
    }

    /** Set while the brokers run, for all of them. */
    TopicImages brokerConfig(String key, String value) {
        return apply(MetadataRecords.config(ConfigTarget.broker(-1), key, value));
    }

    private TopicImages apply(highwater.metadata.MetadataRecord record) {
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(record, image.version());
        image = delta.image(image.version() + 1);
        return this;
    }

    Uuid id(String name) {
        return image.topic(name).id();
    }
}
