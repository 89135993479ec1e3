package services;

import common.Callback;
import common.FailureCode;
import common.Mailboxes;
import common.OwnerId;
import common.PartitionId;
import coordinator.Coordinator;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;

/**
 * The coordinators of one kind on this node as one caller sees them: finds the partition that keeps a key, and the owner that leads it. Confined to its caller's
 * owner. Fails with NOT_COORDINATOR, COORDINATOR_LOADING or COORDINATOR_NOT_AVAILABLE as {@link Coordinator} says.
 *
 * @param <C> the owners' interface
 * @param <S> the shards' type
 */
public class CoordinatorCalls<C extends Coordinator<S>, S> {
    private final Mailboxes mailboxes;
    private final String topic;
    private final List<OwnerId<C>> owners = new ArrayList<>();

    /** @param topic that keeps what they know */
    CoordinatorCalls(Mailboxes mailboxes, String topic, Class<C> type, int loops) {
        this.mailboxes = mailboxes;
        this.topic = topic;
        for (int loop = 0; loop < loops; loop++) {
            owners.add(new OwnerId<>(type, loop));
        }
    }

    /** The partition of an internal topic that keeps a key, as every Kafka broker and client computes it; -1 while there is no such topic. */
    static int partitionOf(String topicName, String key, MetadataImage image) {
        TopicImage topic = image.topic(topicName);
        return topic == null
                ? -1
                : (key.hashCode() & Integer.MAX_VALUE) % topic.partitions().size();
    }

    public <T> void write(
            MetadataImage image, String key, long timeoutMillis, Coordinator.Write<S, T> request, Callback<T> done) {
        call(image, key, timeoutMillis, done, (partition, owner, reply) -> owner.write(partition, request, reply));
    }

    public <T> void park(
            MetadataImage image,
            String key,
            long timeoutMillis,
            Coordinator.ParkingWrite<S, T> request,
            Callback<T> done) {
        call(image, key, timeoutMillis, done, (partition, owner, reply) -> owner.park(partition, request, reply));
    }

    public <T> void read(
            MetadataImage image, String key, long timeoutMillis, Coordinator.Read<S, T> question, Callback<T> done) {
        call(image, key, timeoutMillis, done, (partition, owner, reply) -> owner.read(partition, question, reply));
    }

    /** What is asked of the coordinator of a partition. */
    @FunctionalInterface
    interface Ask<C, T> {
        void on(int partition, C coordinator, Callback<T> reply);
    }

    <T> void call(MetadataImage image, String key, long timeoutMillis, Callback<T> done, Ask<C, T> ask) {
        int partition = partitionOf(topic, key, image);
        if (partition < 0) {
            done.fail(FailureCode.NOT_COORDINATOR, topic + " was not used yet: ask for the coordinator first");
            return;
        }
        callPartition(image, partition, timeoutMillis, done, ask);
    }

    /** @param partition of the topic, which exists */
    <T> void callPartition(MetadataImage image, int partition, long timeoutMillis, Callback<T> done, Ask<C, T> ask) {
        mailboxes.call(
                owner(image, partition),
                (coordinator, reply) -> ask.on(partition, coordinator, reply),
                timeoutMillis,
                done);
    }

    /** Asks every shard of this node; answers by loop, then partition. */
    public <T> void readAll(Coordinator.Read<S, T> question, long timeoutMillis, Callback<List<T>> done) {
        List<T> all = new ArrayList<>();
        readFrom(0, question, timeoutMillis, all, done);
    }

    private <T> void readFrom(
            int loop, Coordinator.Read<S, T> question, long timeoutMillis, List<T> all, Callback<List<T>> done) {
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

    private OwnerId<C> owner(MetadataImage image, int partition) {
        PartitionId id = new PartitionId(image.topic(topic).id(), partition);
        return owners.get(id.shard(owners.size()));
    }
}
