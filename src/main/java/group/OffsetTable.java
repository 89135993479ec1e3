package group;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.agrona.collections.Int2ObjectHashMap;
import org.apache.kafka.common.Uuid;
import records.schemas.OffsetCommitRecord;
import records.schemas.OffsetCommitRecord.Value;

/**
 * The committed offsets of a shard by group, topic and partition; changed by replay only. Made for millions of them: names and ids are shared, and a value is all
 * that a partition costs beside its place in a map. Confined to the shard.
 */
final class OffsetTable {
    private static final int FEW = 8;
    private static final float LOAD = 0.65f;

    private final Map<String, Map<String, Int2ObjectHashMap<Value>>> groups = new LinkedHashMap<>();
    private final Names names;
    private final LongConsumer resized;
    private long size;

    /** Gives the one instance that is kept of equal topic names and ids; any instance is right, an unshared one costs memory. */
    interface Names {
        String name(String topic);

        /** @param topic as {@link #name} gave it */
        Uuid id(String topic, Uuid id);
    }

    /** @param resized told by how many bytes the table changes */
    OffsetTable(Names names, LongConsumer resized) {
        this.names = names;
        this.resized = resized;
    }

    void replay(OffsetCommitRecord record) {
        if (record.tombstone()) {
            remove(record.group(), record.topic(), record.partition());
        } else {
            put(record.group(), record.topic(), record.partition(), record.value());
        }
    }

    private void put(String group, String topic, int partition, Value value) {
        Map<String, Int2ObjectHashMap<Value>> topics = groups.get(group);
        if (topics == null) {
            topics = new TreeMap<>();
            groups.put(group, topics);
        }
        Int2ObjectHashMap<Value> partitions = topics.get(topic);
        if (partitions == null) {
            partitions = new Int2ObjectHashMap<>(FEW, LOAD, false);
            topics.put(names.name(topic), partitions);
            resized.accept(Footprint.ofOffsets(topic));
        }
        Value before = partitions.put(partition, lean(topic, value));
        resized.accept(
                Footprint.ofOffset(value.metadata()) - (before == null ? 0 : Footprint.ofOffset(before.metadata())));
        if (before == null) {
            size++;
        }
    }

    private Value lean(String topic, Value value) {
        return new Value(
                value.offset(),
                value.leaderEpoch(),
                value.metadata().isEmpty() ? "" : value.metadata(),
                value.commitTimestamp(),
                value.expireTimestamp(),
                names.id(topic, value.topicId()));
    }

    private void remove(String group, String topic, int partition) {
        Map<String, Int2ObjectHashMap<Value>> topics = groups.get(group);
        Int2ObjectHashMap<Value> partitions = topics == null ? null : topics.get(topic);
        Value before = partitions == null ? null : partitions.remove(partition);
        if (before == null) {
            return;
        }
        size--;
        resized.accept(-Footprint.ofOffset(before.metadata()));
        if (partitions.isEmpty()) {
            resized.accept(-Footprint.ofOffsets(topic));
            topics.remove(topic);
            if (topics.isEmpty()) {
                groups.remove(group);
            }
        }
    }

    /** null when there is none. */
    Value get(String group, String topic, int partition) {
        Int2ObjectHashMap<Value> partitions = partitions(group, topic);
        return partitions == null ? null : partitions.get(partition);
    }

    /** Topics that a group has offsets of, sorted. A view: it changes with the table. */
    Set<String> topics(String group) {
        Map<String, Int2ObjectHashMap<Value>> topics = groups.get(group);
        return topics == null ? Set.of() : Collections.unmodifiableSet(topics.keySet());
    }

    /** Partitions that a group has offsets of, rising. A copy. */
    int[] partitionsOf(String group, String topic) {
        Int2ObjectHashMap<Value> partitions = partitions(group, topic);
        if (partitions == null) {
            return new int[0];
        }
        int[] sorted = new int[partitions.size()];
        Int2ObjectHashMap<Value>.KeyIterator keys = partitions.keySet().iterator();
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = keys.nextInt();
        }
        Arrays.sort(sorted);
        return sorted;
    }

    /** Groups with offsets, in the order of their first commit. A view. */
    Set<String> groups() {
        return Collections.unmodifiableSet(groups.keySet());
    }

    /** How many offsets there are. */
    long size() {
        return size;
    }

    private Int2ObjectHashMap<Value> partitions(String group, String topic) {
        Map<String, Int2ObjectHashMap<Value>> topics = groups.get(group);
        return topics == null ? null : topics.get(topic);
    }
}
