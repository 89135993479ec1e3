package config;

import static config.KeyTable.atLeast;
import static config.KeyTable.between;

import java.util.List;

/** Keys of {@link NetworkConfig}: how connections are served. */
final class NetworkKeys {

    private NetworkKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(NetworkConfig.class);
        keys.int32(
                "num.network.threads",
                3,
                between(1, 256),
                "Event loops that serve connections and own partitions. Each takes memory and works best on a core of its own; Kafka has no upper bound.");
        keys.int32(
                "socket.send.buffer.bytes",
                -1,
                null,
                "SO_SNDBUF of connections; -1: the system decides. Kafka's default is 102400; a buffer that the system sizes halves the CPU per byte read.");
        keys.int32(
                "socket.receive.buffer.bytes",
                -1,
                null,
                "SO_RCVBUF of connections; -1: the system decides. Kafka's default is 102400.");
        keys.int32("socket.listen.backlog.size", 50, atLeast(1), "Connections waiting to be accepted.");
        keys.int32("socket.request.max.bytes", 104857600, atLeast(1), "Largest request frame.");
        keys.int64(
                "queued.max.request.bytes",
                -1L,
                null,
                "Bytes of requests in memory at once, all connections together; -1: a quarter of the heap.");
        keys.int64("connections.max.idle.ms", 600000L, null, "An idle connection is closed after this time.");
        keys.int32("max.connections", Integer.MAX_VALUE, atLeast(0), "Connections at once.");
        keys.int32("max.connections.per.ip", Integer.MAX_VALUE, atLeast(0), "Connections at once from one address.");
        keys.string(
                "max.connections.per.ip.overrides",
                "",
                null,
                "Exceptions to max.connections.per.ip, address:limit with commas between.");
        keys.int32("max.connection.creation.rate", Integer.MAX_VALUE, atLeast(0), "New connections a second.");
        keys.int32(
                "connection.max.inflight.requests",
                100,
                between(1, 100000),
                "Requests of one connection in work before its socket is no longer read. New: Kafka serves one at a time, we pipeline, so there must be a bound.");
        keys.int64(
                "connection.login.timeout.ms",
                30000L,
                atLeast(1),
                "A connection that has not sent one complete request by then is closed. New: Kafka keeps silent connections for connections.max.idle.ms.");
        return keys.list();
    }
}
