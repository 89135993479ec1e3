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

    /**
     * The group of that id, of any protocol; made as an empty one without protocol type when there is none. So begins the group of a consumer that assigns
     * itself: with its first commit, also when that is replayed.
     */
    Group orSimple(String id) {
        Group group = groups.get(id);
        if (group == null) {
            group = new SimpleGroup(id);
            groups.put(group);
        }
        return group;
    }

    void loaded() {}

    void unloaded(Failure why) {}
}
