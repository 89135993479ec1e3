package services;

import common.Callback;
import common.FailureCode;
import common.Mailboxes;
import common.OwnerId;
import common.PartitionId;
import coordinator.Coordinator;
import group.GroupCoordinator;
import group.GroupShard;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.internals.Topic;

/**
 * The group coordinators of this node as one caller sees them: finds a group's partition and the owner that leads it. Confined to its caller's owner. Fails
 * with NOT_COORDINATOR, COORDINATOR_LOADING or COORDINATOR_NOT_AVAILABLE as {@link Coordinator} says.
 */
public final class GroupCoordinators {
    private final Mailboxes mailboxes;
    private final List<OwnerId<GroupCoordinator>> owners = new ArrayList<>();

    public GroupCoordinators(Mailboxes mailboxes, int loops) {
        this.mailboxes = mailboxes;
        for (int loop = 0; loop < loops; loop++) {
            owners.add(new OwnerId<>(GroupCoordinator.class, loop));
        }
    }

    /** The partition of __consumer_offsets that keeps a group, as every Kafka broker and client computes it; -1 while there is no such topic. */
    public static int partitionOf(String groupId, MetadataImage image) {
        TopicImage topic = image.topic(Topic.GROUP_METADATA_TOPIC_NAME);
        return topic == null
                ? -1
                : (groupId.hashCode() & Integer.MAX_VALUE) % topic.partitions().size();
    }

    public <T> void write(
            MetadataImage image,
            String groupId,
            long timeoutMillis,
            Coordinator.Write<GroupShard, T> request,
            Callback<T> done) {
        int partition = partitionOf(groupId, image);
        if (partition < 0) {
            done.fail(FailureCode.NOT_COORDINATOR, "no group was used yet: ask for the coordinator first");
            return;
        }
        mailboxes.call(
                owner(image, partition),
                (coordinator, reply) -> coordinator.write(partition, request, reply),
                timeoutMillis,
                done);
    }

    public <T> void park(
            MetadataImage image,
            String groupId,
            long timeoutMillis,
            Coordinator.ParkingWrite<GroupShard, T> request,
            Callback<T> done) {
        int partition = partitionOf(groupId, image);
        if (partition < 0) {
            done.fail(FailureCode.NOT_COORDINATOR, "no group was used yet: ask for the coordinator first");
            return;
        }
        mailboxes.call(
                owner(image, partition),
                (coordinator, reply) -> coordinator.park(partition, request, reply),
                timeoutMillis,
                done);
    }

    public <T> void read(
            MetadataImage image,
            String groupId,
            long timeoutMillis,
            Coordinator.Read<GroupShard, T> question,
            Callback<T> done) {
        int partition = partitionOf(groupId, image);
        if (partition < 0) {
            done.fail(FailureCode.NOT_COORDINATOR, "no group was used yet: ask for the coordinator first");
            return;
        }
        mailboxes.call(
                owner(image, partition),
                (coordinator, reply) -> coordinator.read(partition, question, reply),
                timeoutMillis,
                done);
    }

    /** Asks every shard of this node; answers by loop, then partition. */
    public <T> void readAll(Coordinator.Read<GroupShard, T> question, long timeoutMillis, Callback<List<T>> done) {
        List<T> all = new ArrayList<>();
        readFrom(0, question, timeoutMillis, all, done);
    }

    private <T> void readFrom(
            int loop,
            Coordinator.Read<GroupShard, T> question,
            long timeoutMillis,
            List<T> all,
            Callback<List<T>> done) {
        if (loop == owners.size()) {
            done.succeed(all);
            return;
        }
        Callback<List<T>> more = (answers, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            all.addAll(answers);
            readFrom(loop + 1, question, timeoutMillis, all, done);
        };
        mailboxes.call(
                owners.get(loop), (coordinator, reply) -> coordinator.readAll(question, reply), timeoutMillis, more);
    }

    private OwnerId<GroupCoordinator> owner(MetadataImage image, int partition) {
        PartitionId id =
                new PartitionId(image.topic(Topic.GROUP_METADATA_TOPIC_NAME).id(), partition);
        return owners.get(id.shard(owners.size()));
    }
}
