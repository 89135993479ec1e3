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

/** What the server instances of all event loops share. Thread safe. */
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

    private final Loops loops;
    private final List<Address> addresses;
    private final NetworkConfig network;
    private final ConnectionAdmission admission;
    private final ByteBufAllocator allocator;
    private final AtomicIntegerArray ports;

    private volatile Connections connections;
    private final List<Runnable> whenOpen = new ArrayList<>();

    Door(Loops loops, List<Address> addresses, NetworkConfig network, ByteBufAllocator allocator) {
        this.loops = loops;
        this.addresses = List.copyOf(addresses);
        this.network = network;
        this.admission = new ConnectionAdmission(network);
        this.allocator = allocator;
        this.ports = new AtomicIntegerArray(addresses.size());
    }

    Loops loops() {
        return loops;
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
