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

    /** @param share which partitions of this node are on this loop */
    TransactionCoordinatorNode(
            Ports ports,
            Consumer<Runnable> soon,
            TransactionConfig config,
            MarkerWriter markers,
            PartitionTable partitions,
            ShardImage.Share share,
            MetadataImage first) {
        this(ports, soon, config, markers, partitions, share, first, new TransactionStats(ports.metrics()));
    }

    private TransactionCoordinatorNode(
            Ports ports,
            Consumer<Runnable> soon,
            TransactionConfig config,
            MarkerWriter markers,
            PartitionTable partitions,
            ShardImage.Share share,
            MetadataImage first,
            TransactionStats transactionStats) {
        super(
                new RuntimeSetup<>(
                        Topic.TRANSACTION_STATE_TOPIC_NAME,
                        ports,
                        soon,
                        new RuntimeSetup.Limits(
                                0, config.topic().loadBufferBytes(), -1, MAX_PENDING_BYTES, COMMIT_TIMEOUT_MILLIS),
                        new TransactionCodec(),
                        TransactionRecord.class,
                        context -> new TransactionShard(context, config, markers, transactionStats),
                        first),
                new RuntimeStats(ports.metrics(), METRICS),
                partitions,
                share);
        this.transactionStats = transactionStats;
    }

    TransactionStats transactionStats() {
        return transactionStats;
    }
}
