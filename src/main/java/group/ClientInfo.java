package group;

/**
 * Who asks.
 *
 * @param clientId "" when none was given
 * @param clientHost in Kafka's form, "/127.0.0.1"
 * @param apiVersion of the request: what old clients must not get or are not asked for depends on it
 */
public record ClientInfo(String clientId, String clientHost, short apiVersion) {}
