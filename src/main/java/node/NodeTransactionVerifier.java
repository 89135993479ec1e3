package node;

import common.Callback;
import common.Timers;
import config.TransactionConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import metadata.MetadataImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import replication.TransactionVerifier;
import services.TransactionService;
import transaction.Producer;

/**
 * Asks the transaction coordinators of this node. What the batches of one request add to their producer's transaction is added at once: each addition records all that
 * the transaction has, so one by one many partitions would cost their square. A producer that begins its next transaction may be faster than the markers of the one before: it is asked again
 * for a short while before the producer is told. On a storage shard's loop.
 */
final class NodeTransactionVerifier implements TransactionVerifier {
    private static final int BUMPING = 2;

    private final TransactionService service;
    private final Supplier<MetadataImage> image;
    private final Timers timers;
    private final TransactionConfig config;
    private final Consumer<Runnable> soon;
    /** What is to be added at the end of this turn. */
    private final Map<Producer, Addition> additions = new LinkedHashMap<>();

    private record Addition(List<TopicPartition> partitions, List<Callback<Errors>> waiting) {}

    /**
     * @param image the newest that this loop has
     * @param soon runs a task on this loop, never inside the caller's stack
     */
    NodeTransactionVerifier(
            TransactionService service,
            Supplier<MetadataImage> image,
            Timers timers,
            TransactionConfig config,
            Consumer<Runnable> soon) {
        this.service = service;
        this.image = image;
        this.timers = timers;
        this.config = config;
        this.soon = soon;
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
        if (!add) {
            service.verify(image.get(), producer, List.of(partition), (errors, failure) -> done.succeed(errors.get(0)));
            return;
        }
        Addition addition = additions.get(producer);
        if (addition == null) {
            addition = new Addition(new ArrayList<>(1), new ArrayList<>(1));
            additions.put(producer, addition);
            soon.accept(() -> add(producer, additions.remove(producer), config.beginRetryMaxMillis()));
        }
        addition.partitions.add(partition);
        addition.waiting.add(done);
    }

    private void add(Producer producer, Addition addition, int waitMillis) {
        service.add(image.get(), producer, addition.partitions, BUMPING, (error, failure) -> {
            if (error == Errors.CONCURRENT_TRANSACTIONS && waitMillis > 0) {
                int pause = Math.min(config.beginRetryMillis(), waitMillis);
                timers.after(pause, () -> add(producer, addition, waitMillis - pause));
            } else {
                addition.waiting.forEach(each -> each.succeed(error));
            }
        });
    }
}
