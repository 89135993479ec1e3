package group;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The groups of one shard by id. Confined to the shard. */
final class Groups {
    private final Map<String, Group> groups = new LinkedHashMap<>();

    /** null when there is none. */
    Group get(String id) {
        return groups.get(id);
    }

    /** Replaces a group of the same id. */
    void put(Group group) {
        groups.put(group.id(), group);
    }

    void remove(String id) {
        groups.remove(id);
    }

    Collection<Group> all() {
        return Collections.unmodifiableCollection(groups.values());
    }
}
