package services;

import common.Mailboxes;
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
}
