package node;

import common.Callback;
import common.Timers;
import config.TransactionConfig;
import java.util.List;
import java.util.function.Supplier;
import metadata.MetadataImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import replication.TransactionVerifier;
import services.TransactionService;
import transaction.Producer;

/**
 * Asks the transaction coordinators of this node. A producer that begins its next transaction may be faster than the markers of the one before: it is asked again
 * for a short while before the producer is told. On a storage shard's loop.
 */
final class NodeTransactionVerifier implements TransactionVerifier {
    private static final int BUMPING = 2;

    private final TransactionService service;
    private final Supplier<MetadataImage> image;
    private final Timers timers;
    private final TransactionConfig config;

    /** @param image the newest that this loop has */
    NodeTransactionVerifier(
            TransactionService service, Supplier<MetadataImage> image, Timers timers, TransactionConfig config) {
        this.service = service;
        this.image = image;
        this.timers = timers;
        this.config = config;
    }

    @Override
    public void verify(
            String transactionalId,
            long producerId,
            short producerEpoch,
            TopicPartition partition,
            boolean add,
            Callback<Errors> done) {
        Producer producer = new Producer(transactionalId, producerId, producerEpoch);
        ask(producer, List.of(partition), add, config.beginRetryMaxMillis(), done);
    }

    private void ask(
            Producer producer, List<TopicPartition> partitions, boolean add, int waitMillis, Callback<Errors> done) {
        if (!add) {
            service.verify(image.get(), producer, partitions, (errors, failure) -> done.succeed(errors.get(0)));
            return;
        }
        service.add(image.get(), producer, partitions, BUMPING, (error, failure) -> {
            if (error == Errors.CONCURRENT_TRANSACTIONS && waitMillis > 0) {
                int pause = Math.min(config.beginRetryMillis(), waitMillis);
                timers.after(pause, () -> ask(producer, partitions, true, waitMillis - pause, done));
            } else {
                done.succeed(error);
            }
        });
    }
}
