package sim;

import common.Failure;
import config.BrokerConfig;
import java.util.ArrayList;
import java.util.List;
import node.NodeAssembly;
import protocol.Connection;
import protocol.ConnectionInfo;

/** A node over its incarnations: starts, serves, is stopped, killed or cut from power, and starts again on what its disks kept. */
final class SimNode {
    private final SimNodeHost.Parts parts;
    private final BrokerConfig config;
    private final String name;
    private final SimRandom random;
    private final Events events;
    private final List<SimWire> wires = new ArrayList<>();
    private SimLife life;
    private NodeAssembly assembly;
    private int incarnation;
    private int accepted;
    private boolean serving;
    private boolean stopping;

    /** What a node tells its world. */
    interface Events {
        /** It did not come up; the process has ended. */
        void startRefused(Failure why);

        /** It ended by a crash inside of a disk job. */
        void crashedInJob();

        /** It said that it cannot go on, and ended. */
        void halted(Failure why);

        /** A clean stop has ended, well (null) or not. */
        void stopped(Failure why);
    }

    /** @param name of its end of the network */
    SimNode(String name, SimNodeHost.Parts parts, BrokerConfig config, SimRandom random, Events events) {
        this.name = name;
        this.parts = parts;
        this.config = config;
        this.random = random;
        this.events = events;
    }

    boolean alive() {
        return life != null && life.alive();
    }

    boolean serving() {
        return alive() && serving && !stopping;
    }

    SimLife life() {
        return life;
    }

    int incarnation() {
        return incarnation;
    }

    void start() {
        if (alive()) {
            throw new IllegalStateException("it runs");
        }
        SimLife mine = new SimLife("node " + ++incarnation, life);
        life = mine;
        serving = false;
        stopping = false;
        parts.scheduler().note("node-start", incarnation);
        SimNodeHost host = new SimNodeHost(
                parts, mine, random.split("incarnation" + incarnation), events::crashedInJob, this::halt);
        host.execute(0, () -> {
            assembly = new NodeAssembly(host, config);
            assembly.start((started, failure) -> {
                if (failure == null) {
                    parts.scheduler().note("node-serves", incarnation);
                    serving = true;
                } else {
                    parts.scheduler().note("node-refused", incarnation);
                    end(false, false);
                    events.startRefused(failure);
                }
            });
        });
    }

    private void halt(Failure why) {
        parts.scheduler().note("node-halts", incarnation);
        end(false, false);
        events.halted(why);
    }

    /** Accepts a connection from the end {@code from}; null when the node does not serve or is out of reach. */
    SimWire connect(SimNetwork network, String from, SimWire.ClientEnd client) {
        if (!serving() || !network.reachable(from, name)) {
            return null;
        }
        int loop = accepted++ % parts.loops();
        SimWire wire =
                new SimWire(network, new SimWire.Ends(from, name), life, random.split("wire" + accepted), client);
        ConnectionInfo info = new ConnectionInfo(
                "c" + accepted, "PLAINTEXT", "127.0.0.1", 9092, "127.0.0.1", 30_000 + accepted % 30_000);
        wire.accept(transport -> new Connection(info, transport, assembly.instance(loop)));
        wires.removeIf(each -> !each.open());
        wires.add(wire);
        return wire;
    }

    List<SimWire> wires() {
        wires.removeIf(each -> !each.open());
        return wires;
    }

    /** SIGTERM: closes the doors, makes all durable, ends. */
    void stopClean() {
        if (!serving()) {
            return;
        }
        stopping = true;
        parts.scheduler().note("node-stops", incarnation);
        for (SimWire wire : wires()) {
            wire.close("the node stops");
        }
        SimLife mine = life;
        parts.scheduler()
                .after(
                        50 * SimScheduler.MILLI,
                        mine,
                        "stop",
                        () -> assembly.stop((done, failure) -> {
                            parts.scheduler().note("node-stopped", incarnation);
                            end(false, false);
                            events.stopped(failure);
                        }));
    }

    /** @param silently clients do not learn of it */
    void end(boolean power, boolean silently) {
        if (!alive()) {
            return;
        }
        serving = false;
        endLife(power, silently);
    }

    /** The process has ended already (in a disk job): what is left to do. */
    void afterCrash(boolean power, boolean silently) {
        serving = false;
        endLife(power, silently);
    }

    private void endLife(boolean power, boolean silently) {
        parts.scheduler().note(power ? "node-power-cut" : "node-ends", incarnation);
        if (power) {
            life.endWithPower();
        } else {
            life.end();
        }
        for (SimWire wire : wires()) {
            wire.serverDied(silently);
        }
        wires.clear();
        for (SimDisk disk : parts.disks()) {
            if (power) {
                disk.powerCut();
            } else {
                disk.kill();
            }
        }
    }
}
