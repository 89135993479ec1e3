package crash;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Judges what the members of one group see, as it comes: a partition has one owner in an epoch (rules G4, G5), and a committed offset never goes back nor beyond
 * what was read (G8). One thread.
 */
final class GroupWatch {
    /** Of all members between two checks; each start of the broker brings new leader epochs, and checks. */
    private static final int MOST_RACES = 20;

    private final String group;
    /** Generation or member epoch, to partition, to owner. */
    private final Map<Integer, Map<TopicPartition, String>> owners = new TreeMap<>();

    private final BitSet read = new BitSet();
    private final Map<TopicPartition, Long> readTo = new LinkedHashMap<>();
    /** The latest offset that was acknowledged, or seen as committed. */
    private final Map<TopicPartition, Long> committed = new LinkedHashMap<>();

    private int losses;
    private int races;

    GroupWatch(String group) {
        this.group = group;
    }

    String group() {
        return group;
    }

    /** @param partitions all that the member has now */
    void assigned(int epoch, String member, Collection<TopicPartition> partitions) {
        Map<TopicPartition, String> ofEpoch = owners.computeIfAbsent(epoch, any -> new LinkedHashMap<>());
        for (TopicPartition each : partitions) {
            String other = ofEpoch.putIfAbsent(each, member);
            assertTrue(
                    other == null || other.equals(member),
                    () -> each + " of " + group + " belongs to " + other + " and to " + member + " in epoch " + epoch);
        }
    }

    /** A member was fenced: it may be, when its session was over, but must get over it. */
    void lost() {
        losses++;
    }

    /** A client lost its position to a race of its own, which is rare: else it is the broker that makes it so. */
    void raced(IllegalStateException how) {
        races++;
        if (races > MOST_RACES) {
            throw new AssertionError(
                    "members of " + group + " lost their positions " + races + " times since the last check", how);
        }
    }

    void read(ConsumerRecord<String, String> each) {
        read.set(Integer.parseInt(each.value()));
        readTo.merge(new TopicPartition(each.topic(), each.partition()), each.offset() + 1, Math::max);
    }

    boolean hasRead(BitSet numbers) {
        BitSet missing = (BitSet) numbers.clone();
        missing.andNot(read);
        return missing.isEmpty();
    }

    void acknowledged(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, each) -> committed.put(partition, each.offset()));
    }

    /** Asks what is committed. */
    void check(Admin admin) throws Exception {
        races = 0;
        Map<TopicPartition, OffsetAndMetadata> found = admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get();
        committed.forEach((partition, offset) -> {
            OffsetAndMetadata now = found.get(partition);
            assertTrue(
                    now != null && now.offset() >= offset,
                    () -> partition + " of " + group + ": " + offset + " was committed, found " + now);
        });
        found.forEach((partition, each) -> assertTrue(
                each.offset() <= readTo.getOrDefault(partition, 0L),
                () -> partition + " of " + group + ": nobody has read to " + each));
        acknowledged(found);
    }

    /** All that was read is committed, as far as was acknowledged or found. */
    boolean hasCommittedAll() {
        return readTo.entrySet().stream().allMatch(each -> each.getValue().equals(committed.get(each.getKey())));
    }

    @Override
    public String toString() {
        return group + " lost=" + losses + " races=" + races + " read=" + read.cardinality() + " to=" + readTo
                + " committed=" + committed;
    }
}
