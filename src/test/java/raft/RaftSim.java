package raft;

import common.InvariantViolation;
import common.Mutations;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import sim.RuleBroken;
import sim.SimRandom;

/** A whole quorum in one thread and virtual time (milliseconds), from one seed: storm, heal, judgement. */
final class RaftSim implements ReplicaHost.World {
    static final RaftTimeouts TIMEOUTS = new RaftTimeouts(1_000, 1_000, 1_000, 2_000, 20);
    private static final int MOST_EVENTS = 2_000_000;
    private static final int RECENT = 60;
    private static final long SETTLE_MILLIS = 30_000;

    private final long seed;
    private final SimRandom random;
    private final RaftProfile profile;
    private final Mutations mutations;
    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private final Map<Integer, SimReplica> nodes = new TreeMap<>();
    private final List<ReplicaDisk> disks = new ArrayList<>();
    private final RaftChecker checker = new RaftChecker(disks);
    private final RaftNetwork network;
    private final RaftStorm storm;
    private final Deque<String> recent = new ArrayDeque<>();
    private long now;
    private long events;
    private long sequence;
    private long hash = 17;
    private boolean calm;

    /** What came of a run. */
    record Report(long seed, String broken, String block, long traceHash, long events, Map<String, Integer> counts) {}

    private record Event(long at, long tie, long sequence, String what, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int order = Long.compare(at, other.at);
            order = order == 0 ? Long.compare(tie, other.tie) : order;
            return order == 0 ? Long.compare(sequence, other.sequence) : order;
        }
    }

    RaftSim(long seed, Map<String, Integer> overrides, Mutations mutations) {
        this.seed = seed;
        this.random = new SimRandom(seed);
        this.profile = RaftProfile.of(random.split("profile"), overrides);
        this.mutations = mutations;
        this.network = new RaftNetwork(this, random.split("network"), profile);
        this.storm = new RaftStorm(this, random.split("storm"), profile, network);
        int voters = profile.get("voters");
        for (int id = 1; id <= voters + profile.get("observers"); id++) {
            nodes.put(id, new SimReplica(this, id, id <= voters));
        }
    }

    static Report run(long seed, Map<String, Integer> overrides, Mutations mutations) {
        return new RaftSim(seed, overrides, mutations).run();
    }

    private Report run() {
        String broken = null;
        String why = "";
        try {
            nodes.values().forEach(SimReplica::start);
            storm.begin();
            runUntil(profile.get("stormMillis"));
            calm();
            settle();
        } catch (RuleBroken e) {
            broken = e.rule();
            why = e.getMessage();
        } catch (InvariantViolation e) {
            broken = "invariant";
            why = e.getMessage();
        } catch (RuntimeException e) {
            broken = "exception";
            why = e + " " + List.of(e.getStackTrace()).subList(0, Math.min(8, e.getStackTrace().length));
        }
        return new Report(seed, broken, broken == null ? "" : block(why), hash, events, checker.counts());
    }

    private String block(String why) {
        StringBuilder text = new StringBuilder(
                "seed " + seed + " " + profile.entries() + "\nat " + now + " ms, event " + events + ": " + why + "\n");
        recent.forEach(each -> text.append("  ").append(each).append('\n'));
        nodes.values().forEach(each -> text.append("  ").append(each).append('\n'));
        return text.toString();
    }

    private void calm() {
        calm = true;
        network.calm();
        storm.end();
        nodes.values().forEach(SimReplica::heal);
    }

    /** Liveness: a leader, within seconds; what is proposed then is committed at all, snapshots included. */
    private void settle() {
        // What waited in a paused process comes first.
        runUntil(now + RaftStorm.MOST_PAUSE_MILLIS);
        long end = now + SETTLE_MILLIS;
        boolean settled = false;
        while (!settled && now < end) {
            runUntil(now + 500);
            settled = storm.repaired() && level(checker.committedEnd());
        }
        if (!settled) {
            throw new RuleBroken("L4 settles after heal", "not within " + SETTLE_MILLIS + " ms: " + nodes.values());
        }
        long before = checker.committedEnd();
        proposeToLeaders();
        runUntil(now + 3_000);
        if (checker.committedEnd() <= before || !level(before + 1)) {
            throw new RuleBroken("L4 commits after heal", "nothing beyond " + before + ": " + nodes.values());
        }
    }

    private boolean level(long end) {
        return end > 0
                && nodes.values().stream()
                        .allMatch(each ->
                                each.host() != null && each.host().last().highWatermark() >= end);
    }

    // Time.

    private void runUntil(long instant) {
        while (!queue.isEmpty() && queue.peek().at <= instant) {
            Event next = queue.poll();
            now = Math.max(now, next.at);
            if (++events > MOST_EVENTS) {
                throw new RuleBroken("livelock or slow", events + " events");
            }
            hash = Entry.mix(hash * 31 + next.what.hashCode()) ^ Entry.mix(next.sequence + now);
            next.action.run();
        }
        now = instant;
    }

    long now() {
        return now;
    }

    /** @param host the event dies with it and waits while it is paused; null: an event of the world */
    void after(long millis, ReplicaHost host, String what, Runnable action) {
        Runnable whole = host == null ? action : () -> run(host, action);
        queue.add(new Event(now + millis, random.nextLong(), sequence++, what, whole));
    }

    /** Lets a process do something, once it is not paused. */
    void run(ReplicaHost host, Runnable action) {
        if (!host.alive()) {
            return;
        }
        long resumed = nodes.get(host.id()).pausedUntil();
        if (resumed > now) {
            after(resumed - now, host, "resumed", action);
        } else {
            action.run();
        }
    }

    void say(String what) {
        recent.addLast(now + " " + what);
        if (recent.size() > RECENT) {
            recent.removeFirst();
        }
    }

    // Nodes.

    Collection<Integer> ids() {
        return nodes.keySet();
    }

    /** Null while it is down. */
    ReplicaHost host(int id) {
        SimReplica node = nodes.get(id);
        return node == null ? null : node.host();
    }

    SimReplica node(int id) {
        return nodes.get(id);
    }

    Collection<SimReplica> nodes() {
        return nodes.values();
    }

    RaftChecker checker() {
        return checker;
    }

    RaftProfile profile() {
        return profile;
    }

    Mutations mutations() {
        return mutations;
    }

    SimRandom random() {
        return random;
    }

    List<ReplicaDisk> disks() {
        return disks;
    }

    boolean isCalm() {
        return calm;
    }

    void proposeToLeaders() {
        for (SimReplica each : nodes.values()) {
            if (each.host() != null) {
                ReplicaHost host = each.host();
                run(host, () -> host.propose(++sequence));
            }
        }
    }

    // What replicas do.

    @Override
    public long now(ReplicaHost host) {
        return nodes.get(host.id()).localTime(now);
    }

    @Override
    public void disk(ReplicaHost host, String what, Runnable action) {
        boolean slow = !calm && profile.on("slowDisks") && random.chance(0.05);
        after(slow ? random.between(50, 1_500) : random.between(0, 6), host, what, action);
    }

    @Override
    public void send(ReplicaHost from, RaftOutput.Send send) {
        checker.sends(from, send.request());
        network.send(from, send);
    }

    @Override
    public void reply(ReplicaHost from, RaftOutput.Reply reply) {
        checker.replies(from, network.asked(reply.token()), reply.response());
        network.reply(from, reply);
    }

    @Override
    public void wakeAt(ReplicaHost host, long instant) {
        nodes.get(host.id()).wakeAt(instant);
    }

    @Override
    public void observe(ReplicaHost host, RaftOutput before, RaftOutput output) {
        RaftOutput.Standing standing = output.standing();
        if (before == null || !before.standing().equals(standing)) {
            say(host.disk().key + " " + standing + " end " + host.disk().end() + " hw " + output.highWatermark());
            hash = Entry.mix(
                    hash ^ (standing.epoch() * 31L + standing.role().name().hashCode()));
        }
        checker.observe(host, before, output);
        nodes.get(host.id()).watch(output);
        storm.observe(host, output);
    }

    @Override
    public void appended(ReplicaHost host, long from) {
        checker.appended(host, from);
        hash = Entry.mix(hash ^ host.disk().hash(host.disk().end().offset()));
    }

    /** A request is about to be handled: R5's checker counts it. */
    void heard(ReplicaHost host, RaftRequest request) {
        nodes.get(host.id()).heard(request);
    }
}
