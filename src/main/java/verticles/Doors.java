package verticles;

import common.Peers;
import config.Listener;
import config.NetworkConfig;
import config.NodeConfig;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;

/** The doors of a process: of clients and brokers (none on a controller alone), and of controllers. Thread safe. */
record Doors(Door clients, Door controllers) {

    /** May block on the system's resolver. */
    static Doors of(NodeConfig node, NetworkConfig network, Loops loops, ByteBufAllocator allocator) {
        return new Doors(
                Door.ofClients(loops, ListenAddresses.of(node.listeners()), network, allocator),
                Door.ofControllers(loops, ListenAddresses.of(node.controllerListeners()), network, allocator));
    }

    /** Once the doors are bound; may block on the system's resolver, at most once in a start. */
    Peers.Address reachable(Listener listener) {
        int client = clients.find(listener.name());
        Door door = client >= 0 ? clients : controllers;
        int index = client >= 0 ? client : controllers.find(listener.name());
        InetAddress bound = door.addresses().get(index).bind().getAddress();
        String host = bound.isAnyLocalAddress() ? machine() : listener.host();
        return new Peers.Address(host, door.port(index));
    }

    /** As Kafka: the name by which this machine knows itself. One that does not (a container without a line in its hosts file) is known by an address. */
    static String machine() {
        try {
            return InetAddress.getLocalHost().getCanonicalHostName();
        } catch (UnknownHostException nameless) {
            return address();
        }
    }

    private static String address() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress)
                    .findFirst()
                    .orElse("localhost");
        } catch (SocketException closed) {
            return "localhost";
        }
    }
}
