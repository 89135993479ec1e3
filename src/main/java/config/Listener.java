package config;

/**
 * An address of this node.
 *
 * @param name upper case, as in listeners and listener.security.protocol.map
 * @param host null: not given (all addresses when it listens; the connection's local address when it is advertised)
 * @param port 0 to 65535; 0 takes a free port
 * @param securityProtocol PLAINTEXT for now
 */
public record Listener(String name, String host, int port, String securityProtocol) {}
