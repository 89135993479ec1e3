package config;

/**
 * How a broker takes part in its cluster.
 *
 * @param heartbeatMillis between two heartbeats to the active controller, > 0
 * @param registrationMillis a broker that could not register for so long ends
 * @param controlledShutdown a broker that is stopped has its leaderships taken away before it ends
 */
public record MembershipConfig(int heartbeatMillis, long registrationMillis, boolean controlledShutdown) {}
