package config;

import static config.KeyTable.atLeast;

import java.util.List;

/** Keys of {@link TransactionConfig}. */
final class TransactionKeys {

    private TransactionKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(TransactionConfig.class);
        keys.int32(
                "transaction.max.timeout.ms",
                900000,
                atLeast(1),
                "Longest transaction.timeout.ms that a producer may ask for.");
        keys.int32(
                "transaction.state.log.num.partitions",
                50,
                atLeast(1),
                "Partitions of __transaction_state; not to be changed once it exists.");
        keys.int16(
                "transaction.state.log.replication.factor",
                (short) 3,
                atLeast(1),
                "Replicas of __transaction_state; fewer when the cluster has fewer brokers.");
        keys.int32(
                "transaction.state.log.min.isr",
                2,
                atLeast(1),
                "min.insync.replicas of __transaction_state; at most its replicas.");
        keys.int32(
                "transaction.state.log.segment.bytes", 104857600, atLeast(1), "Segment size of __transaction_state.");
        keys.int32(
                "transaction.state.log.load.buffer.size",
                5242880,
                atLeast(1),
                "Read at once while a transaction coordinator loads.");
        keys.int32(
                "add.partitions.to.txn.retry.backoff.ms",
                20,
                atLeast(1),
                "Pause before asking again whether a producer's transaction before is complete.");
        keys.int32(
                "add.partitions.to.txn.retry.backoff.max.ms",
                100,
                atLeast(0),
                "How long a produce request waits for the producer's transaction before to be complete.");
        keys.int32(
                "transactional.id.expiration.ms",
                604800000,
                atLeast(1),
                "After this time without use a transactional id is forgotten.");
        keys.int32(
                "transaction.remove.expired.transaction.cleanup.interval.ms",
                3600000,
                atLeast(1),
                "How often unused transactional ids are looked for.");
        keys.withoutEffect("each transaction is aborted when its own time is up");
        keys.int32("transaction.abort.timed.out.transaction.cleanup.interval.ms", 10000, atLeast(1));
        keys.withoutEffect("batches of transactions are always verified: without that one may never end");
        keys.bool("transaction.partition.verification.enable", true).clusterWide();
        keys.withoutEffect("two-phase commit is not served");
        keys.bool("transaction.two.phase.commit.enable", false);
        return keys.list();
    }
}
