package group;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import records.schemas.OffsetCommitRecord;

/**
 * Offsets that were committed inside of transactions which have not ended (rule T10), in the order of their records; changed by replay only. Of two commits of
 * a partition the one whose record is later in the log counts, whenever its transaction ended: else compaction, which keeps the later record, would change what was
 * committed. Confined to the shard.
 */
final class PendingOffsets {
    private final Map<Long, Map<Key, Pending>> producers = new LinkedHashMap<>();
    private final Map<Key, Map<Long, Pending>> partitions = new LinkedHashMap<>();
    private final Map<String, Set<Long>> groups = new TreeMap<>();
    /** The same by producer. */
    private final Map<Long, Set<String>> groupsOf = new LinkedHashMap<>();

    private final LongConsumer resized;
    private long records;

    /** @param resized told by how many bytes these change */
    PendingOffsets(LongConsumer resized) {
        this.resized = resized;
    }

    private record Key(String group, String topic, int partition) {
        static Key of(OffsetCommitRecord record) {
            return new Key(record.group(), record.topic(), record.partition());
        }
    }

    private static final class Pending {
        final OffsetCommitRecord record;
        final long order;
        boolean overtaken;

        Pending(OffsetCommitRecord record, long order) {
            this.record = record;
            this.order = order;
        }
    }

    /** Part of a transaction; replaces an earlier one of it. */
    void add(long producerId, OffsetCommitRecord record) {
        Key key = Key.of(record);
        Pending pending = new Pending(record, records++);
        Pending replaced = producers
                .computeIfAbsent(producerId, id -> new LinkedHashMap<>())
                .put(key, pending);
        resized.accept(Footprint.ofPending(record) - (replaced == null ? 0 : Footprint.ofPending(replaced.record)));
        partitions.computeIfAbsent(key, id -> new TreeMap<>()).put(producerId, pending);
        groups.computeIfAbsent(record.group(), id -> new TreeSet<>()).add(producerId);
        groupsOf.computeIfAbsent(producerId, id -> new TreeSet<>()).add(record.group());
    }

    /** A commit outside of transactions: those before it come too late. */
    void overtaken(OffsetCommitRecord by) {
        if (!producers.isEmpty()) {
            overtake(Key.of(by), Long.MAX_VALUE);
        }
    }

    private void overtake(Key key, long order) {
        Map<Long, Pending> all = partitions.get(key);
        if (all != null) {
            all.values().forEach(each -> each.overtaken |= each.order < order);
        }
    }

    /** The partition's offset was removed, and with it all that is pending of it. */
    void remove(OffsetCommitRecord tombstone) {
        Key key = Key.of(tombstone);
        Map<Long, Pending> gone = producers.isEmpty() ? null : partitions.remove(key);
        if (gone != null) {
            gone.keySet().forEach(producerId -> producers.get(producerId).remove(key));
            gone.values().forEach(each -> resized.accept(-Footprint.ofPending(each.record)));
        }
    }

    /**
     * A transaction has ended.
     *
     * @param committed gets what it has committed; null when it was aborted
     */
    void end(long producerId, Consumer<OffsetCommitRecord> committed) {
        Map<Key, Pending> ended = producers.remove(producerId);
        if (ended == null) {
            return;
        }
        for (String group : groupsOf.remove(producerId)) {
            Set<Long> open = groups.get(group);
            open.remove(producerId);
            if (open.isEmpty()) {
                groups.remove(group);
            }
        }
        ended.forEach((key, pending) -> {
            resized.accept(-Footprint.ofPending(pending.record));
            Map<Long, Pending> others = partitions.get(key);
            others.remove(producerId);
            if (others.isEmpty()) {
                partitions.remove(key);
            }
            if (committed != null && !pending.overtaken) {
                overtake(key, pending.order);
                committed.accept(pending.record);
            }
        });
    }

    /** Whether a transaction has committed an offset of the partition, and has not ended. */
    boolean has(String group, String topic, int partition) {
        return !producers.isEmpty() && partitions.containsKey(new Key(group, topic, partition));
    }

    /** Whether a transaction that has not ended has, or had, to do with the group. */
    boolean has(String group) {
        return groups.containsKey(group);
    }

    /** Of a group. */
    void forEach(String group, Consumer<OffsetCommitRecord> action) {
        for (long producerId : groups.getOrDefault(group, Set.of())) {
            producers.get(producerId).values().forEach(each -> {
                if (each.record.group().equals(group)) {
                    action.accept(each.record);
                }
            });
        }
    }

    /** Groups with open transactions, sorted. */
    Set<String> groups() {
        return new TreeSet<>(groups.keySet());
    }
}
