package raft;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sim.RuleBroken;
import sim.SimRandom;

/** A machine of the simulation: a disk that outlives its processes, a clock of its own, a process now and then. */
final class SimReplica {
    private final RaftSim sim;
    private final SimRandom random;
    private final int id;
    private final boolean voter;
    private final double drift;
    private final long clockStart;
    private final ReplicaKey firstKey;
    private final Map<ReplicaKey, Long> heardAt = new LinkedHashMap<>();
    private ReplicaDisk disk;
    private ReplicaHost host;
    private boolean wiped;
    private long damagedFrom = -1;
    private long pausedUntil;
    private long wake;
    private long ledEpoch = -1;
    private long ledSince;

    SimReplica(RaftSim sim, int id, boolean voter) {
        this.sim = sim;
        this.random = sim.random().split("node" + id);
        this.id = id;
        this.voter = voter;
        this.drift = 0.99 + random.below(21) / 1_000.0;
        this.clockStart = random.below(1_000_000);
        this.disk = newDisk();
        this.firstKey = disk.key;
    }

    private ReplicaDisk newDisk() {
        ReplicaDisk made = new ReplicaDisk(new ReplicaKey(id, random.nextLong(), random.nextLong()));
        sim.disks().add(made);
        return made;
    }

    int id() {
        return id;
    }

    ReplicaDisk disk() {
        return disk;
    }

    ReplicaHost host() {
        return host;
    }

    /** Whether it was made to vote from the beginning. */
    boolean firstVoter() {
        return voter;
    }

    long localTime(long now) {
        return clockStart + (long) (now * drift);
    }

    void start() {
        List<Endpoint> bootstrap = new ArrayList<>();
        List<VoterSet.Voter> voters = new ArrayList<>();
        boolean fixed = sim.profile().on("fixedVoters");
        for (SimReplica each : sim.nodes()) {
            bootstrap.addAll(Entry.endpoints(each.id));
            if (each.voter) {
                ReplicaKey key = fixed ? ReplicaKey.of(each.id) : each.firstKey;
                voters.add(new VoterSet.Voter(key, fixed ? List.of() : Entry.endpoints(each.id)));
            }
        }
        boolean knows = voter && !wiped;
        RaftNode.Setup setup = new RaftNode.Setup(
                disk.key,
                Entry.endpoints(id),
                knows ? new VoterSet(voters) : VoterSet.EMPTY,
                bootstrap,
                RaftSim.TIMEOUTS,
                "cluster",
                random,
                sim.mutations());
        host = new ReplicaHost(sim, disk, setup);
        heardAt.clear();
        ledEpoch = -1;
        weak();
        host.start(damagedFrom);
    }

    /** Its log lacks what it has promised to hold. */
    boolean weak() {
        if (damagedFrom >= 0 && disk.vote().refetching()) {
            damagedFrom = -1;
        }
        return damagedFrom >= 0 || disk.vote().refetching();
    }

    /** kill -9, or a power cut. */
    void crash() {
        sim.say(disk.key + " crashes");
        long unsynced = disk.end().offset() - disk.durableEnd();
        if (unsynced > 0) {
            sim.checker().count("crashes with unsynced records");
        }
        host.die(random.chance(0.5), disk.durableEnd() + random.belowLong(unsynced + 1));
        host = null;
        pausedUntil = 0;
    }

    /** Down: its disk is lost, it gets a new one, with which it is another replica (rule R13). */
    void wipe() {
        sim.say(disk.key + " loses its disk");
        sim.checker().damages(disk.key, disk.durableEnd());
        sim.disks().remove(disk);
        disk = newDisk();
        wiped = true;
    }

    /** Down: its durable log has rotted from some offset on; the next process finds it (rule R15). */
    void rot() {
        long start = disk.start().offset();
        damagedFrom = start + random.belowLong(Math.max(1, disk.end().offset() - start));
        sim.say(disk.key + " rots from " + damagedFrom);
        sim.checker().damages(disk.key, disk.durableEnd());
        disk.truncate(damagedFrom);
    }

    void pause(long millis) {
        pausedUntil = sim.now() + millis;
    }

    long pausedUntil() {
        return pausedUntil;
    }

    void heal() {
        pausedUntil = 0;
        if (host == null) {
            start();
        }
    }

    void wakeAt(long instant) {
        long ticket = ++wake;
        if (instant == Long.MAX_VALUE) {
            return;
        }
        long millis = (long) Math.ceil(Math.max(0, instant - localTime(sim.now())) / drift);
        ReplicaHost waking = host;
        if (waking == null) {
            // The process is just being made: it starts on its own.
            sim.after(millis, null, "tick", () -> {
                if (host != null && ticket == wake) {
                    ReplicaHost ready = host;
                    sim.run(ready, ready::tick);
                }
            });
            return;
        }
        sim.after(millis, waking, "tick", () -> {
            if (ticket == wake) {
                waking.tick();
            }
        });
    }

    // R5, seen from outside: a leader that no majority has talked to for too long, by its own clock, must be none.

    void heard(RaftRequest request) {
        long local = localTime(sim.now());
        if (request instanceof RaftRequest.Fetch fetch && fetch.epoch() == ledEpoch) {
            heardAt.put(fetch.replica(), local);
        } else if (request instanceof RaftRequest.FetchSnapshot fetch && fetch.epoch() == ledEpoch) {
            heardAt.put(fetch.replica(), local);
        }
    }

    void watch(RaftOutput output) {
        weak();
        long local = localTime(sim.now());
        if (output.standing().role() != RaftOutput.Role.LEADER || host == null) {
            ledEpoch = -1;
            return;
        }
        if (ledEpoch != output.standing().epoch()) {
            ledEpoch = output.standing().epoch();
            ledSince = local;
            heardAt.clear();
        }
        VoterSet voters = host.node().voters();
        List<Long> times = new ArrayList<>();
        for (VoterSet.Voter each : voters.voters()) {
            if (each.key().id() != id) {
                long last = ledSince;
                for (Map.Entry<ReplicaKey, Long> heard : heardAt.entrySet()) {
                    last = each.key().means(heard.getKey()) ? Math.max(last, heard.getValue()) : last;
                }
                times.add(last);
            }
        }
        times.sort(Collections.reverseOrder());
        int needed = voters.majority() - (voters.contains(disk.key) ? 1 : 0);
        if (needed > 0 && local - times.get(needed - 1) >= RaftSim.TIMEOUTS.checkQuorum()) {
            throw new RuleBroken("R5 check quorum", disk.key + " leads unheard since " + times.get(needed - 1));
        }
    }

    @Override
    public String toString() {
        return disk.key + " "
                + (host == null || host.last() == null
                        ? "down"
                        : host.last().standing() + " hw " + host.last().highWatermark())
                + " " + disk.vote() + " end " + disk.end() + " durable " + disk.durableEnd() + " start " + disk.start()
                + " voters " + (host == null ? disk.voters() : host.node().voters());
    }
}
