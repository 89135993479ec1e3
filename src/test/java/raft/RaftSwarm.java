package raft;

import common.Mutations;
import java.util.Map;
import java.util.TreeMap;

/** Runs many seeds by hand: {@code raft.RaftSwarm FROM COUNT [mutation] [name=value]...}; stops at the first that breaks a rule. */
final class RaftSwarm {
    private RaftSwarm() {}

    public static void main(String[] args) {
        long from = Long.parseLong(args[0]);
        long count = Long.parseLong(args[1]);
        Map<String, Integer> overrides = new TreeMap<>();
        String mutation = "";
        for (int i = 2; i < args.length; i++) {
            String[] pair = args[i].split("=", 2);
            if (pair.length == 2) {
                overrides.put(pair[0], Integer.parseInt(pair[1]));
            } else {
                mutation = args[i];
            }
        }
        Mutations planted = mutation.isEmpty() ? Mutations.NONE : mutation::equals;
        Map<String, Integer> sums = new TreeMap<>();
        long events = 0;
        for (long seed = from; seed < from + count; seed++) {
            RaftSim.Report report = RaftSim.run(seed, overrides, planted);
            events += report.events();
            report.counts().forEach((what, times) -> sums.merge(what, times, Integer::sum));
            if (report.broken() != null) {
                System.out.println(report.broken() + "\n" + report.block());
                System.exit(1);
            }
        }
        System.out.println(count + " runs, " + events + " events, " + sums);
    }
}
