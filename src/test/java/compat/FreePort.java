package compat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a server that cannot choose its own. It lies below those that the system gives to clients: among these a client that tries again and again while
 * the server is down would sooner or later get the server's port as its own, or even connect to itself.
 */
public final class FreePort {
    private static final Path CLIENT_PORTS = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int LOWEST = 10_000;
    private static final int USUAL_FIRST_OF_CLIENTS = 32_768;
    private static final int TRIES = 200;

    private FreePort() {}

    public static int choose() throws IOException {
        int end = firstOfClients();
        for (int i = 0; end > LOWEST && i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, end);
            if (isFree(port)) {
                return port;
            }
        }
        try (ServerSocket any = new ServerSocket(0, 1, loopback())) {
            return any.getLocalPort();
        }
    }

    private static int firstOfClients() throws IOException {
        return Files.exists(CLIENT_PORTS)
                ? Integer.parseInt(Files.readString(CLIENT_PORTS).trim().split("\\s+", 2)[0])
                : USUAL_FIRST_OF_CLIENTS;
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, loopback())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    private static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }
}
