package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Partitions of which every replica may have lost records (rule C4): when all that were last known to have them take part again and have told where their logs end, the
 * one with the most leads. What was told is soft state of the active controller: a broker tells it after it was unfenced, and again until there is a leader.
 */
final class Recoveries {
    private static final Logger LOG = LoggerFactory.getLogger(Recoveries.class);

    private final Map<Key, Map<Integer, Told>> told = new LinkedHashMap<>();

    private record Key(Uuid topicId, int partition) {}

    private record Told(long brokerEpoch, ReplicaEnd end) {

        boolean hasMoreThan(Told other) {
            return other == null
                    || end.lastEpoch() > other.end.lastEpoch()
                    || (end.lastEpoch() == other.end.lastEpoch() && end.endOffset() > other.end.endOffset());
        }
    }

    /** The answer is how many partitions have a leader by it. */
    Decision<Integer> decide(PartitionChanges changes, int brokerId, long brokerEpoch, List<ReplicaEnd> ends) {
        MetadataImage image = changes.image();
        told.keySet().removeIf(each -> waiting(image, each) == null);
        BrokerImage broker = image.broker(brokerId);
        if (broker == null || broker.epoch() != brokerEpoch) {
            return Decision.unchanged(0);
        }
        List<MetadataRecord> records = new ArrayList<>();
        Set<Key> seen = new LinkedHashSet<>();
        for (ReplicaEnd end : ends) {
            Key key = new Key(end.topicId(), end.partition());
            PartitionImage partition = waiting(image, key);
            boolean asked =
                    partition != null && partition.eligible().lastKnown().contains(brokerId);
            if (!asked || !seen.add(key)) {
                continue;
            }
            Map<Integer, Told> known = told.computeIfAbsent(key, unused -> new TreeMap<>());
            known.put(brokerId, new Told(brokerEpoch, end));
            int most = most(image, partition, known);
            TopicImage topic = image.topic(end.topicId());
            if (most >= 0 && recover(changes, topic, partition, most, records)) {
                told.remove(key);
            }
        }
        return Decision.inParts(records, records.size());
    }

    private static boolean recover(
            PartitionChanges changes,
            TopicImage topic,
            PartitionImage partition,
            int most,
            List<MetadataRecord> records) {
        PartitionImage after =
                changes.of(topic, partition).withRecoveryFrom(most).next();
        LOG.warn(
                "{}-{} is recovered from broker {}: all of {} may have lost records, and it has the most",
                topic.name(),
                partition.partition(),
                most,
                partition.eligible().lastKnown());
        return PartitionChanges.add(records, topic, partition, after);
    }

    /** null: it has a leader, or somebody to wait for, or is gone. */
    private static PartitionImage waiting(MetadataImage image, Key key) {
        TopicImage topic = image.topic(key.topicId());
        int index = key.partition();
        if (topic == null || index < 0 || index >= topic.partitions().size()) {
            return null;
        }
        PartitionImage partition = topic.partitions().get(index);
        return partition.waitsForRecovery() ? partition : null;
    }

    /** -1: one of them is not there, or has not told yet. */
    private static int most(MetadataImage image, PartitionImage partition, Map<Integer, Told> known) {
        int most = -1;
        Told best = null;
        for (int member : partition.eligible().lastKnown()) {
            BrokerImage broker = image.broker(member);
            Told each = known.get(member);
            if (!PartitionChanges.isActive(broker) || each == null || each.brokerEpoch() != broker.epoch()) {
                return -1;
            }
            if (each.hasMoreThan(best)) {
                best = each;
                most = member;
            }
        }
        return most;
    }
}
