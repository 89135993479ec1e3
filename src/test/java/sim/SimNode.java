package sim;

import common.Failure;
import config.BrokerConfig;
import config.Listener;
import java.util.ArrayList;
import java.util.List;
import node.NodeAssembly;
import protocol.Connection;
import protocol.ConnectionInfo;
import protocol.Instance;

/** A node over its incarnations: starts, serves, is stopped, killed or cut from power, and starts again on what its disks kept. */
final class SimNode {
    static final int CLIENT_PORT = 9092;
    static final int CONTROLLER_PORT = 9093;

    private final SimNodeHost.Parts parts;
    private final BrokerConfig config;
    private final String name;
    private final SimRandom random;
    private final Events events;
    private final List<SimWire> wires = new ArrayList<>();
    private SimLife life;
    private NodeAssembly assembly;
    private SimNodeHost host;
    private int incarnation;
    private int accepted;
    private boolean serving;
    private boolean stopping;
    private boolean dark;

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

    /** The power is off: nothing answers there, not even that nobody listens. */
    boolean dark() {
        return dark;
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
        dark = false;
        parts.scheduler().note("node-start", incarnation);
        host = new SimNodeHost(
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

    /** Accepts a client's connection from the end {@code from}; null when the node does not serve or is out of reach. */
    SimWire connect(String from, SimWire.ClientEnd client) {
        return reachable(from) ? accept(from, CLIENT_PORT, client) : null;
    }

    private boolean reachable(String from) {
        return parts.place().network().reachable(from, name);
    }

    /** Accepts a connection from the end {@code from}, a client's or another node's; null when nobody listens at {@code port}. */
    SimWire accept(String from, int port, SimWire.ClientEnd client) {
        Listens listens = listens(port);
        if (listens == null) {
            return null;
        }
        SimNetwork network = parts.place().network();
        accepted++;
        SimWire wire =
                new SimWire(network, new SimWire.Ends(from, name), life, random.split("wire" + accepted), client);
        ConnectionInfo info = new ConnectionInfo(
                "c" + accepted, listens.listener, "127.0.0.1", port, "127.0.0.1", 30_000 + accepted % 30_000);
        wire.accept(transport -> new Connection(info, transport, listens.instance));
        wires.removeIf(each -> !each.open());
        wires.add(wire);
        return wire;
    }

    /** Who serves a listener. */
    private record Listens(String listener, Instance instance) {}

    /** Null: nobody is there yet, or it is no port of this node. Controllers are reached while the node is still starting, and while it stops. */
    private Listens listens(int port) {
        if (port == CLIENT_PORT) {
            return serving() ? new Listens("PLAINTEXT", assembly.instance(accepted % parts.loops())) : null;
        }
        for (Listener each : config.node().controllerListeners()) {
            if (each.port() == port && alive() && host.controllers() != null) {
                return new Listens(each.name(), host.controllers());
            }
        }
        return null;
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
        dark = power;
        if (power) {
            life.endWithPower();
        } else {
            life.end();
        }
        for (SimWire wire : wires()) {
            wire.serverDied(silently);
        }
        wires.clear();
        host.died(silently);
        for (SimDisk disk : parts.disks()) {
            if (power) {
                disk.powerCut();
            } else {
                disk.kill();
            }
        }
    }
}
