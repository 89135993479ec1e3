package verticles;

import config.NetworkConfig;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BiFunction;
import java.util.function.Function;
import protocol.Connection;
import protocol.ConnectionInfo;
import protocol.Transport;

/** What the server instances of all event loops share, for a set of listeners. Thread safe. */
final class Door {

    /** A listener's name and where it is bound. */
    record Address(String listener, InetSocketAddress bind) {
        @Override
        public String toString() {
            String host = bind.getAddress().getHostAddress();
            return listener + "://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + bind.getPort();
        }
    }

    /** Makes the connection objects of one event loop. */
    interface Connections extends Function<OwnerLoop, BiFunction<ConnectionInfo, Transport, Connection>> {}

    /** Apart from those of the other kind: names of free ports that loops share. */
    private static final int CONTROLLERS = 1_000;

    private final Loops loops;
    private final boolean controllers;
    private final List<Address> addresses;
    private final NetworkConfig network;
    private final ConnectionAdmission admission;
    private final ByteBufAllocator allocator;
    private final AtomicIntegerArray ports;

    private volatile Connections connections;
    private final List<Runnable> whenOpen = new ArrayList<>();

    private Door(
            Loops loops,
            boolean controllers,
            List<Address> addresses,
            NetworkConfig network,
            ByteBufAllocator allocator) {
        this.loops = loops;
        this.controllers = controllers;
        this.addresses = List.copyOf(addresses);
        this.network = network;
        this.admission = new ConnectionAdmission(network);
        this.allocator = allocator;
        this.ports = new AtomicIntegerArray(addresses.size());
    }

    /** For clients and brokers: connections are spread over all loops. */
    static Door ofClients(Loops loops, List<Address> addresses, NetworkConfig network, ByteBufAllocator allocator) {
        return new Door(loops, false, addresses, network, allocator);
    }

    /** For who needs a controller: all on loop 0, where it lives. It has limits of connections of its own, so clients cannot shut out controllers. */
    static Door ofControllers(Loops loops, List<Address> addresses, NetworkConfig network, ByteBufAllocator allocator) {
        return new Door(loops, true, addresses, network, allocator);
    }

    Loops loops() {
        return loops;
    }

    boolean isOn(OwnerLoop loop) {
        return !controllers || loop.index() == 0;
    }

    /** Loops that listen at the same free port give it the same number. */
    int freePort(int listener) {
        return (controllers ? CONTROLLERS : 1) + listener;
    }

    /** Index of a listener by its name, -1 if it is not here. */
    int find(String listener) {
        for (int i = 0; i < addresses.size(); i++) {
            if (addresses.get(i).listener().equals(listener)) {
                return i;
            }
        }
        return -1;
    }

    List<Address> addresses() {
        return addresses;
    }

    NetworkConfig network() {
        return network;
    }

    ConnectionAdmission admission() {
        return admission;
    }

    ByteBufAllocator allocator() {
        return allocator;
    }

    /** From now on connections are served; those that came earlier first. */
    void open(Connections made) {
        List<Runnable> waiting;
        synchronized (whenOpen) {
            connections = made;
            waiting = List.copyOf(whenOpen);
        }
        waiting.forEach(Runnable::run);
    }

    /** Runs {@code action}, on any thread, once {@link #connections} is there. */
    void whenOpen(Runnable action) {
        synchronized (whenOpen) {
            if (connections == null) {
                whenOpen.add(action);
                return;
            }
        }
        action.run();
    }

    Connections connections() {
        return connections;
    }

    void bound(int listener, int port) {
        ports.set(listener, port);
    }

    /** The port really bound; 0 before. */
    int port(int listener) {
        return ports.get(listener);
    }
}
