package sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import common.Mutations;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.LoggerFactory;

/**
 * The command line of the simulator (bin/sim): {@code run --seed S}, {@code swarm --from S --runs N | --time SECONDS}, each with {@code --set
 * entry=value} to fix entries of the profile and {@code --mutation name} to plant a bug. Exit code 1 when a rule was broken.
 */
public final class SimMain {
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
                usage: sim run --seed S [--set entry=value]... [--mutation NAME] [--log]
                       sim swarm [--from S] [--runs N | --time SECONDS] [--keep-going] [--set entry=value]... [--mutation NAME]
                       sim replay FILE          runs each line "SEED [entry=value]..." of a file

                A seed is a run: the same commit and seed give the same run. Entries of a profile are printed by run; faults are given as
                faults=power_cut+ghost. Exit code 1: a rule was broken, see the block.""");
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
                case "--log", "--keep-going" -> options.put(args[i], "");
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

    private SimRun.Report run(long seed) {
        return new SimRun(seed, overrides, mutations, "bin/sim run --seed " + seed + arguments).run();
    }

    private int one() {
        long seed = Long.parseLong(options.getOrDefault("--seed", "1"));
        System.out.println("seed " + seed + " " + new SimProfile(new SimRandom(seed).split("profile"), overrides));
        return tell(run(seed));
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

    private int swarm() {
        long from = Long.parseLong(options.getOrDefault("--from", "1"));
        long runs =
                Long.parseLong(options.getOrDefault("--runs", options.containsKey("--time") ? "1000000000" : "100"));
        long millis = 1000 * Long.parseLong(options.getOrDefault("--time", "1000000"));
        long begin = System.currentTimeMillis();
        Map<String, Long> totals = new TreeMap<>();
        Map<String, Integer> rules = new TreeMap<>();
        long done = 0;
        while (done < runs && System.currentTimeMillis() - begin < millis) {
            long started = System.currentTimeMillis();
            SimRun.Report report = run(from + done);
            done++;
            report.counts().forEach((name, count) -> totals.merge(name, (long) count, Long::sum));
            long took = System.currentTimeMillis() - started;
            if (took > 5_000) {
                System.out.println(
                        "slow: seed " + report.seed() + " took " + took + " ms, " + report.events() + " events");
            }
            if (report.broken() != null) {
                boolean first = rules.merge(report.broken(), 1, Integer::sum) == 1;
                System.out.println(first ? report.block() : "broken: " + report.broken() + " seed " + report.seed());
                if (!options.containsKey("--keep-going")) {
                    break;
                }
            }
        }
        double seconds = (System.currentTimeMillis() - begin) / 1e3;
        System.out.printf(
                "%d runs in %.1f s (%.1f a second), broken: %s%ncounters %s%n",
                done, seconds, done / seconds, rules, totals);
        return rules.isEmpty() ? 0 : 1;
    }

    private int replay() {
        int broken = 0;
        for (SimRegression.Entry entry : SimRegression.read(java.nio.file.Path.of(options.get("file")))) {
            broken += tell(entry.run());
        }
        return broken == 0 ? 0 : 1;
    }
}
