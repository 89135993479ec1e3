/**
 * The Kafka protocol: frames, headers, versions, ordered answers, one handler per API key. Pure: hosts feed bytes in and send parts out. Owner thread: the
 * server instance that accepted the connection. Ports: {@link protocol.Transport}, {@link protocol.BufferPool}, Clock, Metrics. Start reading at
 * {@link protocol.Connection}, then {@link protocol.ApiHandler}.
 */
package protocol;
