package group;

import coordinator.StateMemory;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The groups of one shard by id. Confined to the shard. */
final class Groups {
    private final Map<String, Group> groups = new LinkedHashMap<>();
    private final StateMemory memory;
    private GroupCounts counts;

    Groups(StateMemory memory) {
        this.memory = memory;
    }

    /** null when there is none. */
    Group get(String id) {
        return groups.get(id);
    }

    /** Replaces a group of the same id. */
    void put(Group group) {
        forget(groups.put(group.id(), group));
        count(group, 1);
        memory.add(group.bytes());
    }

    void remove(String id) {
        forget(groups.remove(id));
    }

    private void forget(Group gone) {
        if (gone != null) {
            count(gone, -1);
            memory.add(-gone.bytes());
        }
    }

    /** A group takes so many bytes more, or fewer. */
    void resized(Group group, long change) {
        if (groups.get(group.id()) == group) {
            memory.add(change);
        }
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
