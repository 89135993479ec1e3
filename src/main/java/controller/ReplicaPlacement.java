package controller;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import metadata.DirectoryId;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * Where the replicas of new partitions go: as asked, or spread round robin over the registered brokers; and on each broker into that of its log directories which
 * holds the fewest replicas (KIP-858). For one topic of one request.
 */
final class ReplicaPlacement {

    private final MetadataImage image;
    /** Replicas that this one has put into a directory. */
    private final Map<Uuid, Integer> added = new LinkedHashMap<>();

    ReplicaPlacement(MetadataImage image) {
        this.image = image;
    }

    /** Partitions {@code first} to {@code first + count - 1}, each with {@code factor} replicas. */
    List<PartitionImage> spread(int first, int count, int factor) throws Refusal {
        List<Integer> brokers = new ArrayList<>();
        for (BrokerImage broker : image.brokers()) {
            brokers.add(broker.id());
        }
        if (factor > brokers.size()) {
            throw new Refusal(
                    Errors.INVALID_REPLICATION_FACTOR,
                    "Unable to replicate the partition " + factor + " time(s): The target replication factor of "
                            + factor
                            + " cannot be reached because only " + brokers.size()
                            + " broker(s) are registered or some brokers have all their log directories cordoned.");
        }
        List<PartitionImage> partitions = new ArrayList<>(count);
        for (int partition = first; partition < first + count; partition++) {
            List<Integer> replicas = new ArrayList<>(factor);
            for (int replica = 0; replica < factor; replica++) {
                replicas.add(brokers.get((partition + replica) % brokers.size()));
            }
            partitions.add(partition(partition, replicas));
        }
        return partitions;
    }

    /** One partition on exactly these brokers. */
    PartitionImage manual(int partition, List<Integer> replicas) throws Refusal {
        if (replicas.isEmpty()) {
            throw refused("The manual partition assignment includes an empty replica list.");
        }
        Set<Integer> seen = new LinkedHashSet<>();
        List<Integer> sorted = replicas.stream().sorted().toList();
        for (int replica : sorted) {
            if (image.broker(replica) == null) {
                throw refused("The manual partition assignment includes broker " + replica
                        + ", but no such broker is registered.");
            }
            if (!seen.add(replica)) {
                throw refused("The manual partition assignment includes the broker " + replica + " more than once.");
            }
        }
        return partition(partition, replicas);
    }

    /** All partitions of a topic have as many replicas as its first. */
    static void sameFactor(int replicas, int expected) throws Refusal {
        if (replicas != expected) {
            throw refused("The manual partition assignment includes a partition with " + replicas
                    + " replica(s), but this is not consistent with previous partitions, which have " + expected
                    + " replica(s).");
        }
    }

    static Refusal refused(String message) {
        return new Refusal(Errors.INVALID_REPLICA_ASSIGNMENT, message);
    }

    private PartitionImage partition(int partition, List<Integer> replicas) {
        int leader = -1;
        for (int replica : replicas) {
            if (leader < 0 && !image.broker(replica).fenced()) {
                leader = replica;
            }
        }
        List<Uuid> directories = replicas.stream().map(this::directory).toList();
        return new PartitionImage(partition, leader, 0, 0, List.copyOf(replicas), List.copyOf(replicas), directories);
    }

    private Uuid directory(int broker) {
        Uuid least = DirectoryId.UNASSIGNED;
        int held = Integer.MAX_VALUE;
        for (Uuid each : image.broker(broker).logDirs()) {
            int holds = image.replicasIn(each) + added.getOrDefault(each, 0);
            if (holds < held) {
                least = each;
                held = holds;
            }
        }
        added.merge(least, 1, Integer::sum);
        return least;
    }
}
