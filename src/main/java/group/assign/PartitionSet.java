package group.assign;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/** Partitions of topics. Immutable; topics in the order of their ids, partitions rising, no topic without partitions. */
public final class PartitionSet {

    public static final PartitionSet EMPTY = new PartitionSet(new Uuid[0], new int[0][]);

    private static final int[] NONE = {};

    private final Uuid[] topics;
    private final int[][] partitions;

    private PartitionSet(Uuid[] topics, int[][] partitions) {
        this.topics = topics;
        this.partitions = partitions;
    }

    /** Receives each partition, in order. */
    @FunctionalInterface
    public interface Visitor {
        void visit(Uuid topic, int partition);
    }

    /** Says yes or no of a partition. */
    @FunctionalInterface
    public interface Filter {
        boolean test(Uuid topic, int partition);
    }

    public boolean isEmpty() {
        return topics.length == 0;
    }

    /** Number of partitions. */
    public int size() {
        int size = 0;
        for (int[] some : partitions) {
            size += some.length;
        }
        return size;
    }

    public List<Uuid> topics() {
        return Collections.unmodifiableList(Arrays.asList(topics));
    }

    /** Rising; empty when there are none of this topic. */
    public List<Integer> of(Uuid topic) {
        int at = Arrays.binarySearch(topics, topic);
        List<Integer> list = new ArrayList<>();
        for (int partition : at < 0 ? NONE : partitions[at]) {
            list.add(partition);
        }
        return list;
    }

    public boolean contains(Uuid topic, int partition) {
        int at = Arrays.binarySearch(topics, topic);
        return at >= 0 && Arrays.binarySearch(partitions[at], partition) >= 0;
    }

    public void forEach(Visitor visitor) {
        for (int i = 0; i < topics.length; i++) {
            for (int partition : partitions[i]) {
                visitor.visit(topics[i], partition);
            }
        }
    }

    /** Receives the partitions of each topic, in order; not to be changed. */
    @FunctionalInterface
    interface TopicVisitor {
        void visit(Uuid topic, int[] partitions);
    }

    void forEachTopic(TopicVisitor visitor) {
        for (int i = 0; i < topics.length; i++) {
            visitor.visit(topics[i], partitions[i]);
        }
    }

    public PartitionSet where(Filter filter) {
        Builder kept = new Builder();
        forEach((topic, partition) -> {
            if (filter.test(topic, partition)) {
                kept.add(topic, partition);
            }
        });
        return kept.build();
    }

    @Override
    public boolean equals(Object other) {
        if (other == this) {
            return true;
        }
        return other instanceof PartitionSet that
                && Arrays.equals(topics, that.topics)
                && Arrays.deepEquals(partitions, that.partitions);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(topics) + Arrays.deepHashCode(partitions);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        forEach((topic, partition) -> text.append(text.isEmpty() ? "" : ", ")
                .append(topic)
                .append('-')
                .append(partition));
        return "[" + text + "]";
    }

    /** Takes partitions in any order, also twice. */
    public static final class Builder {
        private final Map<Uuid, int[]> partitions = new TreeMap<>();
        private final Map<Uuid, Integer> sizes = new TreeMap<>();
        // Partitions mostly come topic by topic.
        private Uuid last;
        private int[] lastPartitions;
        private int lastSize;

        public Builder add(Uuid topic, int partition) {
            if (!topic.equals(last)) {
                turnTo(topic);
            }
            if (lastSize == lastPartitions.length) {
                lastPartitions = Arrays.copyOf(lastPartitions, 2 * lastSize);
            }
            lastPartitions[lastSize++] = partition;
            return this;
        }

        private void turnTo(Uuid topic) {
            save();
            last = topic;
            lastPartitions = partitions.getOrDefault(topic, new int[4]);
            lastSize = sizes.getOrDefault(topic, 0);
        }

        private void save() {
            if (last != null) {
                partitions.put(last, lastPartitions);
                sizes.put(last, lastSize);
            }
        }

        public PartitionSet build() {
            save();
            if (partitions.isEmpty()) {
                return EMPTY;
            }
            Uuid[] topics = partitions.keySet().toArray(new Uuid[0]);
            int[][] all = new int[topics.length][];
            for (int i = 0; i < topics.length; i++) {
                int[] sorted = Arrays.copyOf(partitions.get(topics[i]), sizes.get(topics[i]));
                Arrays.sort(sorted);
                all[i] = distinct(sorted);
            }
            return new PartitionSet(topics, all);
        }

        private static int[] distinct(int[] sorted) {
            int size = 0;
            for (int value : sorted) {
                if (size == 0 || sorted[size - 1] != value) {
                    sorted[size++] = value;
                }
            }
            return size == sorted.length ? sorted : Arrays.copyOf(sorted, size);
        }
    }
}
