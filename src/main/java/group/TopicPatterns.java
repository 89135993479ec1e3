package group;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import config.GroupConfig;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;
import records.schemas.GroupRecord;

/**
 * Patterns that members subscribe to, in RE2's syntax, which is matched in time linear to the text whatever the pattern. They are resolved to topics by a write
 * of their own, a few topics at a time, after the request that asked for it; and again when there are new topics and when the refresh interval is over.
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
    private final BiFunction<String, Map<String, RegularExpressionValue>, Result<GroupRecord, Void>> apply;
    private final Set<String> running = new LinkedHashSet<>();
    private long newTopicsVersion;

    /** @param apply what is done with what the patterns of a group, by name, mean now */
    TopicPatterns(
            ShardContext<GroupRecord> context,
            GroupConfig.Consumer config,
            BiFunction<String, Map<String, RegularExpressionValue>, Result<GroupRecord, Void>> apply) {
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

    void loaded() {
        newTopicsVersion = context.image().version();
    }

    void topicsCreated(MetadataImage image) {
        newTopicsVersion = image.version();
    }

    /** Takes note of the pattern that a member subscribes to in a request, and sees to it that the group's patterns are resolved when they are due. */
    Outcome update(ConsumerGroup group, ConsumerMember before, ConsumerMember after, List<GroupRecord> records)
            throws Refusal {
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
        Iterator<RegularExpressionValue> any = subscriptions.resolved().values().iterator();
        RegularExpressionValue last = any.hasNext() ? any.next() : null;
        // A clock that went back must not stop it.
        long age = last == null ? Long.MAX_VALUE : context.clock().wallMillis() - last.timestamp();
        if (age >= 0 && age <= SHORTEST_INTERVAL_MILLIS) {
            return;
        }
        Subscriptions next = subscriptions.copy();
        next.remove(before);
        next.add(after);
        boolean due = isNew
                || age < 0
                || age > config.regexRefreshMillis()
                || next.patterns().size() != subscriptions.resolved().size()
                || (last != null && last.version() < newTopicsVersion);
        if (due && !next.patterns().isEmpty()) {
            running.add(group.id());
            context.submit(new Resolving(group.id(), next.patterns()));
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
        private final Map<String, Set<String>> matched = new TreeMap<>();
        private final List<Matcher> matchers = new ArrayList<>();
        private final MetadataImage image = context.image();
        private final long startMillis = context.clock().wallMillis();
        private final Iterator<TopicImage> topics = image.topics().iterator();
        private Iterator<Matcher> left = Collections.emptyIterator();
        private String name;

        Resolving(String group, Set<String> patterns) {
            this.group = group;
            for (String pattern : patterns) {
                Set<String> names = new TreeSet<>();
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
            return apply.apply(group, resolved);
        }

        private boolean hasNext() {
            while (!left.hasNext() && topics.hasNext() && !matchers.isEmpty()) {
                name = topics.next().name();
                left = matchers.iterator();
            }
            return left.hasNext();
        }
    }
}
