package group;

import config.GroupConfig;
import coordinator.ShardContext;
import metadata.MetadataImage;
import records.schemas.GroupRecord;

/** The consumer group protocol of KIP-848: members heartbeat, the coordinator assigns. */
public final class ConsumerGroups {
    private final ShardContext<GroupRecord> context;
    private final GroupConfig config;
    private final Groups groups;
    private final ClassicGroups classic;

    ConsumerGroups(ShardContext<GroupRecord> context, GroupConfig config, Groups groups, ClassicGroups classic) {
        this.context = context;
        this.config = config;
        this.groups = groups;
        this.classic = classic;
    }

    void loaded() {}

    void imageChanged(MetadataImage before, MetadataImage now) {}
}
