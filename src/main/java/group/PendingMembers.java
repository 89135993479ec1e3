package group;

import java.util.LinkedHashSet;
import java.util.Set;

/** Members ids that were handed out (MEMBER_ID_REQUIRED) and not used yet, oldest first. */
final class PendingMembers {
    /** Ids that one group keeps: whoever asks for ids without using them pushes his own out. */
    static final int MAX = 10_000;

    private final Set<String> ids = new LinkedHashSet<>();

    boolean contains(String id) {
        return ids.contains(id);
    }

    boolean isEmpty() {
        return ids.isEmpty();
    }

    int size() {
        return ids.size();
    }

    /** Returns the id that is given up for it, or null. */
    String add(String id) {
        ids.add(id);
        if (ids.size() <= MAX) {
            return null;
        }
        String oldest = ids.iterator().next();
        ids.remove(oldest);
        return oldest;
    }

    boolean remove(String id) {
        return ids.remove(id);
    }

    Set<String> ids() {
        return ids;
    }
}
