package services;

import common.Callback;
import common.Mailboxes;
import coordinator.Coordinator;
import coordinator.Coordinator.ProducerTransaction;
import coordinator.TransactionEnd;
import group.GroupCoordinator;
import group.GroupShard;
import metadata.MetadataImage;
import org.apache.kafka.common.internals.Topic;

/** The group coordinators of this node, by group. */
public final class GroupCoordinators extends CoordinatorCalls<GroupCoordinator, GroupShard> {

    public GroupCoordinators(Mailboxes mailboxes, int loops) {
        super(mailboxes, Topic.GROUP_METADATA_TOPIC_NAME, GroupCoordinator.class, loops);
    }

    /** The partition of __consumer_offsets that keeps a group; -1 while there is no such topic. */
    public static int partitionOf(String groupId, MetadataImage image) {
        return partitionOf(Topic.GROUP_METADATA_TOPIC_NAME, groupId, image);
    }

    /** A write that is part of a producer's transaction. */
    public <T> void writeTransactional(
            MetadataImage image,
            String groupId,
            long timeoutMillis,
            ProducerTransaction transaction,
            Coordinator.Write<GroupShard, T> request,
            Callback<T> done) {
        call(
                image,
                groupId,
                timeoutMillis,
                done,
                (partition, owner, reply) -> owner.writeTransactional(partition, transaction, request, reply));
    }

    /** The end of a transaction in a partition of __consumer_offsets, which exists. */
    public void complete(
            MetadataImage image, int partition, TransactionEnd end, long timeoutMillis, Callback<Void> done) {
        callPartition(
                image,
                partition,
                timeoutMillis,
                done,
                (same, owner, reply) -> owner.completeTransaction(same, end, reply));
    }
}
