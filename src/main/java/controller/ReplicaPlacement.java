package controller;

import common.RandomSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/** Where the replicas of new partitions go: as asked, or spread over racks and brokers; and into which log directories. For one topic of one request. */
final class ReplicaPlacement {

    private final MetadataImage image;
    private final RandomSource random;
    private final DirectoryChoice directories;

    ReplicaPlacement(MetadataImage image, RandomSource random) {
        this.image = image;
        this.random = random;
        this.directories = new DirectoryChoice(image);
    }

    /** Partitions {@code first} to {@code first + count - 1}, each with {@code factor} replicas. */
    List<PartitionImage> spread(int first, int count, int factor) throws Refusal {
        RackPlacement racks = new RackPlacement(image.brokers(), random);
        if (factor > racks.brokers()) {
            throw tooFew(
                    factor,
                    "The target replication factor of " + factor + " cannot be reached because only " + racks.brokers()
                            + " broker(s) are registered or some brokers have all their log directories cordoned.");
        }
        if (!racks.anybodyActive()) {
            throw tooFew(factor, "All brokers are currently fenced, or have all their log directories cordoned.");
        }
        List<PartitionImage> partitions = new ArrayList<>(count);
        for (int partition = first; partition < first + count; partition++) {
            partitions.add(partition(partition, racks.next(factor)));
        }
        return partitions;
    }

    private static Refusal tooFew(int factor, String why) {
        return new Refusal(
                Errors.INVALID_REPLICATION_FACTOR, "Unable to replicate the partition " + factor + " time(s): " + why);
    }

    /** One partition on exactly these brokers. */
    PartitionImage manual(int partition, List<Integer> replicas) throws Refusal {
        check(image, replicas);
        if (replicas.stream().noneMatch(this::isActive)) {
            throw refused("All brokers specified in the manual partition assignment for partition " + partition
                    + " are fenced or in controlled shutdown.");
        }
        return partition(partition, replicas);
    }

    /** Whether a partition can be on exactly these brokers. */
    static void check(MetadataImage image, List<Integer> replicas) throws Refusal {
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

    /** Led by the first that takes part; only those are in the ISR (C2). */
    private PartitionImage partition(int partition, List<Integer> replicas) {
        List<Integer> isr = replicas.stream().filter(this::isActive).toList();
        List<Uuid> where = replicas.stream().map(directories::next).toList();
        return new PartitionImage(partition, isr.get(0), 0, 0, List.copyOf(replicas), isr, where);
    }

    private boolean isActive(int broker) {
        return PartitionChanges.isActive(image.broker(broker));
    }
}
