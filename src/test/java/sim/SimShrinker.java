package sim;

import common.Mutations;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * Makes a failing run smaller while it breaks the same rule: fewer kinds of faults, fewer clients, a shorter storm, then single faults, then the decisions of
 * whole generators, chunk by chunk (ddmin). Each try is one run; there is a bound on them.
 */
final class SimShrinker {
    /** Entries of a profile that may be less, each with the least that makes sense; in the order of the tries. */
    private static final Map<String, Integer> LEAST = new LinkedHashMap<>();

    static {
        for (String none : List.of(
                "groups",
                "compacted",
                "committers",
                "churns",
                "admins",
                "plainProducers",
                "consumers",
                "producers",
                "staticMembers")) {
            LEAST.put(none, 0);
        }
        for (String one :
                List.of("members", "topics", "partitions", "loops", "disks", "offsetsPartitions", "maxRecords")) {
            LEAST.put(one, 1);
        }
        for (String none : List.of(
                "buggify", "reread", "reserve", "trimmedTopics", "assignmentMillis", "scrubBytes", "preallocated")) {
            LEAST.put(none, 0);
        }
    }

    private final Mutations mutations;
    private final String rule;
    private final int mostTries;
    private final BooleanSupplier patience;
    private SimDecisions best;
    private SimRun.Report report;
    private int tries;

    /**
     * @param failing a recorded run that breaks {@code rule}
     * @param patience false: no more tries
     */
    SimShrinker(SimDecisions failing, String rule, Mutations mutations, int mostTries, BooleanSupplier patience) {
        this.best = failing.copy();
        this.rule = rule;
        this.mutations = mutations;
        this.mostTries = mostTries;
        this.patience = patience;
    }

    int tries() {
        return tries;
    }

    /** What the smallest run came to; null if none was better than the first. */
    SimRun.Report report() {
        return report;
    }

    /** The smallest that was found. */
    SimDecisions shrink() {
        endWithTheStorm();
        kindsOfFaults();
        clients();
        storm();
        faults();
        decisions();
        best.rule(rule);
        return best;
    }

    private boolean spent() {
        return tries >= mostTries || !patience.getAsBoolean();
    }

    /** Keeps a change if the rule is broken with it, too. */
    private boolean attempt(UnaryOperator<SimDecisions> change) {
        if (spent()) {
            return false;
        }
        tries++;
        SimDecisions candidate = change.apply(best.copy());
        // The seed is another one: only what was recorded counts.
        SimRun.Report tried = new SimRun(tries, Map.of(), mutations, "")
                .decisions(candidate.copy())
                .run();
        if (!rule.equals(tried.broken())) {
            return false;
        }
        best = candidate;
        report = tried;
        return true;
    }

    private static SimDecisions set(SimDecisions all, String name, String value) {
        all.settings().put(name, value);
        return all;
    }

    /** Faults that were planned for later than the end are none. */
    private void endWithTheStorm() {
        attempt(all -> {
            all.faults().removeIf(each -> each.kind() == null);
            return all;
        });
    }

    private void kindsOfFaults() {
        Set<SimProfile.Fault> kinds = EnumSet.noneOf(SimProfile.Fault.class);
        for (String each : best.settings().get("faults").split("\\+", -1)) {
            if (!each.isEmpty()) {
                kinds.add(SimProfile.Fault.valueOf(each));
            }
        }
        for (SimProfile.Fault kind : new ArrayList<>(kinds)) {
            Set<SimProfile.Fault> fewer = EnumSet.copyOf(kinds);
            fewer.remove(kind);
            boolean gone = attempt(all -> {
                all.faults().removeIf(each -> each.kind() == kind);
                return set(
                        all,
                        "faults",
                        String.join("+", fewer.stream().map(Enum::name).toList()));
            });
            if (gone) {
                kinds.remove(kind);
            }
        }
    }

    private void clients() {
        LEAST.forEach((name, least) -> {
            int now = Integer.parseInt(best.settings().getOrDefault(name, "0"));
            if (now > least && !attempt(all -> set(all, name, Integer.toString(least))) && now > least + 1) {
                attempt(all -> set(all, name, Integer.toString(now - 1)));
            }
        });
    }

    private void storm() {
        boolean shorter = true;
        while (shorter && !spent()) {
            int millis = Integer.parseInt(best.settings().get("stormMillis"));
            shorter = millis > 100
                    && (attempt(all -> set(all, "stormMillis", Integer.toString(millis / 2)))
                            || attempt(all -> set(all, "stormMillis", Integer.toString(millis * 4 / 5))));
        }
    }

    private void faults() {
        minimize(best.faults(), (all, kept) -> {
            all.faults().clear();
            all.faults().addAll(kept);
        });
    }

    private void decisions() {
        List<String> loud = best.streams();
        loud.removeIf(each -> best.calmFrom(each) == 0);
        minimize(loud, (all, kept) -> {
            Set<String> keep = new TreeSet<>(kept);
            loud.forEach(each -> {
                if (!keep.contains(each)) {
                    all.calm(each, 0);
                }
            });
        });
    }

    /** Puts a shorter list into a copy of the decisions. */
    private interface Change<T> {
        void apply(SimDecisions all, List<T> kept);
    }

    /** Removes chunks, halves first, then ever smaller ones, as long as the rule stays broken. */
    private <T> void minimize(List<T> items, Change<T> change) {
        List<T> kept = new ArrayList<>(items);
        int chunk = Math.max(1, kept.size());
        while (!kept.isEmpty() && !spent()) {
            boolean removed = false;
            for (int from = 0; from < kept.size() && !spent(); ) {
                List<T> fewer = new ArrayList<>(kept.subList(0, from));
                fewer.addAll(kept.subList(Math.min(kept.size(), from + chunk), kept.size()));
                boolean same = attempt(all -> {
                    change.apply(all, fewer);
                    return all;
                });
                if (same) {
                    kept = fewer;
                    removed = true;
                } else {
                    from += chunk;
                }
            }
            if (chunk == 1 && !removed) {
                break;
            }
            chunk = Math.max(1, chunk / 2);
        }
    }
}
