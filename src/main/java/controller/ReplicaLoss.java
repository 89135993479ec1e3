package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.DirectoryId;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;

/**
 * Which replicas of a broker that is back may have lost records (rule C3).
 *
 * @param broker its id
 * @param working its log directories; what lies in another is gone (S13)
 * @param unknown of what it holds nothing is known
 * @param directoryGone one that it had is gone: what lies in an unknown one may be, too
 * @param unsynced what was not synced may be gone
 * @param durable those who wrote it synced before they acknowledged, where a topic does not say otherwise
 */
record ReplicaLoss(
        int broker, List<Uuid> working, boolean unknown, boolean directoryGone, boolean unsynced, boolean durable) {

    private enum Kind {
        NOTHING,
        SOME,
        ALL
    }

    /**
     * A process that ended cleanly lost nothing; one that just ended lost nothing either while its host runs on, as the page cache has it. Of one that was taken off the
     * cluster nothing is known.
     *
     * @param known its earlier registration, null when there is none
     */
    static ReplicaLoss of(BrokerImage known, BrokerRegistrationRequestData request, BootReport report) {
        if (known == null) {
            return new ReplicaLoss(request.brokerId(), request.logDirs(), true, true, true, false);
        }
        return new ReplicaLoss(
                known.id(),
                request.logDirs(),
                false,
                !request.logDirs().containsAll(known.logDirs()),
                !isClean(known, request) && !isSameBoot(known, report),
                known.start().durable());
    }

    /**
     * The process before is gone, whatever its session says: this one runs on the same host since the same boot and holds the lock of a log directory that was the other's
     * (rule S12).
     */
    static boolean isSuccessor(BrokerImage known, BrokerRegistrationRequestData request, BootReport report) {
        return isSameBoot(known, report) && request.logDirs().stream().anyMatch(known.logDirs()::contains);
    }

    /** What the process before wrote and did not sync is there still, but may yet be lost with the power. */
    static boolean survivesUnsynced(BrokerImage known, BrokerRegistrationRequestData request, BootReport report) {
        return !isClean(known, request) && isSameBoot(known, report);
    }

    private static boolean isClean(BrokerImage known, BrokerRegistrationRequestData request) {
        return RegistrationRequests.cleanEpoch(known, request) >= 0;
    }

    private static boolean isSameBoot(BrokerImage known, BootReport report) {
        String boot = known.start().bootId();
        return report != null && boot != null && boot.equals(report.bootId());
    }

    /** The records that take the broker, which takes no part yet, out of what it was in: of ISR and ELR where it may have lost something. */
    List<MetadataRecord> records(PartitionChanges changes) {
        List<MetadataRecord> records = new ArrayList<>();
        for (TopicImage topic : changes.image().topics()) {
            for (PartitionImage each : topic.partitions()) {
                if (each.replicas().contains(broker)) {
                    PartitionChange change = changes.of(topic, each);
                    PartitionChange after = switch (loss(changes.image(), topic, each)) {
                        case NOTHING -> change;
                        case SOME -> change.withLoss(broker);
                        case ALL -> change.withNothing(broker);
                    };
                    PartitionChanges.add(records, topic, each, after.next());
                }
            }
        }
        return records;
    }

    private Kind loss(MetadataImage image, TopicImage topic, PartitionImage partition) {
        Uuid directory = partition.directory(broker);
        boolean unplaced = DirectoryId.isReserved(directory);
        if (!unplaced && !working.contains(directory)) {
            return Kind.ALL;
        }
        boolean some = unknown || (unplaced && directoryGone) || (unsynced && !isSynced(image, topic));
        return some ? Kind.SOME : Kind.NOTHING;
    }

    /** I7: flush.messages=1 is durable acknowledgement; internal topics always have it. A dynamic setting of the brokers can take it away from them. */
    private boolean isSynced(MetadataImage image, TopicImage topic) {
        if (topic.internal()) {
            return true;
        }
        String own = topic.configs().get("flush.messages");
        return own == null
                ? durable && keepsDurable(image, broker) && keepsDurable(image, -1)
                : own.trim().equals("1");
    }

    private static boolean keepsDurable(MetadataImage image, int brokers) {
        String messages = image.brokerConfigs(brokers).get("log.flush.interval.messages");
        return messages == null || messages.trim().equals("1");
    }
}
