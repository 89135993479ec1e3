package group;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import config.GroupConfig;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;
import records.schemas.GroupRecord;

/**
 * Patterns that members subscribe to, in RE2's syntax, which is matched in time linear to the text whatever the pattern. They are resolved to topics by a write
 * of their own, a few topics at a time, after the request that asked for it; with new topics alone when there are some; and with all again when the refresh
 * interval is over.
 */
final class TopicPatterns {
    /** All patterns of a group are resolved together, and not more often than this. */
    private static final long SHORTEST_INTERVAL_MILLIS = 10_000;
    /** Steps of matching between two looks at the loop's other work: characters times the weight of the pattern, some milliseconds. */
    private static final long STEPS_AT_ONCE = 1_000_000;
    /** Steps that any match costs. */
    private static final int STEPS_OF_A_MATCH = 1_000;
    /** Characters of a pattern that error messages repeat. */
    private static final int SHOWN = 200;

    private final ShardContext<GroupRecord> context;
    private final GroupConfig.Consumer config;
    private final Function<Resolved, Result<GroupRecord, Void>> apply;
    private final Set<String> running = new LinkedHashSet<>();
    private final NewTopics newTopics = new NewTopics();

    /**
     * @param patterns what each means now
     * @param whole they were matched with all topics; else with the new ones, and what is as before needs no record
     * @param version of the metadata whose topics they were matched with
     */
    record Resolved(String group, Map<String, RegularExpressionValue> patterns, boolean whole, long version) {}

    /** @param apply what is done with what the patterns of a group mean now */
    TopicPatterns(
            ShardContext<GroupRecord> context,
            GroupConfig.Consumer config,
            Function<Resolved, Result<GroupRecord, Void>> apply) {
        this.context = context;
        this.config = config;
        this.apply = apply;
    }

    enum Outcome {
        SAME,
        /** Another pattern, whose topics are not known yet: nothing to assign so far. */
        CHANGED,
        /** Another pattern or none, and the topics are known. */
        CHANGED_AND_RESOLVED
    }

    NewTopics newTopics() {
        return newTopics;
    }

    /** Takes note of the pattern that a member subscribes to in a request, and sees to it that the group's patterns are resolved when they are due. */
    Outcome update(ConsumerGroup group, ConsumerMember before, ConsumerMember after, List<GroupRecord> records)
            throws Refusal {
        if (group.widePatterns().containsKey(after.pattern())) {
            throw new Refusal(
                    Errors.INVALID_REGULAR_EXPRESSION,
                    "The pattern `" + beginOf(after.pattern())
                            + "` means more topics than a record of __consumer_offsets"
                            + " can name (max.message.bytes of that topic): use a narrower one.");
        }
        Subscriptions subscriptions = group.subscriptions();
        Outcome outcome = Outcome.SAME;
        boolean due = false;
        // Also a step from nothing known (null) to no pattern counts, as with Kafka; it has no effect.
        if (!Objects.equals(before.pattern(), after.pattern())) {
            outcome = Outcome.CHANGED;
            if (!before.pattern().isEmpty() && subscriptions.membersWith(before.pattern()) == 1) {
                records.add(ConsumerGroupRecords.pattern(group.id(), before.pattern(), null));
            }
            if (after.pattern().isEmpty()) {
                outcome = Outcome.CHANGED_AND_RESOLVED;
            } else if (subscriptions.membersWith(after.pattern()) == 0) {
                check(after.pattern());
                due = true;
            } else if (subscriptions.resolved(after.pattern()) != null) {
                outcome = Outcome.CHANGED_AND_RESOLVED;
            }
        }
        refreshIfDue(group, before, after, due);
        return outcome;
    }

    private static void check(String pattern) throws Refusal {
        String problem = problem(pattern);
        if (problem != null) {
            throw new Refusal(Errors.INVALID_REGULAR_EXPRESSION, "The pattern `" + beginOf(pattern) + "` " + problem);
        }
    }

    /** null for a pattern that may be compiled and used. */
    private static String problem(String pattern) {
        String tooHeavy = PatternWeight.problem(pattern);
        if (tooHeavy != null) {
            return tooHeavy;
        }
        try {
            Pattern.compile(pattern);
            return null;
        } catch (PatternSyntaxException e) {
            return "is no regular expression in RE2's syntax: " + e.getDescription() + ".";
        }
    }

    private static String beginOf(String pattern) {
        return pattern.length() <= SHOWN ? pattern : pattern.substring(0, SHOWN) + "...";
    }

    private void refreshIfDue(ConsumerGroup group, ConsumerMember before, ConsumerMember after, boolean isNew) {
        Subscriptions subscriptions = group.subscriptions();
        if ((!isNew && subscriptions.patterns().isEmpty()) || running.contains(group.id())) {
            return;
        }
        Known known = Known.of(group);
        long now = context.clock().wallMillis();
        // A clock that went back must not stop it.
        if (now >= known.newestMillis && now - known.newestMillis <= SHORTEST_INTERVAL_MILLIS) {
            return;
        }
        Subscriptions next = subscriptions.copy();
        next.remove(before);
        next.add(after);
        if (next.patterns().isEmpty()) {
            return;
        }
        boolean all = isNew
                || now < known.newestMillis
                || now - known.oldestMillis > config.regexRefreshMillis()
                || next.patterns().size() != subscriptions.resolved().size();
        Collection<String> created = all ? null : newTopics.since(known.version);
        if (created == null) {
            begin(new Resolving(group, next.patterns(), null, names()));
        } else if (!created.isEmpty()) {
            begin(new Resolving(group, next.patterns(), subscriptions, created.iterator()));
        }
    }

    private Iterator<String> names() {
        return context.image().topics().stream().map(TopicImage::name).iterator();
    }

    private void begin(Resolving resolving) {
        running.add(resolving.group);
        context.submit(resolving);
    }

    /**
     * What the resolved patterns of a group stand for.
     *
     * @param version of the metadata whose topics all of them were matched with, at least
     */
    private record Known(long version, long oldestMillis, long newestMillis) {
        static Known of(ConsumerGroup group) {
            long version = Long.MAX_VALUE;
            long oldest = Long.MAX_VALUE;
            long newest = Long.MIN_VALUE / 2;
            for (RegularExpressionValue each : group.subscriptions().resolved().values()) {
                version = Math.min(version, each.version());
                oldest = Math.min(oldest, each.timestamp());
                newest = Math.max(newest, each.timestamp());
            }
            for (long found : group.widePatterns().values()) {
                newest = Math.max(newest, found);
            }
            return new Known(Math.max(version, group.matchedVersion()), oldest, newest);
        }
    }

    /** A pattern of a resolution under way. */
    private record Matcher(Pattern pattern, long weight, Set<String> matched) {
        long steps(String name) {
            return STEPS_OF_A_MATCH + weight * name.length();
        }
    }

    /** One resolution under way; submits itself again until all topics were looked at. */
    private final class Resolving implements Supplier<Result<GroupRecord, Void>> {
        private final String group;
        private final boolean whole;
        private final Map<String, Set<String>> matched = new TreeMap<>();
        private final List<Matcher> matchers = new ArrayList<>();
        private final MetadataImage image = context.image();
        private final long startMillis = context.clock().wallMillis();
        private final Iterator<String> topics;
        private Iterator<Matcher> left = Collections.emptyIterator();
        private String name;

        /**
         * @param base what is known of the patterns so far; null: nothing, {@code topics} are all
         * @param topics to match with
         */
        Resolving(ConsumerGroup group, Set<String> patterns, Subscriptions base, Iterator<String> topics) {
            this.group = group.id();
            this.whole = base == null;
            this.topics = topics;
            for (String pattern : patterns) {
                Set<String> names = new TreeSet<>();
                if (base != null && base.resolved(pattern) != null) {
                    names.addAll(base.resolved(pattern).topics());
                }
                matched.put(pattern, names);
                // One that cannot be used came with a log that somebody else wrote: it means no topics, as with Kafka.
                if (problem(pattern) == null) {
                    matchers.add(new Matcher(Pattern.compile(pattern), PatternWeight.of(pattern), names));
                }
            }
        }

        @Override
        public Result<GroupRecord, Void> get() {
            for (long steps = 0; steps < STEPS_AT_ONCE && hasNext(); ) {
                Matcher next = left.next();
                steps += next.steps(name);
                if (next.pattern().matches(name)) {
                    next.matched().add(name);
                }
            }
            if (hasNext()) {
                context.submit(this);
                return Result.nothing();
            }
            running.remove(group);
            Map<String, RegularExpressionValue> resolved = new TreeMap<>();
            matched.forEach((pattern, names) -> resolved.put(
                    pattern, new RegularExpressionValue(new ArrayList<>(names), image.version(), startMillis)));
            return apply.apply(new Resolved(group, resolved, whole, image.version()));
        }

        private boolean hasNext() {
            while (!left.hasNext() && topics.hasNext() && !matchers.isEmpty()) {
                name = topics.next();
                left = matchers.iterator();
            }
            return left.hasNext();
        }
    }
}
