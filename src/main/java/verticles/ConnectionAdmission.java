package verticles;

import config.NetworkConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which new connections are let in, for all listeners of the node together: max.connections, max.connections.per.ip and the creation rate. Thread safe. */
final class ConnectionAdmission {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionAdmission.class);
    private static final long NANOS = 1_000_000_000L;

    private final NetworkConfig config;
    private final Map<String, Integer> limitByIp = new HashMap<>();
    private final Map<String, Integer> openByIp = new HashMap<>();
    private int open;
    private long nextFreeNanos;
    private long lastWarningNanos;

    /** Resolves the host names of max.connections.per.ip.overrides: may block. */
    ConnectionAdmission(NetworkConfig config) {
        this.config = config;
        this.nextFreeNanos = System.nanoTime();
        this.lastWarningNanos = nextFreeNanos - NANOS;
        config.maxPerIpOverrides().forEach((host, limit) -> {
            try {
                limitByIp.put(InetAddress.getByName(host).getHostAddress(), limit);
            } catch (UnknownHostException e) {
                throw new StartException("max.connections.per.ip.overrides: unknown host " + host);
            }
        });
    }

    /** Nanoseconds after which the connection may be served (0: at once), or -1 if it must be closed; else {@link #left} is due when it ends. */
    synchronized long enter(String ip) {
        int ofIp = openByIp.getOrDefault(ip, 0);
        int limit = limitByIp.getOrDefault(ip, config.maxConnectionsPerIp());
        if (open >= config.maxConnections()) {
            return refuse(ip, "max.connections=" + config.maxConnections());
        }
        if (ofIp >= limit) {
            return refuse(ip, "max.connections.per.ip (" + limit + " for this address)");
        }
        open++;
        openByIp.put(ip, ofIp + 1);
        return delay();
    }

    private long delay() {
        if (config.maxConnectionCreationRate() == Integer.MAX_VALUE) {
            return 0;
        }
        long now = System.nanoTime();
        long start = Math.max(now, nextFreeNanos);
        nextFreeNanos = start + NANOS / Math.max(1, config.maxConnectionCreationRate());
        return start - now;
    }

    private long refuse(String ip, String bound) {
        long now = System.nanoTime();
        if (now - lastWarningNanos >= NANOS) {
            lastWarningNanos = now;
            LOG.warn("closing a new connection from {}: {} reached, {} open", ip, bound, open);
        }
        return -1;
    }

    synchronized void left(String ip) {
        open--;
        openByIp.computeIfPresent(ip, (key, count) -> count == 1 ? null : count - 1);
    }

    synchronized int open() {
        return open;
    }
}
