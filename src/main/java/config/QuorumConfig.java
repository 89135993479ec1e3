package config;

import java.util.List;

/**
 * The quorum of controllers: who votes, where it is found, how long consensus waits.
 *
 * @param clusterId that this node's cluster must have; null: the node learns it, or makes it when it is the first leader
 * @param voters in force until the metadata log says more (controller.quorum.voters); empty: the log alone says who votes
 * @param bootstrap where controllers may be found (controller.quorum.bootstrap.servers)
 * @param autoJoin a controller that is no voter asks to be one (KIP-1186); one of {@code voters} with a new disk does so in any case
 * @param hints how nodes find out early that one is gone
 * @param alone neither names another node: without a metadata log, this one is the whole quorum
 */
public record QuorumConfig(
        String clusterId,
        List<Voter> voters,
        List<Server> bootstrap,
        boolean autoJoin,
        boolean alone,
        Timeouts timeouts,
        Hints hints) {

    /** A voter, and where it listens for controllers. */
    public record Voter(int id, String host, int port) {}

    /** An address of a controller that nobody knows the id of yet. */
    public record Server(String host, int port) {}

    /**
     * In milliseconds.
     *
     * @param election controller.quorum.election.timeout.ms
     * @param fetch controller.quorum.fetch.timeout.ms
     * @param backoffMax controller.quorum.election.backoff.max.ms
     * @param request controller.quorum.request.timeout.ms
     * @param retryBackoff controller.quorum.retry.backoff.ms
     */
    public record Timeouts(int election, int fetch, int backoffMax, int request, int retryBackoff) {}

    /**
     * The group of Hazelcast members beside the quorum.
     *
     * @param enabled cluster.hints.enable
     * @param portOffset cluster.hints.port.offset: from a listener's port to its member's
     */
    public record Hints(boolean enabled, int portOffset) {}
}
