package config;

import java.util.Map;

/**
 * How connections are served.
 *
 * @param threads event loops (num.network.threads)
 * @param sendBufferBytes, receiveBufferBytes of the socket; -1: the system's
 * @param maxRequestBytes largest request frame
 * @param queuedMaxBytes bytes of requests in memory for all connections together; -1: our default bound applies
 * @param maxInFlightPerConnection requests of one connection in work before its socket is no longer read
 * @param maxPerIpOverrides host name or address to limit
 * @param loginTimeoutMillis a connection must have sent a complete request by then
 */
public record NetworkConfig(
        int threads,
        int sendBufferBytes,
        int receiveBufferBytes,
        int listenBacklog,
        int maxRequestBytes,
        long queuedMaxBytes,
        int maxInFlightPerConnection,
        long maxIdleMillis,
        int maxConnections,
        int maxConnectionsPerIp,
        Map<String, Integer> maxPerIpOverrides,
        int maxConnectionCreationRate,
        long loginTimeoutMillis) {}
