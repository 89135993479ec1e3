package node;

import common.Ports;
import config.TransactionConfig;
import coordinator.RuntimeSetup;
import coordinator.RuntimeStats;
import java.util.function.Consumer;
import metadata.MetadataImage;
import org.apache.kafka.common.internals.Topic;
import records.schemas.TransactionRecord;
import transaction.MarkerWriter;
import transaction.TransactionCoordinator;
import transaction.TransactionShard;
import transaction.TransactionStats;

/** The transaction coordinators of one loop. Confined to it. */
final class TransactionCoordinatorNode extends InternalTopicCoordinator<TransactionShard, TransactionRecord>
        implements TransactionCoordinator {
    static final String METRICS = "kafka_server_transaction_coordinator_metrics";
    static final long COMMIT_TIMEOUT_MILLIS = 30_000;
    private static final int MAX_PENDING_BYTES = 16 << 20;

    private final TransactionStats transactionStats;

    private TransactionCoordinatorNode(
            RuntimeSetup<TransactionShard, TransactionRecord> setup,
            TransactionStats transactionStats,
            PartitionTable partitions,
            ShardImage.Share share) {
        super(setup, new RuntimeStats(setup.ports().metrics(), METRICS), partitions, share);
        this.transactionStats = transactionStats;
    }

    /** @param share which partitions of this node are on this loop */
    static TransactionCoordinatorNode of(
            Ports ports,
            Consumer<Runnable> soon,
            TransactionConfig config,
            MarkerWriter markers,
            PartitionTable partitions,
            ShardImage.Share share,
            MetadataImage first) {
        TransactionStats stats = new TransactionStats(ports.metrics());
        RuntimeSetup.Limits limits = new RuntimeSetup.Limits(
                0, config.topic().loadBufferBytes(), -1, MAX_PENDING_BYTES, COMMIT_TIMEOUT_MILLIS);
        RuntimeSetup<TransactionShard, TransactionRecord> setup = new RuntimeSetup<>(
                Topic.TRANSACTION_STATE_TOPIC_NAME,
                ports,
                soon,
                limits,
                new TransactionCodec(),
                TransactionRecord.class,
                context -> new TransactionShard(context, config, markers, stats),
                first);
        return new TransactionCoordinatorNode(setup, stats, partitions, share);
    }

    TransactionStats transactionStats() {
        return transactionStats;
    }
}
