package controller;

import common.RandomSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage.BrokerImage;

/**
 * Spreads the partitions of one topic (KIP-631's placement, by counting): each over as many racks as there are, leaders and replicas evenly over the brokers, at most
 * one replica on each. Brokers that take no part come last, and never first in a partition. Every round of leaders is shuffled, so that not always the same broker
 * stands in for another. Use once.
 */
final class RackPlacement {

    private final RandomSource random;
    private final List<Place> active = new ArrayList<>();
    private final List<Place> idle = new ArrayList<>();
    private final List<Place> toLead = new ArrayList<>();
    private int count;

    /** A broker and how much of the topic it has. */
    private static final class Place {
        private final int broker;
        private final String rack;
        private int replicas;

        Place(BrokerImage broker) {
            this.broker = broker.id();
            this.rack = broker.rack() == null ? "" : broker.rack();
        }
    }

    /** @param brokers at least one of which takes part */
    RackPlacement(Iterable<BrokerImage> brokers, RandomSource random) {
        this.random = random;
        for (BrokerImage broker : brokers) {
            (PartitionChanges.isActive(broker) ? active : idle).add(new Place(broker));
        }
    }

    int brokers() {
        return active.size() + idle.size();
    }

    boolean anybodyActive() {
        return !active.isEmpty();
    }

    /** The brokers of the next partition, the preferred leader first; {@code factor} is at most {@link #brokers}. */
    List<Integer> next(int factor) {
        List<Place> chosen = new ArrayList<>(factor);
        Map<String, Integer> racks = new TreeMap<>();
        Place leader = nextLeader();
        take(leader, chosen, racks);
        fill(active, active.indexOf(leader), factor, chosen, racks);
        fill(idle, count++, factor, chosen, racks);
        return chosen.stream().map(each -> each.broker).toList();
    }

    /** Each broker leads once in a round; the least used one first, so that forced turns do not add up. */
    private Place nextLeader() {
        if (toLead.isEmpty()) {
            shuffle();
            toLead.addAll(active);
        }
        Place next = toLead.get(0);
        for (Place each : toLead) {
            next = each.replicas < next.replicas ? each : next;
        }
        toLead.remove(next);
        return next;
    }

    /** The least used rack first, in it the least used broker; among equals the order of this round after {@code start}. */
    private static void fill(List<Place> from, int start, int factor, List<Place> chosen, Map<String, Integer> racks) {
        while (chosen.size() < factor) {
            Place best = null;
            Comparator<Place> better = Comparator.<Place>comparingInt(each -> racks.getOrDefault(each.rack, 0))
                    .thenComparingInt(each -> each.replicas);
            for (int i = 1; i <= from.size(); i++) {
                Place each = from.get((start + i) % from.size());
                if (!chosen.contains(each) && (best == null || better.compare(each, best) < 0)) {
                    best = each;
                }
            }
            if (best == null) {
                return;
            }
            take(best, chosen, racks);
        }
    }

    private static void take(Place place, List<Place> chosen, Map<String, Integer> racks) {
        place.replicas++;
        chosen.add(place);
        racks.merge(place.rack, 1, Integer::sum);
    }

    /** In random order, neighbours in different racks as far as that goes: so the leaders of a few partitions are in different racks, too. */
    private void shuffle() {
        for (int i = active.size() - 1; i > 0; i--) {
            int other = random.below(i + 1);
            Place moved = active.get(i);
            active.set(i, active.get(other));
            active.set(other, moved);
        }
        Map<String, List<Place>> byRack = new LinkedHashMap<>();
        active.forEach(each ->
                byRack.computeIfAbsent(each.rack, unused -> new ArrayList<>()).add(each));
        int all = active.size();
        active.clear();
        for (int i = 0; active.size() < all; i++) {
            for (List<Place> rack : byRack.values()) {
                if (i < rack.size()) {
                    active.add(rack.get(i));
                }
            }
        }
    }
}
