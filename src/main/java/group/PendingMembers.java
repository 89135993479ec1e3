package group;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongConsumer;

/** Members ids that were handed out (MEMBER_ID_REQUIRED) and not used yet, oldest first. */
final class PendingMembers {
    /** Ids that one group keeps: whoever asks for ids without using them pushes his own out. */
    static final int MAX = 10_000;

    private final Set<String> ids = new LinkedHashSet<>();
    private final LongConsumer resized;

    /** @param resized told by how many bytes these change */
    PendingMembers(LongConsumer resized) {
        this.resized = resized;
    }

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
        if (ids.add(id)) {
            resized.accept(Footprint.ofPendingMember(id));
        }
        if (ids.size() <= MAX) {
            return null;
        }
        String oldest = ids.iterator().next();
        remove(oldest);
        return oldest;
    }

    boolean remove(String id) {
        boolean was = ids.remove(id);
        if (was) {
            resized.accept(-Footprint.ofPendingMember(id));
        }
        return was;
    }

    Set<String> ids() {
        return ids;
    }
}
