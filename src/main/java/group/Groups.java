package group;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The groups of one shard by id. Confined to the shard. */
final class Groups {
    private final Map<String, Group> groups = new LinkedHashMap<>();
    private GroupCounts counts;

    /** null when there is none. */
    Group get(String id) {
        return groups.get(id);
    }

    /** Replaces a group of the same id. */
    void put(Group group) {
        count(groups.put(group.id(), group), -1);
        count(group, 1);
    }

    void remove(String id) {
        count(groups.remove(id), -1);
    }

    Collection<Group> all() {
        return Collections.unmodifiableCollection(groups.values());
    }

    /** From now on the groups are among those counted; null: not any more. */
    void countIn(GroupCounts these) {
        groups.values().forEach(each -> count(each, -1));
        counts = these;
        groups.values().forEach(each -> count(each, 1));
    }

    private void count(Group group, int change) {
        if (counts != null && group != null) {
            counts.count(group, change);
        }
    }

    /** A classic group changes its state. */
    void moved(ClassicGroup group, ClassicState from, ClassicState to) {
        if (counts != null && groups.get(group.id()) == group) {
            counts.count(from, -1);
            counts.count(to, 1);
        }
    }
}
