package raft;

import common.Check;

/**
 * How long consensus waits, in milliseconds of the monotonic clock. They decide when something is tried, never what is true (rule R16).
 *
 * @param election controller.quorum.election.timeout.ms: an election without a verdict is given up after one to two times this
 * @param fetch controller.quorum.fetch.timeout.ms: a follower without an answer of its leader for so long asks for pre-votes; a leader without Fetches of a
 *     majority for 1.5 times this resigns (rule R5)
 * @param backoffMax controller.quorum.election.backoff.max.ms: most that is waited after a lost election
 * @param request controller.quorum.request.timeout.ms: an answer that takes longer is given up
 * @param retryBackoff controller.quorum.retry.backoff.ms: between a failed request and the next one to the same peer
 */
public record RaftTimeouts(int election, int fetch, int backoffMax, int request, int retryBackoff) {
    private static final int LEAST_BACKOFF = 50;

    public RaftTimeouts {
        Check.argument(
                election > 0 && fetch > 0 && backoffMax >= 0 && request > 0 && retryBackoff >= 0,
                "timeouts must be positive");
    }

    /** Rule R5. */
    long checkQuorum() {
        return fetch * 3L / 2;
    }

    /** How long a Fetch may wait at the leader: an answer that finds nothing comes well before the follower gives up. */
    int fetchWait() {
        return Math.max(1, fetch / 3);
    }

    /** How often voters that do not fetch are told who leads, and a follower its leader where it listens. */
    long reminder() {
        return Math.max(1, fetch / 2);
    }

    /** Spreads out those who learn at the same moment that the leader is gone, and repeats what costs its receiver nothing. */
    int jitter() {
        return Math.max(1, election / 10);
    }

    /** Bound of the random wait after {@code lost} elections in a row. */
    int backoff(int lost) {
        long doubled = (long) LEAST_BACKOFF << Math.min(lost, 16);
        return (int) Math.max(1, Math.min(doubled, Math.max(backoffMax, 1)));
    }
}
