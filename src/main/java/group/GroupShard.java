package group;

import common.Failure;
import config.GroupConfig;
import coordinator.CoordinatorShard;
import coordinator.ShardContext;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicChange;
import records.schemas.ConsumerGroupRecord;
import records.schemas.GroupMetadataRecord;
import records.schemas.GroupRecord;
import records.schemas.OffsetCommitRecord;

/**
 * All groups of one partition of __consumer_offsets: hands each record and request to the part that it concerns. Confined to the coordinator's owner.
 */
public final class GroupShard implements CoordinatorShard<GroupRecord> {
    private final GroupCounts counts;
    private final Groups groups;
    private final CommittedOffsets offsets;
    private final ClassicGroups classic;
    private final ConsumerGroups consumer;
    private final GroupAdmin admin;

    /** @param counts of the groups of all shards of the owner */
    public GroupShard(ShardContext<GroupRecord> context, GroupConfig config, GroupCounts counts) {
        this.counts = counts;
        this.groups = new Groups(context.memory());
        this.classic = new ClassicGroups(context, config, groups);
        this.consumer = new ConsumerGroups(context, config, groups, classic);
        this.offsets = new CommittedOffsets(context, config, groups, classic);
        this.admin = new GroupAdmin(groups, offsets);
    }

    /** Commits, reads, expiry and deletion of offsets. */
    public CommittedOffsets offsets() {
        return offsets;
    }

    /** JoinGroup, SyncGroup, Heartbeat, LeaveGroup. */
    public ClassicGroups classic() {
        return classic;
    }

    /** ConsumerGroupHeartbeat and ConsumerGroupDescribe (KIP-848). */
    public ConsumerGroups consumer() {
        return consumer;
    }

    /** ListGroups, DescribeGroups, DeleteGroups. */
    public GroupAdmin admin() {
        return admin;
    }

    Groups groups() {
        return groups;
    }

    @Override
    public void replay(GroupRecord record) {
        if (record instanceof OffsetCommitRecord commit) {
            offsets.replay(commit);
        } else if (record instanceof GroupMetadataRecord metadata) {
            classic.replay(metadata);
        } else if (record instanceof ConsumerGroupRecord it) {
            consumer.replay(it);
        } else {
            throw new IllegalArgumentException("a record of an unknown kind: " + record.getClass());
        }
    }

    @Override
    public void replayTransactional(long producerId, short producerEpoch, GroupRecord record) {
        if (record instanceof OffsetCommitRecord commit) {
            offsets.replayTransactional(producerId, commit);
        } else {
            throw new IllegalArgumentException("a record that is never part of a transaction: " + record.getClass());
        }
    }

    @Override
    public void replayMarker(long producerId, short producerEpoch, boolean commit) {
        offsets.replayMarker(producerId, commit);
    }

    @Override
    public void loaded() {
        groups.countIn(counts);
        classic.loaded();
        consumer.loaded();
        offsets.loaded();
    }

    @Override
    public void imageChanged(MetadataImage before, MetadataImage now) {
        if (groups.all().isEmpty()) {
            // Mostly: there are many shards, and comparing images takes a look at each topic.
            consumer.imageSkipped(now);
            return;
        }
        List<TopicChange> changes = now.topicChangesSince(before);
        consumer.imageChanged(changes, now);
        offsets.imageChanged(changes);
    }

    @Override
    public void unloaded(Failure why) {
        groups.countIn(null);
        classic.unloaded(why);
    }
}
