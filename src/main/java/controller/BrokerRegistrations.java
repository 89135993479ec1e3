package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.DirectoryId;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;

/**
 * Broker processes that come to be, and what may be lost in their log directories (rules C1, C3): where records may be gone the partition gets a new leader epoch, so
 * that no offset comes back with other content under an old one (rule I11).
 */
final class BrokerRegistrations {

    /**
     * A broker process has started; its epoch is the offset of its record, which is the last one.
     *
     * @param cleanStop false: what its directories hold may be less than they held
     */
    List<MetadataRecord> register(MetadataImage image, BrokerImage broker, boolean cleanStop) {
        boolean directoryGone = directoryGone(image.broker(broker.id()), broker);
        List<MetadataRecord> records = new ArrayList<>();
        for (TopicImage topic : image.topics()) {
            for (PartitionImage each : topic.partitions()) {
                boolean atRisk = !cleanStop || mayBeLost(each.directory(broker.id()), broker, directoryGone);
                if (each.replicas().contains(broker.id()) && atRisk) {
                    records.add(MetadataRecords.partition(topic.id(), each.inNextEpoch()));
                }
            }
        }
        records.add(MetadataRecords.broker(broker));
        return records;
    }

    private static boolean directoryGone(BrokerImage before, BrokerImage now) {
        return before != null && !now.logDirs().containsAll(before.logDirs());
    }

    /** A directory that cannot be read counts as gone: one that is there again, but emptied, has another id. */
    private static boolean mayBeLost(Uuid directory, BrokerImage broker, boolean directoryGone) {
        return DirectoryId.isReserved(directory)
                ? directoryGone
                : !broker.logDirs().contains(directory);
    }
}
