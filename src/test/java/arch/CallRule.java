package arch;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayList;
import java.util.List;

/** R2, R4: calls that a machine must not make, because their answer is not in its inputs or not the same twice. */
final class CallRule implements Rule {

    /**
     * A banned call, method reference or field access.
     *
     * @param owner fully qualified class; one that ends in a dot means all classes below the package
     * @param member name; {@code *} for any, {@code <init>} for constructors, a trailing {@code *} for a prefix
     * @param minParameters banned from so many parameters on
     * @param maxParameters and up to so many
     */
    private record Ban(String owner, String member, int minParameters, int maxParameters, String instead) {

        boolean covers(String targetOwner, String targetMember, int parameters) {
            boolean ownerMatches = owner.endsWith(".") ? targetOwner.startsWith(owner) : targetOwner.equals(owner);
            boolean memberMatches = member.endsWith("*")
                    ? targetMember.startsWith(member.substring(0, member.length() - 1))
                    : targetMember.equals(member);
            return ownerMatches && memberMatches && parameters >= minParameters && parameters <= maxParameters;
        }
    }

    private static final int ANY = Integer.MAX_VALUE;

    private final String name;
    private final List<Ban> bans = new ArrayList<>();

    private CallRule(String name) {
        this.name = name;
    }

    /** R2: no hidden inputs: time, threads, chance, asynchronous futures. */
    static CallRule hiddenInputs() {
        CallRule rule = new CallRule("R2");
        String clock = "the Clock port";
        rule.ban("java.lang.System", "currentTimeMillis", clock);
        rule.ban("java.lang.System", "nanoTime", clock);
        for (String type : List.of("Instant", "LocalDate", "LocalDateTime", "LocalTime", "ZonedDateTime")) {
            rule.ban("java.time." + type, "now", clock);
        }
        rule.ban("java.time.OffsetDateTime", "now", clock);
        rule.ban("java.time.Clock", "*", clock);
        rule.ban("java.util.Date", "<init>", 0, 0, clock);
        rule.ban("java.util.Calendar", "getInstance", clock);
        rule.ban("org.apache.kafka.common.utils.Time", "*", clock);
        rule.ban("org.apache.kafka.common.utils.SystemTime", "*", clock);
        String timers = "the Timers port or an owner's mailbox";
        rule.ban("java.lang.Thread", "*", timers);
        rule.ban("java.lang.ThreadLocal", "*", timers);
        rule.ban("java.util.Timer", "*", timers);
        rule.ban("java.util.concurrent.Executors", "*", timers);
        rule.ban("java.util.concurrent.ForkJoinPool", "*", timers);
        rule.ban("java.util.Collection", "parallelStream", "stream()");
        rule.ban("java.util.List", "parallelStream", "stream()");
        rule.ban("java.util.Set", "parallelStream", "stream()");
        rule.ban("java.util.ArrayList", "parallelStream", "stream()");
        rule.ban("java.util.stream.BaseStream", "parallel", "a sequential stream");
        for (String kind : List.of("Stream", "IntStream", "LongStream", "DoubleStream")) {
            rule.ban("java.util.stream." + kind, "parallel", "a sequential stream");
        }
        String random = "the RandomSource port";
        rule.ban("java.lang.Math", "random", random);
        rule.ban("java.util.Random", "<init>", random);
        rule.ban("java.util.SplittableRandom", "<init>", random);
        rule.ban("java.security.SecureRandom", "*", random);
        rule.ban("java.util.concurrent.ThreadLocalRandom", "*", random);
        rule.ban("java.util.random.RandomGenerator", "of", random);
        rule.ban("java.util.random.RandomGenerator", "getDefault", random);
        rule.ban("java.util.Collections", "shuffle", 1, 1, random);
        rule.ban("java.util.UUID", "randomUUID", random);
        rule.ban("org.apache.kafka.common.Uuid", "randomUuid", random);
        String callback = "a Callback on the owner";
        for (String type : List.of("Future", "CompletableFuture", "CompletionStage")) {
            for (String method : List.of("get", "join", "runAsync", "supplyAsync")) {
                rule.ban("java.util.concurrent." + type, method, callback);
            }
            for (String verb : List.of("then", "when", "handle", "accept", "run", "compose", "exceptionally")) {
                rule.asyncMethods("java.util.concurrent." + type, verb, callback);
            }
        }
        return rule;
    }

    /** R4: no order that differs from run to run. */
    static CallRule unstableOrder() {
        CallRule rule = new CallRule("R4");
        String ordered = "a list, LinkedHashMap, LinkedHashSet, TreeMap, EnumMap or Agrona's primitive maps";
        rule.ban("java.util.Set", "of", 2, ANY, ordered);
        rule.ban("java.util.Set", "copyOf", ordered);
        rule.ban("java.util.Map", "of", 3, ANY, ordered);
        rule.ban("java.util.Map", "ofEntries", ordered);
        rule.ban("java.util.Map", "copyOf", ordered);
        rule.ban("java.util.HashMap", "<init>", ordered);
        rule.ban("java.util.HashSet", "<init>", ordered);
        rule.ban("java.util.IdentityHashMap", "<init>", ordered);
        rule.ban("java.util.WeakHashMap", "<init>", ordered);
        rule.ban("java.util.Hashtable", "<init>", ordered);
        rule.ban("java.util.stream.Collectors", "toSet", ordered);
        rule.ban("java.util.stream.Collectors", "toUnmodifiableSet", ordered);
        rule.ban("java.util.stream.Collectors", "toUnmodifiableMap", ordered);
        rule.ban("java.util.stream.Collectors", "toMap", 2, 3, ordered);
        rule.ban("java.util.stream.Collectors", "groupingBy", 1, 2, ordered);
        rule.ban("java.lang.System", "identityHashCode", "an id of its own");
        return rule;
    }

    private void ban(String owner, String member, String instead) {
        ban(owner, member, 0, ANY, instead);
    }

    private void ban(String owner, String member, int minParameters, int maxParameters, String instead) {
        bans.add(new Ban(owner, member, minParameters, maxParameters, instead));
    }

    private void asyncMethods(String owner, String verb, String instead) {
        for (String suffix : List.of("", "Apply", "Accept", "Run", "Combine", "Compose", "Complete", "AcceptBoth")) {
            for (String either : List.of("", "Either", "Both")) {
                ban(owner, verb + suffix + either + "Async", instead);
            }
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Violation> check(JavaClass candidate) {
        String module = Modules.of(candidate).orElse("");
        List<Violation> found = new ArrayList<>();
        if (module.equals("verticles") || module.equals("cli")) {
            return found;
        }
        for (JavaAccess<?> access : candidate.getAccessesFromSelf()) {
            AccessTarget target = access.getTarget();
            int parameters = target instanceof AccessTarget.CodeUnitAccessTarget call
                    ? call.getRawParameterTypes().size()
                    : 0;
            for (Ban ban : bans) {
                if (ban.covers(target.getOwner().getName(), target.getName(), parameters)) {
                    found.add(new Violation(candidate.getName(), access.getDescription() + "; use " + ban.instead()));
                }
            }
        }
        return found;
    }
}
