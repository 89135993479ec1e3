package verticles;

import config.NetworkConfig;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetSocketAddress;
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
    record Address(String listener, InetSocketAddress bind) {}

    /** Makes the connection objects of one event loop. */
    interface Connections extends Function<OwnerLoop, BiFunction<ConnectionInfo, Transport, Connection>> {}

    private final Loops loops;
    private final List<Address> addresses;
    private final NetworkConfig network;
    private final ConnectionAdmission admission;
    private final ByteBufAllocator allocator;
    private final Connections connections;
    private final AtomicIntegerArray ports;

    Door(Loops loops, List<Address> addresses, NetworkConfig network, ByteBufAllocator allocator, Connections connections) {
        this.loops = loops;
        this.addresses = List.copyOf(addresses);
        this.network = network;
        this.admission = new ConnectionAdmission(network);
        this.allocator = allocator;
        this.connections = connections;
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
