package group;

import config.GroupConfig;
import coordinator.ShardContext;
import metadata.MetadataImage;
import records.schemas.GroupRecord;

/** The committed offsets of a shard's groups (rules G7, G8, G10; expiry by KIP-211). */
public final class CommittedOffsets {
    private final ShardContext<GroupRecord> context;
    private final GroupConfig config;
    private final Groups groups;
    private final ClassicGroups classic;

    CommittedOffsets(ShardContext<GroupRecord> context, GroupConfig config, Groups groups, ClassicGroups classic) {
        this.context = context;
        this.config = config;
        this.groups = groups;
        this.classic = classic;
    }

    void loaded() {}

    void imageChanged(MetadataImage before, MetadataImage now) {}
}
