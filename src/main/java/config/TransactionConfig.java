package config;

/**
 * Settings of transactions and of the topic that keeps them. Times in milliseconds.
 *
 * @param maxTimeoutMillis longest transaction.timeout.ms that a producer may ask for
 * @param idExpirationMillis after which an unused transactional id is forgotten
 * @param expirationCheckMillis how often those are looked for
 * @param beginRetryMillis pause before asking again whether the producer's transaction before is complete
 * @param beginRetryMaxMillis how long that is waited for in all
 */
public record TransactionConfig(
        StateTopic topic,
        int maxTimeoutMillis,
        int idExpirationMillis,
        int expirationCheckMillis,
        int beginRetryMillis,
        int beginRetryMaxMillis) {

    /**
     * The topic __transaction_state.
     *
     * @param loadBufferBytes read at once while a coordinator loads
     */
    public record StateTopic(
            int partitions, short replicationFactor, int minInsyncReplicas, int segmentBytes, int loadBufferBytes) {}
}
