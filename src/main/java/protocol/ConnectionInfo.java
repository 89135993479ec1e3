package protocol;

/**
 * One accepted connection.
 *
 * @param id text that names the connection in logs, unique while the process lives
 * @param listener name of the listener that accepted it, e.g. PLAINTEXT
 * @param localHost the address the client reached us by; advertised when no advertised.listeners is set
 * @param clientHost the peer's address, without port
 */
public record ConnectionInfo(
        String id, String listener, String localHost, int localPort, String clientHost, int clientPort) {}
