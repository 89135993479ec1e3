package sim;

import common.Chance;
import common.Failure;
import common.Mutations;
import config.BrokerConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One machine of a world: its disks and clocks, which stay, and its node, which starts and ends in all ways. */
final class SimMachine implements SimNode.Events {
    private static final long PATIENCE = 60_000;
    private static final String REQUESTS = "kafka_network_requestmetrics_requests_total{request,";

    private final int number;
    private final SimWorld world;
    private final SimProfile profile;
    private final SimClock clock;
    private final List<SimDisk> disks = new ArrayList<>();
    private final SimMetrics metrics = new SimMetrics();
    private final SimLag lag = new SimLag();
    private final SimNode node;
    private final String name;
    private boolean crashIsPowerCut;
    private boolean diskTroubled;
    private boolean directoryBroken;

    /** @param number from 0 */
    SimMachine(SimWorld world, int number, Mutations mutations) {
        this.number = number;
        this.world = world;
        this.profile = world.profile();
        this.name = "n" + number;
        this.clock = new SimClock(world.scheduler());
        // The first machine draws as it did when there was but one.
        SimRandom random = number == 0 ? world.random() : world.random().split(name);
        for (int i = 0; i < profile.get("disks"); i++) {
            disks.add(new SimDisk(random.split("disk" + i)));
        }
        SimRandom luck = random.split("chance");
        double unlucky = profile.get("buggify") / 100.0;
        boolean offloads = profile.get("offloads") > 0;
        Chance chance =
                point -> point.equals("group.assignment.large") ? offloads : unlucky > 0 && luck.chance(unlucky);
        SimNodeHost.Parts parts = new SimNodeHost.Parts(
                world.scheduler(),
                clock,
                disks,
                profile.get("loops"),
                chance,
                mutations,
                new SimNodeHost.Place(name, world.network(), world),
                metrics,
                lag);
        this.node = new SimNode(name, parts, config(), random.split("node"), this);
    }

    private BrokerConfig config() {
        Map<String, String> properties = new LinkedHashMap<>();
        StringBuilder directories = new StringBuilder();
        for (int i = 0; i < disks.size(); i++) {
            directories.append(i == 0 ? "" : ",").append("disk").append(i);
        }
        String checkpoint = Integer.toString(profile.get("checkpointMillis"));
        properties.put("log.dirs", directories.toString());
        properties.put("auto.create.topics.enable", "false");
        properties.put("log.dir.reserve.bytes", Integer.toString(profile.get("reserve")));
        properties.put("log.retention.check.interval.ms", Integer.toString(profile.get("retentionMillis")));
        properties.put("log.initial.task.delay.ms", "100");
        properties.put("log.flush.offset.checkpoint.interval.ms", checkpoint);
        properties.put("log.flush.start.offset.checkpoint.interval.ms", checkpoint);
        properties.put("replica.high.watermark.checkpoint.interval.ms", checkpoint);
        properties.put(
                "metadata.log.max.record.bytes.between.snapshots", Integer.toString(profile.get("snapshotBytes")));
        properties.put("log.max.open.files", Integer.toString(profile.get("openFiles")));
        properties.put("log.dir.scrub.bytes.per.second", Integer.toString(profile.get("scrubBytes")));
        if (profile.get("nodes") > 1) {
            network(properties);
        }
        SimGroups.configure(profile, properties);
        SimTransactions.configure(profile, properties);
        BrokerConfig.Parsed parsed = BrokerConfig.parse(properties);
        if (parsed.config() == null) {
            throw new IllegalStateException(parsed.problems().toString());
        }
        return parsed.config();
    }

    private void network(Map<String, String> properties) {
        String replicas = Integer.toString(profile.replicas());
        String min = Integer.toString(profile.minInSync());
        properties.put("default.replication.factor", replicas);
        properties.put("offsets.topic.replication.factor", replicas);
        properties.put("transaction.state.log.replication.factor", replicas);
        properties.put("min.insync.replicas", min);
        properties.put("transaction.state.log.min.isr", min);
        properties.put("replica.lag.time.max.ms", Integer.toString(profile.get("lagMillis")));
        properties.put("node.id", Integer.toString(nodeId(number)));
        properties.put("process.roles", "broker,controller");
        properties.put(
                "listeners",
                "PLAINTEXT://" + name + ":" + SimNode.CLIENT_PORT + ",CONTROLLER://" + name + ":"
                        + SimNode.CONTROLLER_PORT);
        properties.put("controller.listener.names", "CONTROLLER");
        StringBuilder voters = new StringBuilder();
        for (int i = 0; i < profile.get("voters"); i++) {
            voters.append(i == 0 ? "" : ",")
                    .append(nodeId(i))
                    .append("@n")
                    .append(i)
                    .append(':');
            voters.append(SimNode.CONTROLLER_PORT);
        }
        if (!voters.isEmpty()) {
            properties.put("controller.quorum.voters", voters.toString());
        }
    }

    /** Of the node on a machine. */
    static int nodeId(int machine) {
        return machine + 1;
    }

    /** The machine of a node. */
    static int ofNode(int id) {
        return id - 1;
    }

    String name() {
        return name;
    }

    SimNode node() {
        return node;
    }

    /** What its incarnations counted, without tags. */
    void addCounts(Map<String, Integer> counts) {
        metrics.counts().forEach((name, count) -> {
            String plain = name.startsWith(REQUESTS) ? "request." + name.substring(REQUESTS.length()) : name;
            if (!plain.startsWith("kafka_network")) {
                counts.merge(plain.replaceFirst("\\{.*|}", ""), Math.toIntExact(count), Integer::sum);
            }
        });
    }

    List<SimDisk> disks() {
        return disks;
    }

    SimClock clock() {
        return clock;
    }

    SimLag lag() {
        return lag;
    }

    String dump() {
        StringBuilder json = new StringBuilder("{\"name\":" + SimTrace.quote(name) + ",\"incarnation\":");
        json.append(node.incarnation()).append(",\"alive\":").append(node.alive());
        json.append(",\"serving\":").append(node.serving());
        json.append(",\"wallMillis\":").append(clock.wallMillis()).append(",\"disks\":[");
        for (int i = 0; i < disks.size(); i++) {
            List<String> files =
                    disks.get(i).tree().stream().map(SimTrace::quote).toList();
            json.append(i == 0 ? "[" : ",[").append(String.join(",", files)).append(']');
        }
        return json.append("]}").toString();
    }

    /** For the first time, or after the last start; it serves when those that it needs have started, too. */
    void start() {
        node.start();
    }

    /** With all faults off: it starts, by itself or with help. */
    void heal() {
        if (node.alive()) {
            node.life().resume();
        }
        if (node.alive() && (node.life().powerLost() || directoryBroken)) {
            // A directory that is offline stays so until the process ends (rule S3).
            crash(false, false);
        }
        directoryBroken = false;
        if (!node.alive()) {
            node.start();
        }
    }

    /** @param rule that is broken when it takes too long */
    void awaitServing(String rule) {
        world.await(rule, PATIENCE, () -> {
            if (!node.alive()) {
                node.start();
            }
            return node.serving();
        });
    }

    /** How a process is ended. */
    enum End {
        CLEAN,
        POWER_CUT,
        KILL
    }

    /** Ends the process. */
    void end(End how) {
        if (how == End.CLEAN) {
            node.stopClean();
            world.await("L clean stop", PATIENCE, () -> !node.alive());
        } else {
            crash(how == End.POWER_CUT, false);
        }
    }

    // ---- faults

    /** @param silently clients do not learn of it */
    void crash(boolean power, boolean silently) {
        if (node.alive()) {
            world.count(power ? "node.powercuts" : "node.kills");
            if (power) {
                world.unsyncedLost(this);
            }
            node.end(power, silently);
        }
    }

    /** Until it is mended a start finds the directory unreadable. */
    void breakDirectory(SimDisk disk) {
        directoryBroken = true;
        disk.faults((operation, path, number) ->
                operation == DiskFaults.Operation.READ ? DiskFaults.Fault.ERROR : DiskFaults.Fault.NONE);
    }

    /** The process that began without it does so until its end. */
    void mendDirectory(SimDisk disk) {
        disk.faults(DiskFaults.NONE);
    }

    /** What a crash inside of a disk job shall be. */
    void nextCrash(boolean powerCut) {
        crashIsPowerCut = powerCut;
    }

    /** From now on it may refuse to start, or halt: a disk of it is in trouble. */
    void excuse() {
        diskTroubled = true;
    }

    void noExcuse() {
        diskTroubled = false;
    }

    /** A sync has failed: what memory acks promised since may be gone with the pages. */
    void pagesLost() {
        world.unsyncedLost(this);
        node.life().unsyncedLost();
    }

    /** All that was made worse about disks and clocks is as it should be. */
    void faultsEnd() {
        clock.rates(1, 1);
        lag.stalls(0);
        for (SimDisk disk : disks) {
            disk.faults(DiskFaults.NONE);
            disk.slowness(1);
            disk.unbounded();
        }
    }

    private boolean mayFail() {
        return world.stormed() && diskTroubled;
    }

    @Override
    public void crashedInJob() {
        world.count(crashIsPowerCut ? "node.powercuts-in-job" : "node.kills-in-job");
        if (crashIsPowerCut) {
            world.unsyncedLost(this);
        }
        node.afterCrash(crashIsPowerCut, false);
        world.planRestart(this);
    }

    @Override
    public void startRefused(Failure why) {
        if (!mayFail()) {
            throw new RuleBroken("L start", "the node does not start: " + why);
        }
        world.count("node.refused");
        world.planRestart(this);
    }

    @Override
    public void halted(Failure why) {
        if (!mayFail()) {
            throw new RuleBroken("L node runs", "the node halts: " + why);
        }
        world.count("node.halts");
        world.planRestart(this);
    }

    @Override
    public void stopped(Failure why) {
        world.count(why == null ? "node.clean-stops" : "node.failed-stops");
        if (why != null && !mayFail()) {
            throw new RuleBroken("S6 clean stop", "failed: " + why);
        }
        world.planRestart(this);
    }
}
