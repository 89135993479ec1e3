package group;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;

/** What the members of a KIP-848 group subscribe to, counted. Confined to the shard; a {@link #copy} answers what would be if. */
final class Subscriptions {
    private final SortedMap<String, Integer> names;
    private final SortedMap<String, Integer> patterns;
    private final SortedMap<String, RegularExpressionValue> resolved;

    Subscriptions() {
        this(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    }

    private Subscriptions(
            SortedMap<String, Integer> names,
            SortedMap<String, Integer> patterns,
            SortedMap<String, RegularExpressionValue> resolved) {
        this.names = names;
        this.patterns = patterns;
        this.resolved = resolved;
    }

    Subscriptions copy() {
        return new Subscriptions(new TreeMap<>(names), new TreeMap<>(patterns), new TreeMap<>(resolved));
    }

    void add(ConsumerMember member) {
        member.metadata().subscribedTopicNames().forEach(name -> names.merge(name, 1, Integer::sum));
        if (!member.pattern().isEmpty()) {
            patterns.merge(member.pattern(), 1, Integer::sum);
        }
    }

    void remove(ConsumerMember member) {
        member.metadata().subscribedTopicNames().forEach(name -> decrement(names, name));
        if (!member.pattern().isEmpty()) {
            decrement(patterns, member.pattern());
        }
    }

    private static void decrement(Map<String, Integer> counts, String key) {
        counts.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }

    /** null: forgotten. */
    void resolve(String pattern, RegularExpressionValue topics) {
        if (topics == null) {
            resolved.remove(pattern);
        } else {
            resolved.put(pattern, topics);
        }
    }

    int membersWith(String pattern) {
        return patterns.getOrDefault(pattern, 0);
    }

    /** What members subscribe to. */
    Set<String> patterns() {
        return Collections.unmodifiableSet(patterns.keySet());
    }

    /** The patterns whose topics are known, with those topics; null for others. */
    RegularExpressionValue resolved(String pattern) {
        return resolved.get(pattern);
    }

    Map<String, RegularExpressionValue> resolved() {
        return Collections.unmodifiableMap(resolved);
    }

    /** All topics that members name, or that patterns of members were resolved to. */
    SortedSet<String> topics() {
        SortedSet<String> all = new TreeSet<>(names.keySet());
        for (String pattern : patterns.keySet()) {
            RegularExpressionValue topics = resolved.get(pattern);
            if (topics != null) {
                all.addAll(topics.topics());
            }
        }
        return all;
    }

    boolean contains(String topic) {
        if (names.containsKey(topic)) {
            return true;
        }
        for (String pattern : patterns.keySet()) {
            RegularExpressionValue topics = resolved.get(pattern);
            if (topics != null && Collections.binarySearch(topics.topics(), topic) >= 0) {
                return true;
            }
        }
        return false;
    }
}
