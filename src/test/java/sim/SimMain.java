package sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import common.Mutations;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.LoggerFactory;

/** The command line of the simulator (bin/sim): see {@link #usage}. Exit code 1 when a rule was broken. */
public final class SimMain {
    private static final Path FAILURES = Path.of("target", "sim");
    private static final int SHRINK_TRIES = 300;
    private static final long SHRINK_NANOS = 60_000_000_000L;
    /** Of the processor: a run that takes longer is a bug. */
    private static final long RUN_NANOS = 20_000_000_000L;

    private final Map<String, String> overrides = new LinkedHashMap<>();
    private final Map<String, String> options = new LinkedHashMap<>();
    private final StringBuilder arguments = new StringBuilder();
    private Mutations mutations = Mutations.NONE;

    private SimMain() {}

    public static void main(String[] args) {
        int code = args.length == 0 ? usage() : new SimMain().execute(args);
        System.exit(code);
    }

    private static int usage() {
        System.err.println("""
                usage: sim run --seed S [--set entry=value]... [--mutation NAME] [--log] [--trace FILE [--only WORD+WORD]]
                               [--record FILE] [--until EVENT] [--no-shrink]
                       sim swarm [--from S] [--runs N | --time SECONDS] [--keep-going] [--no-shrink] [--set entry=value]... [--mutation NAME]
                       sim replay FILE [--trace FILE [--only WORD+WORD]] [--until EVENT]

                A seed is a run: the same commit and seed give the same run. Entries of a profile are printed by run; faults are given as
                faults=power_cut+ghost. A run that breaks a rule is made smaller and left as a decision file in target/sim.
                --trace writes all that happens as JSON lines (.gz: compressed), --record all decisions, --until stops and shows the nodes.
                replay takes a decision file, or a file of lines "SEED [entry=value]...". Exit code 1: a rule was broken, see the block.""");
        return 2;
    }

    private int execute(String[] args) {
        for (int i = 1; i < args.length; i++) {
            switch (args[i]) {
                case "--set" -> {
                    String[] pair = args[++i].split("=", 2);
                    overrides.put(pair[0], pair[1]);
                    arguments.append(" --set ").append(args[i]);
                }
                case "--mutation" -> {
                    String name = args[++i];
                    mutations = name::equals;
                    arguments.append(" --mutation ").append(name);
                }
                case "--log", "--keep-going", "--no-shrink" -> options.put(args[i], "");
                default -> {
                    if (args[i].startsWith("--") && i + 1 < args.length) {
                        options.put(args[i], args[++i]);
                    } else {
                        options.put("file", args[i]);
                    }
                }
            }
        }
        quiet(options.containsKey("--log"));
        return switch (args[0]) {
            case "run" -> one();
            case "swarm" -> swarm();
            case "replay" -> replay();
            default -> usage();
        };
    }

    /** The broker's own log is for a run that one looks at; it would slow a swarm down. */
    static void quiet(boolean log) {
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(log ? Level.INFO : Level.OFF);
    }

    private SimRun prepared(long seed) {
        return new SimRun(seed, overrides, mutations, "bin/sim run --seed " + seed + arguments).guard(patience());
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static Runnable patience() {
        long limit = cpuNanos() + RUN_NANOS;
        return () -> {
            if (cpuNanos() > limit) {
                throw new RuleBroken("livelock or slow", "more than " + RUN_NANOS / 1_000_000_000 + " s");
            }
        };
    }

    // ---- run

    private int one() {
        long seed = Long.parseLong(options.getOrDefault("--seed", "1"));
        System.out.println("seed " + seed + " " + new SimProfile(new SimRandom(seed).split("profile"), overrides));
        SimDecisions recorded = options.containsKey("--record") ? SimDecisions.recorder() : null;
        SimRun.Report report = watched(prepared(seed).decisions(recorded));
        if (recorded != null) {
            recorded.rule(report.broken() == null ? "" : report.broken());
            recorded.write(Path.of(options.get("--record")));
        }
        int code = tell(report);
        if (code != 0 && !options.containsKey("--until")) {
            smaller(report);
        }
        return code;
    }

    /** Runs with the trace and the end that are asked for. */
    private SimRun.Report watched(SimRun run) {
        run.until(Long.parseLong(options.getOrDefault("--until", Long.toString(Long.MAX_VALUE))));
        if (!options.containsKey("--trace")) {
            return run.run();
        }
        String only = options.getOrDefault("--only", "");
        List<String> words = only.isEmpty() ? List.of() : List.of(only.split("\\+", -1));
        try (SimTrace trace = new SimTrace(Path.of(options.get("--trace")), words)) {
            return run.trace(trace).run();
        }
    }

    private static int tell(SimRun.Report report) {
        if (report.broken() != null) {
            System.out.println(report.block());
            return 1;
        }
        System.out.printf(
                "ok seed %d: %d events, %.1f virtual s, trace %016x%n%s%n",
                report.seed(), report.events(), report.virtualMillis() / 1e3, report.traceHash(), report.counts());
        return 0;
    }

    /** Runs what failed once more, recorded and traced, and makes it smaller. */
    private void smaller(SimRun.Report failed) {
        if (options.containsKey("--no-shrink")) {
            return;
        }
        SimDecisions recorded = SimDecisions.recorder();
        Path traced = FAILURES.resolve("seed-" + failed.seed() + ".jsonl.gz");
        recorded.rule(failed.broken());
        Path file = FAILURES.resolve("seed-" + failed.seed() + ".sim");
        recorded.write(file);
        try (SimTrace trace = new SimTrace(traced, List.of())) {
            prepared(failed.seed()).decisions(recorded).trace(trace).run();
        }
        long limit = System.nanoTime() + SHRINK_NANOS;
        SimShrinker shrinker =
                new SimShrinker(recorded, failed.broken(), mutations, SHRINK_TRIES, () -> System.nanoTime() < limit);
        SimDecisions least = shrinker.shrink();
        least.write(file);
        System.out.println("trace    " + traced);
        System.out.println("smaller  " + least.size() + " after " + shrinker.tries() + " tries: bin/sim replay " + file
                + arguments);
        System.out.println("         " + least.settings());
        if (shrinker.report() != null) {
            System.out.println("         " + shrinker.report().events() + " events instead of " + failed.events() + ", "
                    + shrinker.report().virtualMillis() / 1e3 + " virtual s");
        }
    }

    // ---- swarm

    private int swarm() {
        long from = Long.parseLong(options.getOrDefault("--from", "1"));
        long runs =
                Long.parseLong(options.getOrDefault("--runs", options.containsKey("--time") ? "1000000000" : "100"));
        long millis = 1000 * Long.parseLong(options.getOrDefault("--time", "1000000"));
        long begin = System.currentTimeMillis();
        SimCounters counters = new SimCounters();
        Map<String, Integer> rules = new TreeMap<>();
        while (counters.runs() < runs && System.currentTimeMillis() - begin < millis) {
            SimRun.Report report = prepared(from + counters.runs()).run();
            counters.add(report);
            if (report.broken() != null) {
                boolean first = rules.merge(report.broken(), 1, Integer::sum) == 1;
                System.out.println(first ? report.block() : "broken: " + report.broken() + " seed " + report.seed());
                if (first) {
                    smaller(report);
                }
                if (!options.containsKey("--keep-going")) {
                    break;
                }
            }
        }
        double seconds = (System.currentTimeMillis() - begin) / 1e3;
        System.out.printf(
                "%d runs in %.1f s (%.1f a second), broken: %s%n%s",
                counters.runs(), seconds, counters.runs() / seconds, rules, counters);
        return rules.isEmpty() ? 0 : 1;
    }

    // ---- replay

    private int replay() {
        Path file = Path.of(options.getOrDefault("file", SimRegression.FILE.toString()));
        if (SimDecisions.isFile(file)) {
            SimRun run = new SimRun(0, overrides, mutations, "bin/sim replay " + file + arguments);
            return tell(watched(run.decisions(SimDecisions.read(file))));
        }
        int broken = 0;
        for (SimRegression.Entry entry : SimRegression.read(file)) {
            broken += tell(entry.run());
        }
        return broken == 0 ? 0 : 1;
    }
}
