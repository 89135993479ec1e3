package group;

import common.Failure;
import config.GroupConfig;
import coordinator.ShardContext;
import records.schemas.GroupRecord;

/** The classic group protocol: members join, one of them assigns, all sync, then heartbeats. */
public final class ClassicGroups {
    private final ShardContext<GroupRecord> context;
    private final GroupConfig config;
    private final Groups groups;

    ClassicGroups(ShardContext<GroupRecord> context, GroupConfig config, Groups groups) {
        this.context = context;
        this.config = config;
        this.groups = groups;
    }

    void loaded() {}

    void unloaded(Failure why) {}
}
