package node;

import config.TransactionConfig;
import coordinator.RuntimeSetup;
import coordinator.RuntimeStats;
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

    /** For transactional ids. */
    private static final int HEAP_PART = 10;

    private final TransactionStats transactionStats;

    TransactionCoordinatorNode(Place place, TransactionConfig config, MarkerWriter markers) {
        this(place, config, markers, new TransactionStats(place.ports().metrics()));
    }

    private TransactionCoordinatorNode(
            Place place, TransactionConfig config, MarkerWriter markers, TransactionStats transactionStats) {
        super(
                new RuntimeSetup<>(
                        Topic.TRANSACTION_STATE_TOPIC_NAME,
                        place.ports(),
                        place.soon(),
                        new RuntimeSetup.Limits(
                                0,
                                config.topic().loadBufferBytes(),
                                -1,
                                place.maxPendingBytesOfOne(),
                                place.maxPendingBytes(),
                                place.heapPart(HEAP_PART),
                                COMMIT_TIMEOUT_MILLIS),
                        new TransactionCodec(),
                        TransactionRecord.class,
                        context -> new TransactionShard(context, config, markers, transactionStats),
                        place.first()),
                new RuntimeStats(place.ports().metrics(), METRICS),
                place);
        this.transactionStats = transactionStats;
    }

    TransactionStats transactionStats() {
        return transactionStats;
    }
}
