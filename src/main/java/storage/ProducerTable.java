package storage;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What is known of the producers of one partition, by producer id: open addressing, since a broker may know millions. A walk over all of them goes place by place
 * and keeps no copy of the ids ({@link #sweep}). Takes no memory while it is empty. Confined to one thread at a time.
 */
final class ProducerTable {

    private static final int FIRST_PLACES = 4;
    private static final long[] NO_IDS = {};
    private static final ProducerEntry[] NO_ENTRIES = {};

    /** Of the place with the same number; without meaning where there is no entry. */
    private long[] ids = NO_IDS;

    private ProducerEntry[] entries = NO_ENTRIES;
    private int size;
    /** Places that the sweep under way has left behind. */
    private int swept;

    int size() {
        return size;
    }

    /** How many places there are, free ones included: the length of a sweep. */
    int places() {
        return entries.length;
    }

    /** null when nothing is known of it. */
    ProducerEntry get(long producerId) {
        return size == 0 ? null : entries[find(producerId)];
    }

    void put(ProducerEntry entry) {
        if (size == entries.length / 2) {
            resize(Math.max(FIRST_PLACES, entries.length * 2));
        }
        int at = find(entry.producerId);
        if (entries[at] == null) {
            size++;
        }
        ids[at] = entry.producerId;
        entries[at] = entry;
    }

    void remove(long producerId) {
        int at = size == 0 ? -1 : find(producerId);
        if (at >= 0 && entries[at] != null) {
            removeAt(at);
        }
    }

    /** The place of the producer, or the free one where it would go; there is one. */
    private int find(long producerId) {
        int mask = entries.length - 1;
        int at = home(producerId);
        while (entries[at] != null && ids[at] != producerId) {
            at = (at + 1) & mask;
        }
        return at;
    }

    /** Fibonacci hashing: ids come in rows. */
    private int home(long producerId) {
        return (int) ((producerId * 0x9E3779B97F4A7C15L) >>> (Long.SIZE - Integer.numberOfTrailingZeros(ids.length)));
    }

    /** No tombstones: entries behind that would not be found any more move up. */
    private void removeAt(int hole) {
        int mask = entries.length - 1;
        int free = hole;
        for (int at = (hole + 1) & mask; entries[at] != null; at = (at + 1) & mask) {
            int home = home(ids[at]);
            boolean reachable = ((at - home) & mask) < ((at - free) & mask);
            if (!reachable) {
                ids[free] = ids[at];
                entries[free] = entries[at];
                free = at;
            }
        }
        entries[free] = null;
        size--;
    }

    private void resize(int places) {
        ProducerEntry[] old = entries;
        long[] oldIds = ids;
        entries = places == 0 ? NO_ENTRIES : new ProducerEntry[places];
        ids = places == 0 ? NO_IDS : new long[places];
        for (int i = 0; i < old.length; i++) {
            if (old[i] != null) {
                int at = find(oldIds[i]);
                ids[at] = oldIds[i];
                entries[at] = old[i];
            }
        }
        swept = 0;
    }

    /**
     * Removes what {@code gone} says, a little at a time: looks at {@code most} places, going on where the last call ended. The table may change between the
     * calls: when it grows the sweep begins anew, and an entry that a removal moves may be left for the next sweep. The last call gives memory back.
     *
     * @return how many places were looked at in this call, after which the next one begins a new sweep; {@link ProducerStates#MORE}: others are left
     */
    int sweep(int most, Predicate<ProducerEntry> gone) {
        int looked = 0;
        while (looked < most && swept < entries.length) {
            ProducerEntry entry = entries[swept];
            if (entry != null && gone.test(entry)) {
                // Another may have come to this place.
                removeAt(swept);
            } else {
                swept++;
            }
            looked++;
        }
        if (swept < entries.length) {
            return ProducerStates.MORE;
        }
        swept = 0;
        if (size < (entries.length + 7) / 8) {
            resize(size == 0 ? 0 : Math.max(FIRST_PLACES, Integer.highestOneBit(size) * 4));
        }
        return looked;
    }

    /** In no particular order. */
    void forEach(Consumer<ProducerEntry> each) {
        for (ProducerEntry entry : entries) {
            if (entry != null) {
                each.accept(entry);
            }
        }
    }

    /** All entries, by producer id. A copy. */
    ProducerEntry[] sorted() {
        ProducerEntry[] all = new ProducerEntry[size];
        int count = 0;
        for (ProducerEntry entry : entries) {
            if (entry != null) {
                all[count++] = entry;
            }
        }
        Arrays.sort(all, (a, b) -> Long.compare(a.producerId, b.producerId));
        return all;
    }
}
