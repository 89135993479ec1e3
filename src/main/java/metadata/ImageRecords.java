package metadata;

import highwater.metadata.MetadataRecord;
import java.util.function.Consumer;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;

/** An image as the records that make it again: the content of a snapshot (R12: every record type is in it). */
public final class ImageRecords {

    private ImageRecords() {}

    /** The image that the records of a snapshot make, as of {@code endOffset}. */
    public static MetadataImage read(Iterable<MetadataRecord> records, long endOffset, String clusterId) {
        MetadataDelta delta = new MetadataDelta(MetadataImage.empty(clusterId));
        for (MetadataRecord each : records) {
            delta.apply(each, endOffset);
        }
        return delta.image(endOffset);
    }

    /** In an order that {@link MetadataDelta} accepts on an empty image. */
    public static void write(MetadataImage image, Consumer<MetadataRecord> out) {
        if (image.isClusterRecorded()) {
            out.accept(MetadataRecords.cluster(image.clusterId()));
        }
        image.features().finalized().forEach((name, level) -> out.accept(MetadataRecords.feature(name, level)));
        for (BrokerImage broker : image.brokers()) {
            out.accept(MetadataRecords.broker(broker));
        }
        for (TopicImage topic : image.topicsById()) {
            out.accept(MetadataRecords.topic(topic.name(), topic.id()));
            for (PartitionImage partition : topic.partitions()) {
                out.accept(MetadataRecords.partition(topic.id(), partition));
            }
            topic.configs()
                    .forEach((key, value) ->
                            out.accept(MetadataRecords.config(ConfigTarget.topic(topic.name()), key, value)));
        }
        for (ConfigTarget target : image.configTargets()) {
            image.configs(target).forEach((key, value) -> out.accept(MetadataRecords.config(target, key, value)));
        }
        for (QuotaEntity entity : image.quotaEntities()) {
            image.quotas(entity).forEach((key, value) -> out.accept(MetadataRecords.quota(entity, key, value)));
        }
        if (image.nextProducerId() > 0) {
            out.accept(MetadataRecords.producerIds(-1, -1, image.nextProducerId()));
        }
    }
}
