package raft;

import java.util.ArrayList;
import java.util.List;
import sim.RuleBroken;
import sim.SimRandom;

/** What happens to the quorum from outside: clients, an operator, faults. */
final class RaftStorm {
    static final int MOST_PAUSE_MILLIS = 4_000;
    private static final long CUT_MILLIS = 3_000;

    private final RaftSim sim;
    private final SimRandom random;
    private final RaftProfile profile;
    private final RaftNetwork network;
    private final List<Runnable> faults = new ArrayList<>();
    private boolean over;
    private int steadyEpoch = -1;

    RaftStorm(RaftSim sim, SimRandom random, RaftProfile profile, RaftNetwork network) {
        this.sim = sim;
        this.random = random;
        this.profile = profile;
        this.network = network;
    }

    void begin() {
        add("cuts", this::isolateAny);
        add("oneWayCuts", this::cutOneWay);
        add("crashes", this::crashOne);
        add("crashes", this::crashAll);
        add("pauses", () -> any().pause(random.between(10, MOST_PAUSE_MILLIS)));
        add("membership", this::changeVoters);
        add("snapshots", this::snapshot);
        add("wipes", this::wipe);
        add("rot", this::rot);
        add("resignations", this::resign);
        sim.after(profile.get("proposeMillis"), null, "propose", this::propose);
        sim.after(500, null, "operator", this::operate);
        if (profile.on("isolate")) {
            sim.after(4_000, null, "steady", this::steady);
        } else if (!faults.isEmpty()) {
            sim.after(profile.get("faultMillis"), null, "fault", this::fault);
        }
    }

    private void add(String name, Runnable fault) {
        if (profile.on(name)) {
            faults.add(fault);
        }
    }

    void end() {
        over = true;
    }

    private void propose() {
        sim.proposeToLeaders();
        sim.after(1 + random.below(2 * profile.get("proposeMillis")), null, "propose", this::propose);
    }

    private void fault() {
        if (!over) {
            faults.get(random.below(faults.size())).run();
            sim.after(1 + random.below(2 * profile.get("faultMillis")), null, "fault", this::fault);
        }
    }

    private SimReplica any() {
        List<SimReplica> all = new ArrayList<>(sim.nodes());
        return all.get(random.below(all.size()));
    }

    private void isolateAny() {
        int id = any().id();
        if (random.chance(0.3)) {
            network.cut(id, any().id());
        } else {
            network.isolate(id, true, true);
        }
        healLater();
    }

    private void cutOneWay() {
        boolean outbound = random.chance(0.5);
        network.isolate(any().id(), outbound, !outbound);
        healLater();
    }

    private void healLater() {
        sim.say("cut");
        sim.after(1 + random.belowLong(CUT_MILLIS), null, "heal", network::heal);
    }

    private void crashOne() {
        SimReplica node = any();
        if (node.host() != null) {
            node.crash();
            sim.checker().count("crashes");
            told(node.id());
            restart(node);
        }
    }

    /** Who was connected sees the connection close, and a reconnect refused. */
    private void told(int gone) {
        for (SimReplica each : sim.nodes()) {
            ReplicaHost host = each.host();
            if (host != null && random.chance(0.7)) {
                sim.after(random.between(1, 30), host, "gone", () -> {
                    if (sim.host(gone) == null) {
                        host.processGone(gone);
                    }
                });
            }
        }
    }

    private void crashAll() {
        if (random.chance(0.2)) {
            for (SimReplica node : sim.nodes()) {
                if (node.host() != null) {
                    node.crash();
                    restart(node);
                }
            }
            sim.checker().count("power cuts");
        }
    }

    private void restart(SimReplica node) {
        sim.after(random.between(1, 3_000), null, "restart", () -> {
            if (node.host() == null) {
                node.start();
            }
        });
    }

    private void resign() {
        for (SimReplica each : sim.nodes()) {
            ReplicaHost host = each.host();
            if (host != null && host.role() == RaftOutput.Role.LEADER) {
                sim.run(host, () -> {
                    if (!over) {
                        host.resign();
                    }
                });
            }
        }
    }

    private void snapshot() {
        ReplicaHost host = any().host();
        if (host != null && host.snapshot()) {
            sim.checker().count("snapshots");
            if (random.chance(0.7)) {
                host.shorten();
            }
        }
    }

    // Voters.

    private void ask(ReplicaHost leader, RaftRequest request) {
        sim.run(leader, () -> leader.request(network.outsideToken(), request));
    }

    private void changeVoters() {
        for (SimReplica each : sim.nodes()) {
            ReplicaHost leader = each.host();
            if (leader != null && leader.role() == RaftOutput.Role.LEADER) {
                VoterSet voters = leader.node().voters();
                SimReplica node = any();
                if (voters.voter(node.id()) == null) {
                    addVoter(leader, node);
                } else if (voters.size() > 1 && deadVoters() == 0 && weakVoters() == 0) {
                    ask(
                            leader,
                            new RaftRequest.RemoveVoter(
                                    "cluster", voters.voter(node.id()).key()));
                }
            }
        }
    }

    private void addVoter(ReplicaHost leader, SimReplica node) {
        VoterSet.Voter voter = new VoterSet.Voter(node.disk().key, Entry.endpoints(node.id()));
        ask(leader, new RaftRequest.AddVoter("cluster", voter, 2_000, random.chance(0.5)));
    }

    /** The operator takes voters out whose disks are lost, and lets in who was a voter once. */
    private void operate() {
        if (profile.on("wipes") || over) {
            for (SimReplica each : sim.nodes()) {
                ReplicaHost leader = each.host();
                if (leader != null && leader.role() == RaftOutput.Role.LEADER) {
                    repair(leader);
                }
            }
        }
        sim.after(300 + random.below(500), null, "operator", this::operate);
    }

    private void repair(ReplicaHost leader) {
        for (VoterSet.Voter voter : leader.node().voters().voters()) {
            if (lost(voter.key())) {
                ask(leader, new RaftRequest.RemoveVoter("cluster", voter.key()));
                return;
            }
        }
        for (SimReplica node : sim.nodes()) {
            if (node.firstVoter() && leader.node().voters().voter(node.id()) == null) {
                addVoter(leader, node);
                return;
            }
        }
    }

    /** All that was lost or removed is replaced. */
    boolean repaired() {
        boolean all = deadVoters() == 0;
        for (SimReplica node : sim.nodes()) {
            for (SimReplica other : sim.nodes()) {
                VoterSet voters = other.host() == null
                        ? VoterSet.EMPTY
                        : other.host().node().voters();
                all &= !node.firstVoter() || voters.size() == 0 || voters.voter(node.id()) != null;
            }
        }
        return all;
    }

    private boolean lost(ReplicaKey voter) {
        return voter.hasDirectory() && sim.disks().stream().noneMatch(each -> each.key.equals(voter));
    }

    /** Of any set that is in force anywhere. */
    private int deadVoters() {
        int dead = 0;
        for (VoterSet set : sets()) {
            dead += (int) set.voters().stream().filter(each -> lost(each.key())).count();
        }
        return dead;
    }

    private int weakVoters() {
        return (int) sim.nodes().stream().filter(SimReplica::weak).count();
    }

    /** That may be in force somewhere, or come back by a truncation. */
    private List<VoterSet> sets() {
        List<VoterSet> sets = new ArrayList<>();
        long committed = sim.checker().committedEnd();
        for (SimReplica each : sim.nodes()) {
            VoterSet settled = null;
            for (VotersAt found : each.disk().voters()) {
                if (found.offset() < committed) {
                    settled = found.voters();
                } else {
                    sets.add(found.voters());
                }
            }
            if (settled != null) {
                sets.add(settled);
            }
            if (each.host() != null) {
                sets.add(each.host().node().voters());
            }
        }
        return sets;
    }

    /** A disk may be lost or rot only while the others hold all: one at a time, of three or more. */
    private boolean mayDamage() {
        int least = sets().stream()
                .filter(each -> each.size() > 0)
                .mapToInt(VoterSet::size)
                .min()
                .orElse(0);
        return least >= 3 && deadVoters() == 0 && weakVoters() == 0 && !profile.on("membership") && settledVoters();
    }

    /** All agree on who votes, so that no change is on its way; and all of the first voters do. */
    private boolean settledVoters() {
        boolean same = true;
        for (SimReplica each : sim.nodes()) {
            if (each.host() == null) {
                return false;
            }
            VoterSet set = each.host().node().voters();
            same &= set.size() == 0 || set.size() == profile.get("voters");
        }
        return same;
    }

    private void wipe() {
        SimReplica node = any();
        if (!profile.on("fixedVoters") && node.host() != null && mayDamage()) {
            node.crash();
            node.wipe();
            told(node.id());
            restart(node);
            sim.checker().count("disks lost");
        }
    }

    private void rot() {
        SimReplica node = any();
        if (node.host() != null
                && mayDamage()
                && node.disk().end().offset() > node.disk().start().offset()) {
            node.crash();
            node.rot();
            restart(node);
            sim.checker().count("rotten logs");
        }
    }

    // R4: a node that is cut off and comes back deposes nobody.

    private void steady() {
        for (SimReplica each : sim.nodes()) {
            if (each.host() != null && each.host().role() == RaftOutput.Role.LEADER) {
                steadyEpoch = each.host().node().epoch();
                isolateOne(each.id());
                return;
            }
        }
        throw new RuleBroken("L1 leader", "none after the start");
    }

    private void isolateOne(int leader) {
        if (over) {
            return;
        }
        SimReplica node = any();
        if (node.id() != leader) {
            network.isolate(node.id(), random.chance(0.7), random.chance(0.7));
        }
        sim.after(random.between(1_000, 4_000), null, "heal", network::heal);
        sim.after(random.between(5_000, 8_000), null, "isolate", () -> isolateOne(leader));
    }

    void observe(ReplicaHost host, RaftOutput output) {
        boolean deposed = steadyEpoch >= 0 && output.standing().epoch() > steadyEpoch;
        if (deposed) {
            throw new RuleBroken(
                    "R4 not deposed by one that was cut off",
                    host.disk().key + " " + output.standing() + " after epoch " + steadyEpoch);
        }
    }
}
