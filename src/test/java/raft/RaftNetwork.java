package raft;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import sim.SimRandom;

/** Directed links between nodes: they lose, delay, cut, and deliver old requests once more (ghosts). */
final class RaftNetwork {
    private static final double LOSS = 0.05;

    private final RaftSim sim;
    private final SimRandom random;
    private final RaftProfile profile;
    private final Set<Integer> cut = new LinkedHashSet<>();
    private final Map<Long, Asked> asked = new LinkedHashMap<>();
    private boolean calm;
    private long lastToken;

    private record Asked(ReplicaHost from, long correlation, RaftRequest request) {}

    RaftNetwork(RaftSim sim, SimRandom random, RaftProfile profile) {
        this.sim = sim;
        this.random = random;
        this.profile = profile;
    }

    private static int link(int from, int to) {
        return from * 1_000 + to;
    }

    void cut(int from, int to) {
        cut.add(link(from, to));
    }

    /** No node can hear this one, it hears none. */
    void isolate(int node, boolean outbound, boolean inbound) {
        for (int other : sim.ids()) {
            if (outbound) {
                cut(node, other);
            }
            if (inbound) {
                cut(other, node);
            }
        }
    }

    void heal() {
        cut.clear();
    }

    /** No more faults. */
    void calm() {
        heal();
        calm = true;
    }

    private boolean arrives(int from, int to) {
        boolean lost = !calm && profile.on("loss") && random.chance(LOSS);
        return !lost && !cut.contains(link(from, to));
    }

    private long delay() {
        boolean tail = !calm && profile.on("longTails") && random.chance(0.02);
        return tail ? random.between(100, 3_000) : random.between(0, 4);
    }

    void send(ReplicaHost from, RaftOutput.Send send) {
        int target = send.to().id() >= 0
                ? send.to().id()
                : send.to().endpoints().get(0).port();
        ReplicaHost there = sim.host(target);
        boolean ghost = !calm && profile.on("ghosts") && random.chance(0.05);
        boolean arrives = arrives(from.id(), target);
        if (there == null) {
            if (arrives && random.chance(0.8)) {
                sim.after(random.between(1, 20), from, "refused", () -> {
                    from.failed(send.correlation());
                    from.processGone(target);
                });
            }
            return;
        }
        if (arrives) {
            sim.after(delay(), null, "request", () -> deliver(from, target, send));
        }
        if (ghost) {
            sim.after(random.between(5, 5_000), null, "ghost", () -> deliver(from, target, send));
        }
    }

    private void deliver(ReplicaHost from, int target, RaftOutput.Send send) {
        ReplicaHost there = sim.host(target);
        if (there == null) {
            return;
        }
        long token = ++lastToken;
        asked.put(token, new Asked(from, send.correlation(), send.request()));
        sim.run(there, () -> {
            sim.heard(there, send.request());
            there.request(token, send.request());
        });
    }

    /** Of what was asked from outside the cluster: null. */
    RaftRequest asked(long token) {
        Asked found = asked.get(token);
        return found == null ? null : found.request;
    }

    void reply(ReplicaHost from, RaftOutput.Reply reply) {
        Asked to = asked.remove(reply.token());
        if (to == null) {
            return;
        }
        if (arrives(from.id(), to.from.id())) {
            sim.after(delay(), to.from, "answer", () -> to.from.response(to.correlation, reply.response()));
        }
        if (!calm && profile.on("ghosts") && random.chance(0.05)) {
            sim.after(
                    random.between(5, 5_000),
                    to.from,
                    "late answer",
                    () -> to.from.response(to.correlation, reply.response()));
        }
    }

    long outsideToken() {
        return ++lastToken;
    }
}
