package group;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** The topics that were made of late, so that patterns need not be matched with all of them again. Confined to the shard. */
final class NewTopics {
    /** Who has not looked since then looks at all topics. */
    static final int MAX = 10_000;

    private final ArrayDeque<Made> made = new ArrayDeque<>();
    /** All that were made later are known here. */
    private long since = Long.MAX_VALUE;

    private record Made(String name, long version) {}

    /** Knows of none that were made up to this version of the metadata, and will be told of all later ones. */
    void startAt(long version) {
        made.clear();
        since = version;
    }

    void add(String name, long version) {
        made.add(new Made(name, version));
        if (made.size() > MAX) {
            since = made.remove().version();
        }
    }

    /** Those that were made after this version of the metadata; null when some of them may not be known. */
    Collection<String> since(long version) {
        if (version < since) {
            return null;
        }
        Set<String> names = new LinkedHashSet<>();
        made.descendingIterator().forEachRemaining(each -> {
            if (each.version > version) {
                names.add(each.name);
            }
        });
        return names;
    }
}
