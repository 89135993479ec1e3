package group;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/** Which member of a KIP-848 group has which partition, or still has to give it up: one at any time (rule G5). Confined to the shard. */
final class PartitionOwners {
    private final Map<Uuid, Map<Integer, String>> owners = new TreeMap<>();

    /** null when nobody has it. */
    String owner(Uuid topic, int partition) {
        Map<Integer, String> ofTopic = owners.get(topic);
        return ofTopic == null ? null : ofTopic.get(partition);
    }

    /** What the member has now, in place of what it had. Partitions that another member took meanwhile stay with that one. */
    void replace(ConsumerMember before, ConsumerMember after) {
        if (before != null && after != null && sameSets(before, after)) {
            return;
        }
        if (before != null) {
            before.assigned().forEach((topic, partition, epoch) -> release(topic, partition, before.id()));
            before.revoking().forEach((topic, partition, epoch) -> release(topic, partition, before.id()));
        }
        if (after != null) {
            after.assigned().forEach((topic, partition, epoch) -> take(topic, partition, after.id()));
            after.revoking().forEach((topic, partition, epoch) -> take(topic, partition, after.id()));
        }
    }

    private static boolean sameSets(ConsumerMember before, ConsumerMember after) {
        return before.id().equals(after.id())
                && before.assigned().equals(after.assigned())
                && before.revoking().equals(after.revoking());
    }

    private void take(Uuid topic, int partition, String member) {
        owners.computeIfAbsent(topic, id -> new TreeMap<>()).put(partition, member);
    }

    private void release(Uuid topic, int partition, String member) {
        Map<Integer, String> ofTopic = owners.get(topic);
        if (ofTopic != null && ofTopic.remove(partition, member) && ofTopic.isEmpty()) {
            owners.remove(topic);
        }
    }
}
