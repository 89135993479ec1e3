package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.DirectoryId;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;

/**
 * Which replicas of a broker that is back may have lost records (rule C3).
 *
 * @param broker its id
 * @param working its log directories; what lies in another is gone
 * @param directoryGone one that it had is gone: so is what lies in an unknown one
 * @param unsynced what was not synced may be gone
 * @param durable it syncs before it acknowledges, where a topic does not say otherwise
 */
record ReplicaLoss(int broker, List<Uuid> working, boolean directoryGone, boolean unsynced, boolean durable) {

    /**
     * A process that ended cleanly lost nothing; one that just ended lost nothing either while its host runs on, as the page cache has it. Of one that was taken off the
     * cluster nothing is known.
     *
     * @param known its earlier registration, null when there is none
     */
    static ReplicaLoss of(BrokerImage known, BrokerRegistrationRequestData request, BootReport report) {
        if (known == null) {
            return new ReplicaLoss(request.brokerId(), List.of(), true, true, false);
        }
        boolean clean = RegistrationRequests.cleanEpoch(known, request) >= 0;
        String boot = known.start().bootId();
        boolean sameBoot = report != null && boot != null && boot.equals(report.bootId());
        return new ReplicaLoss(
                known.id(),
                request.logDirs(),
                !request.logDirs().containsAll(known.logDirs()),
                !clean && !sameBoot,
                report != null && report.durable());
    }

    /** The records that take the broker, which takes no part yet, out of what it was in: of ISR and ELR where it may have lost something. */
    List<MetadataRecord> records(PartitionChanges changes) {
        List<MetadataRecord> records = new ArrayList<>();
        for (TopicImage topic : changes.image().topics()) {
            for (PartitionImage each : topic.partitions()) {
                if (each.replicas().contains(broker)) {
                    PartitionChange change = changes.of(topic, each);
                    PartitionImage after =
                            isLost(topic, each) ? change.withLoss(broker).next() : change.next();
                    PartitionChanges.add(records, topic, each, after);
                }
            }
        }
        return records;
    }

    private boolean isLost(TopicImage topic, PartitionImage partition) {
        Uuid directory = partition.directory(broker);
        boolean gone = DirectoryId.isReserved(directory) ? directoryGone : !working.contains(directory);
        return gone || (unsynced && !isSynced(topic));
    }

    /** I7: flush.messages=1 is durable acknowledgement; internal topics always have it. */
    private boolean isSynced(TopicImage topic) {
        String own = topic.configs().get("flush.messages");
        return topic.internal() || (own == null ? durable : own.trim().equals("1"));
    }
}
