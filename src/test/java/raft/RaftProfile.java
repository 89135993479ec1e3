package raft;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import sim.SimRandom;

/** What one run is like; drawn from its seed, each entry can be overridden. */
record RaftProfile(Map<String, Integer> entries) {
    private static final String[] FAULTS = {
        "loss",
        "ghosts",
        "longTails",
        "cuts",
        "oneWayCuts",
        "crashes",
        "pauses",
        "membership",
        "snapshots",
        "wipes",
        "rot",
        "resignations",
        "slowDisks"
    };

    static RaftProfile of(SimRandom random, Map<String, Integer> overrides) {
        Map<String, Integer> drawn = new TreeMap<>();
        drawn.put("voters", new int[] {1, 3, 3, 3, 5}[random.below(5)]);
        drawn.put("observers", random.below(3));
        drawn.put("fixedVoters", random.below(4) == 0 ? 1 : 0);
        drawn.put("stormMillis", random.between(8_000, 20_000));
        drawn.put("faultMillis", random.between(200, 1_500));
        drawn.put("proposeMillis", random.between(20, 200));
        drawn.put("isolate", 0);
        TreeSet<String> on = new TreeSet<>();
        int faults = random.between(2, 5);
        while (on.size() < faults) {
            on.add(FAULTS[random.below(FAULTS.length)]);
        }
        for (String fault : FAULTS) {
            drawn.put(fault, on.contains(fault) ? 1 : 0);
        }
        drawn.putAll(overrides);
        return new RaftProfile(drawn);
    }

    int get(String name) {
        return entries.get(name);
    }

    boolean on(String name) {
        return entries.get(name) > 0;
    }

    /** All faults off. */
    static Map<String, Integer> quiet() {
        Map<String, Integer> quiet = new TreeMap<>();
        for (String fault : FAULTS) {
            quiet.put(fault, 0);
        }
        return quiet;
    }
}
