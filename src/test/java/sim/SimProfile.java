package sim;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one run is like, drawn from its seed: topics, load, and which few faults are on (swarm: most are off in each run). Each entry can be set by name,
 * to direct a run at something.
 */
final class SimProfile {

    /** Kinds of faults. */
    enum Fault {
        POWER_CUT,
        KILL,
        CRASH_IN_JOB,
        CLEAN_RESTART,
        WRITE_ERROR,
        SYNC_ERROR,
        DISK_FULL,
        SLOW_DISK,
        CONNECTION_KILL,
        GHOST,
        CLOCK_JUMP,
        LONG_LATENCY,
        /** One direction, one link, or all of a node's links, for up to three seconds. */
        NETWORK_CUT,
        /** Some packets are lost: connections send them again. */
        PACKET_LOSS,
        /** Messages between owners wait now and then, as for a loop that is busy. */
        SLOW_BUS,
        /** A log directory that does not hold the metadata cannot be read by the node's next start, for some seconds. */
        BROKEN_DIRECTORY,
        /** A process stands still (SIGSTOP) for up to four seconds, and goes on as if nothing had been. */
        PAUSE,
        /** Links between nodes are cut: one of them, one direction of one, all of some nodes to the others. Clients reach all. */
        LINK_CUT
    }

    /** Drawn together, so that later kinds leave the profiles of seeds as they were. */
    private static final int OLDEST_FAULTS =
            EnumSet.range(Fault.values()[0], Fault.LONG_LATENCY).size();

    final Set<Fault> faults = EnumSet.noneOf(Fault.class);
    private final Set<Fault> ofClusters = EnumSet.noneOf(Fault.class);
    final Map<String, Integer> numbers = new LinkedHashMap<>();

    SimProfile(SimRandom random, Map<String, String> overrides) {
        draw(random);
        drawFaults(random);
        drawGroups(random.split("groups"));
        drawNetwork(random.split("network"));
        drawStorage(random.split("storage"));
        drawTransactions(random.split("transactions"));
        drawBus(random.split("bus"));
        drawDirectories(random.split("directories"));
        drawMigration(random.split("migration"));
        drawCluster(random.split("cluster"));
        overrides.forEach(this::override);
        if (get("nodes") > 1 && !overrides.containsKey("faults")) {
            faults.addAll(ofClusters);
        }
    }

    private void draw(SimRandom random) {
        numbers.put("loops", random.between(1, 2));
        numbers.put("disks", random.chance(0.8) ? 1 : 2);
        numbers.put("topics", random.between(1, 3));
        numbers.put("partitions", random.between(1, 4));
        // Per topic, one bit each.
        numbers.put("durableTopics", random.below(8));
        numbers.put("trimmedTopics", random.chance(0.3) ? random.below(8) : 0);
        numbers.put("segmentBytes", pick(random, 500, 1_500, 5_000, 60_000));
        numbers.put("indexInterval", pick(random, 0, 200, 4_096));
        numbers.put("producers", random.between(1, 3));
        numbers.put("plainProducers", random.between(0, 2));
        numbers.put("consumers", random.between(1, 2));
        numbers.put("admins", random.between(0, 1));
        numbers.put("churns", random.between(0, 1));
        numbers.put("maxRecords", pick(random, 1, 3, 10));
        numbers.put("padding", pick(random, 5, 50, 400));
        // A batch larger than a segment is refused.
        int batch = 100 + get("maxRecords") * (get("padding") + 60);
        numbers.put("segmentBytes", Math.max(batch, get("segmentBytes")));
        numbers.put("interval", pick(random, 5, 20, 60));
        numbers.put("stormMillis", random.between(2_000, 8_000));
        numbers.put("faultMillis", pick(random, 300, 1_000, 2_500));
        numbers.put("reserve", random.chance(0.5) ? 0 : 20_000);
        numbers.put("buggify", random.chance(0.5) ? 0 : pick(random, 1, 5, 20));
        numbers.put("snapshotBytes", pick(random, 200, 2_000, 20_000_000));
        numbers.put("checkpointMillis", pick(random, 50, 500, 60_000));
        numbers.put("openFiles", pick(random, 16, 20, 4_096));
        numbers.put("retentionMillis", pick(random, 100, 1_000));
        numbers.put("reread", random.below(3));
    }

    /** From a generator of their own, so that the other entries of a seed are what they were before there were groups. */
    private void drawGroups(SimRandom random) {
        boolean some = random.chance(0.4);
        numbers.put("groups", some ? random.between(1, 2) : 0);
        // Per group, one bit each: KIP-848 or classic.
        numbers.put("consumerGroups", random.below(4));
        // Per member of a group, one bit each.
        numbers.put("staticMembers", random.chance(0.3) ? random.below(16) : 0);
        numbers.put("members", random.between(1, 4));
        numbers.put("committers", some || random.chance(0.2) ? random.between(0, 2) : 0);
        numbers.put("sessionMillis", pick(random, 1_000, 2_000, 3_000));
        numbers.put("rebalanceMillis", pick(random, 800, 2_000));
        numbers.put("assignmentMillis", pick(random, 0, 300));
        numbers.put("offsetsPartitions", random.between(1, 3));
        numbers.put("offsetsSegment", pick(random, 0, 2_000, 10_000));
        numbers.put("offsetsLinger", pick(random, -1, -1, 0, 5));
        // Whether assignments count as large, and so are computed by a worker.
        numbers.put("offloads", random.below(2));
    }

    /** As {@link #drawGroups}. */
    private void drawTransactions(SimRandom random) {
        numbers.put("transactions", random.chance(0.3) ? random.between(1, 3) : 0);
        numbers.put("txnPartitions", random.between(1, 3));
        numbers.put("txnSegment", pick(random, 500, 2_000, 60_000));
        // Percentage of the producers that speak the second protocol.
        numbers.put("txnSecond", pick(random, 0, 50, 100, 100));
        numbers.put("txnTimeout", pick(random, 600, 1_500, 4_000));
        numbers.put("txnInterval", pick(random, 2, 20, 60));
        numbers.put("txnJobs", random.between(0, 2));
        // 0: one process, which has all partitions, without a group's protocol.
        numbers.put("txnJobMembers", random.between(0, 3));
        numbers.put("txnStatePartitions", random.between(1, 3));
        numbers.put("txnStateSegment", pick(random, 0, 2_000, 10_000));
        numbers.put("txnBeginWait", pick(random, 0, 20, 100));
        // Per job, one bit each: its group is of KIP-848.
        numbers.put("txnConsumerJobs", random.below(4));
        // One bit each: what they read, and what they write, is not durable.
        numbers.put("txnMemory", random.chance(0.25) ? random.between(1, 3) : 0);
        // Percentage of batches that their producer gives up at once.
        numbers.put("txnHasty", random.chance(0.2) ? random.between(1, 30) : 0);
    }

    private static int pick(SimRandom random, int... values) {
        return values[random.below(values.length)];
    }

    private void drawFaults(SimRandom random) {
        int count = random.between(1, 4);
        for (int i = 0; i < count; i++) {
            faults.add(Fault.values()[random.below(OLDEST_FAULTS)]);
        }
    }

    private void drawNetwork(SimRandom random) {
        if (random.chance(0.15)) {
            faults.add(Fault.NETWORK_CUT);
        }
        if (random.chance(0.15)) {
            faults.add(Fault.PACKET_LOSS);
        }
    }

    private void drawBus(SimRandom random) {
        if (random.chance(0.1)) {
            faults.add(Fault.SLOW_BUS);
        }
        numbers.put("stallsPerMille", pick(random, 1, 3, 10));
    }

    private void drawMigration(SimRandom random) {
        // Per member of a KIP-848 group, one bit each: it speaks the classic protocol.
        numbers.put("classicMembers", random.chance(0.4) ? random.between(1, 15) : 0);
    }

    /** One node unless a run is directed at a cluster. */
    private void drawCluster(SimRandom random) {
        numbers.put("nodes", 1);
        // The first so many nodes elect the controller; 0: each node is a cluster of its own.
        numbers.put("voters", 3);
        // Of each partition, at most; one per node.
        numbers.put("replicas", pick(random, 3, 3, 3, 3, 2, 1));
        numbers.put("minInSync", pick(random, 2, 2, 2, 1));
        numbers.put("lagMillis", pick(random, 700, 2_000, 10_000));
        // What does not come back when the storm is over: 1: a node, 2: a direction of a link between two.
        numbers.put("minority", random.chance(0.5) ? random.between(1, 2) : 0);
        for (Fault each : List.of(Fault.PAUSE, Fault.LINK_CUT, Fault.NETWORK_CUT, Fault.KILL)) {
            if (random.chance(0.4)) {
                ofClusters.add(each);
            }
        }
    }

    /** How many replicas each partition has. */
    int replicas() {
        return get("voters") == 0 ? 1 : Math.min(get("nodes"), get("replicas"));
    }

    /** min.insync.replicas. */
    int minInSync() {
        return Math.min(replicas(), get("minInSync"));
    }

    private void drawDirectories(SimRandom random) {
        if (get("disks") > 1 && random.chance(0.5)) {
            faults.add(Fault.BROKEN_DIRECTORY);
        }
    }

    private void drawStorage(SimRandom random) {
        // Per topic, one bit each.
        numbers.put("preallocated", random.chance(0.3) ? random.below(8) : 0);
        numbers.put("scrubBytes", random.chance(0.5) ? pick(random, 500, 5_000, 1_048_576) : 0);
        numbers.put("compacted", random.chance(0.3) ? random.between(1, 2) : 0);
        numbers.put("compactedSegment", pick(random, 400, 2_000, 10_000));
        numbers.put("compactedKeys", pick(random, 1, 4, 12));
    }

    private void override(String name, String value) {
        if (name.equals("faults")) {
            faults.clear();
            for (String each : value.isEmpty() ? new String[0] : value.split("\\+")) {
                faults.add(Fault.valueOf(each.toUpperCase(java.util.Locale.ROOT)));
            }
        } else if (numbers.containsKey(name)) {
            numbers.put(name, Integer.parseInt(value));
        } else {
            throw new IllegalArgumentException(
                    "no such entry of a profile: " + name + "; there are faults and " + numbers.keySet());
        }
    }

    int get(String name) {
        return numbers.get(name);
    }

    boolean durable(int topic) {
        return (get("durableTopics") >> topic & 1) == 1;
    }

    boolean trimmed(int topic) {
        return (get("trimmedTopics") >> topic & 1) == 1;
    }

    boolean preallocated(int topic) {
        return (get("preallocated") >> topic & 1) == 1;
    }

    boolean consumerGroup(int group) {
        return (get("consumerGroups") >> group & 1) == 1;
    }

    boolean classicMember(int member) {
        return (get("classicMembers") >> member & 1) == 1;
    }

    boolean consumerJob(int job) {
        return (get("txnConsumerJobs") >> job & 1) == 1;
    }

    boolean staticMember(int member) {
        return (get("staticMembers") >> member & 1) == 1;
    }

    List<Fault> faultList() {
        return new ArrayList<>(faults);
    }

    /** What is on in this run, for counters. */
    List<String> features() {
        List<String> on = new ArrayList<>();
        faults.forEach(each -> on.add(each.name()));
        for (String each : List.of("buggify", "groups", "compacted", "preallocated", "scrubBytes", "trimmedTopics")) {
            if (get(each) > 0) {
                on.add(each);
            }
        }
        if (get("disks") > 1) {
            on.add("disks");
        }
        return on;
    }

    /** All entries, as overrides that give the same profile. */
    Map<String, String> settings() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("faults", String.join("+", faults.stream().map(Fault::name).toList()));
        numbers.forEach((name, value) -> all.put(name, Integer.toString(value)));
        return all;
    }

    @Override
    public String toString() {
        return "faults=" + faults + " " + numbers;
    }
}
