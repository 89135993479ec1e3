package coordinator;

import java.util.LinkedHashMap;
import java.util.Map;

/** Which producers have batches in a queue, so that nobody walks it to find out. Confined to the queue's owner. */
final class GatheredProducers {
    private final Map<Long, Held> held = new LinkedHashMap<>();

    /** Numbers of batches of one producer. */
    private static final class Held {
        int markers;
        final Map<Short, Integer> records = new LinkedHashMap<>(2);
    }

    void addMarker(long producerId) {
        held.computeIfAbsent(producerId, none -> new Held()).markers++;
    }

    void removeMarker(long producerId) {
        Held of = held.get(producerId);
        of.markers--;
        dropIfEmpty(producerId, of);
    }

    void addRecords(long producerId, short epoch) {
        held.computeIfAbsent(producerId, none -> new Held()).records.merge(epoch, 1, Integer::sum);
    }

    void removeRecords(long producerId, short epoch) {
        Held of = held.get(producerId);
        of.records.computeIfPresent(epoch, (same, count) -> count == 1 ? null : count - 1);
        dropIfEmpty(producerId, of);
    }

    private void dropIfEmpty(long producerId, Held of) {
        if (of.markers == 0 && of.records.isEmpty()) {
            held.remove(producerId);
        }
    }

    boolean hasMarker(long producerId) {
        Held of = held.get(producerId);
        return of != null && of.markers > 0;
    }

    boolean hasRecords(long producerId, short epoch) {
        Held of = held.get(producerId);
        return of != null && of.records.containsKey(epoch);
    }

    boolean hasAny(long producerId) {
        return held.containsKey(producerId);
    }

    void clear() {
        held.clear();
    }
}
