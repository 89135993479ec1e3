package group;

import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import records.schemas.ConsumerGroupRecord.CurrentPartitions;

/** Partitions of a member, each with the epoch at which the member got it (KIP-1251). Immutable; topics and partitions in rising order. */
final class OwnedPartitions {

    static final OwnedPartitions EMPTY = new OwnedPartitions(new TreeMap<>());
    static final int NOT_OWNED = -1;

    private final SortedMap<Uuid, SortedMap<Integer, Integer>> epochs;

    private OwnedPartitions(SortedMap<Uuid, SortedMap<Integer, Integer>> epochs) {
        this.epochs = epochs;
    }

    @FunctionalInterface
    interface Visitor {
        void visit(Uuid topic, int partition, int epoch);
    }

    boolean isEmpty() {
        return epochs.isEmpty();
    }

    boolean contains(Uuid topic, int partition) {
        return epoch(topic, partition) != NOT_OWNED;
    }

    /** The epoch at which the member got it, or {@link #NOT_OWNED}. */
    int epoch(Uuid topic, int partition) {
        SortedMap<Integer, Integer> ofTopic = epochs.get(topic);
        Integer epoch = ofTopic == null ? null : ofTopic.get(partition);
        return epoch == null ? NOT_OWNED : epoch;
    }

    void forEach(Visitor visitor) {
        epochs.forEach((topic, partitions) ->
                partitions.forEach((partition, epoch) -> visitor.visit(topic, partition, epoch)));
    }

    /** By topic id: the partitions, rising. */
    Map<Uuid, SortedMap<Integer, Integer>> byTopic() {
        return Collections.unmodifiableMap(epochs);
    }

    OwnedPartitions where(PartitionSet.Filter filter) {
        Builder kept = new Builder();
        forEach((topic, partition, epoch) -> {
            if (filter.test(topic, partition)) {
                kept.add(topic, partition, epoch);
            }
        });
        return kept.build();
    }

    OwnedPartitions and(OwnedPartitions others) {
        Builder both = new Builder();
        forEach(both::add);
        others.forEach(both::add);
        return both.build();
    }

    PartitionSet toSet() {
        PartitionSet.Builder all = new PartitionSet.Builder();
        forEach((topic, partition, epoch) -> all.add(topic, partition));
        return all.build();
    }

    /** The same partitions, all with {@code epoch}. */
    OwnedPartitions at(int epoch) {
        Builder same = new Builder();
        forEach((topic, partition, before) -> same.add(topic, partition, epoch));
        return same.build();
    }

    static OwnedPartitions of(PartitionSet partitions, int epoch) {
        Builder all = new Builder();
        partitions.forEach((topic, partition) -> all.add(topic, partition, epoch));
        return all.build();
    }

    /** @param usual for partitions whose epoch an older writer did not write */
    static OwnedPartitions of(List<CurrentPartitions> topics, int usual) {
        Builder all = new Builder();
        for (CurrentPartitions topic : topics) {
            List<Integer> partitions = topic.partitions();
            List<Integer> known = topic.assignmentEpochs();
            boolean complete = known != null && known.size() == partitions.size();
            for (int i = 0; i < partitions.size(); i++) {
                all.add(topic.topicId(), partitions.get(i), complete ? known.get(i) : Math.max(usual, 0));
            }
        }
        return all.build();
    }

    List<CurrentPartitions> toRecord() {
        List<CurrentPartitions> topics = new ArrayList<>();
        epochs.forEach((topic, partitions) -> topics.add(
                new CurrentPartitions(topic, List.copyOf(partitions.keySet()), List.copyOf(partitions.values()))));
        return topics;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OwnedPartitions that && epochs.equals(that.epochs);
    }

    @Override
    public int hashCode() {
        return epochs.hashCode();
    }

    @Override
    public String toString() {
        return epochs.toString();
    }

    static final class Builder {
        private final SortedMap<Uuid, SortedMap<Integer, Integer>> epochs = new TreeMap<>();

        Builder add(Uuid topic, int partition, int epoch) {
            epochs.computeIfAbsent(topic, id -> new TreeMap<>()).put(partition, epoch);
            return this;
        }

        OwnedPartitions build() {
            return epochs.isEmpty() ? EMPTY : new OwnedPartitions(epochs);
        }
    }
}
