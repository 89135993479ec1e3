package node;

import common.Callback;
import common.Timers;
import config.TransactionConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.protocol.Errors;
import replication.TransactionVerifier;
import services.TransactionCoordinators;
import services.TransactionService;
import transaction.Producer;

/**
 * Asks the transaction coordinators, of this node or of the broker that leads their partition. What the batches of one request add to their producer's transaction is added at once: each addition records all that
 * the transaction has, so one by one many partitions would cost their square. A producer that begins its next transaction may be faster than the markers of the one before: it is asked again
 * for a short while before the producer is told. On a storage shard's loop.
 */
final class NodeTransactionVerifier implements TransactionVerifier {
    private static final int BUMPING = 2;
    private static final int TIMEOUT_MILLIS = 10_000;

    private final TransactionService service;
    private final BrokerLines others;
    private final Timers timers;
    private final TransactionConfig config;
    private final Consumer<Runnable> soon;
    /** What is to be added at the end of this turn. */
    private final Map<Producer, Addition> additions = new LinkedHashMap<>();

    private record Addition(List<TopicPartition> partitions, List<Callback<Errors>> waiting) {}

    /**
     * @param others to ask where another broker coordinates
     * @param soon runs a task on this loop, never inside the caller's stack
     */
    NodeTransactionVerifier(
            TransactionService service,
            BrokerLines others,
            Timers timers,
            TransactionConfig config,
            Consumer<Runnable> soon) {
        this.service = service;
        this.others = others;
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
            verify(producer, List.of(partition), done);
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
        ask(producer, addition.partitions, (error, failure) -> {
            if (error == Errors.CONCURRENT_TRANSACTIONS && waitMillis > 0) {
                int pause = Math.min(config.beginRetryMillis(), waitMillis);
                timers.after(pause, () -> add(producer, addition, waitMillis - pause));
            } else {
                addition.waiting.forEach(each -> each.succeed(error));
            }
        });
    }

    private int otherCoordinator(Producer producer) {
        return others.otherLeader(
                Topic.TRANSACTION_STATE_TOPIC_NAME,
                TransactionCoordinators.partitionOf(producer.transactionalId(), others.image()));
    }

    private void verify(Producer producer, List<TopicPartition> one, Callback<Errors> done) {
        int coordinator = otherCoordinator(producer);
        if (coordinator == BrokerLines.NOBODY) {
            service.verify(others.image(), producer, one, (errors, failure) -> done.succeed(errors.get(0)));
        } else {
            askOther(coordinator, producer, one, true, done);
        }
    }

    /** Adds the partitions: all or none. */
    private void ask(Producer producer, List<TopicPartition> partitions, Callback<Errors> done) {
        int coordinator = otherCoordinator(producer);
        if (coordinator == BrokerLines.NOBODY) {
            service.add(others.image(), producer, partitions, BUMPING, done);
        } else {
            askOther(coordinator, producer, partitions, false, done);
        }
    }

    private void askOther(
            int broker, Producer producer, List<TopicPartition> partitions, boolean verifyOnly, Callback<Errors> done) {
        AddPartitionsToTxnTransaction transaction = new AddPartitionsToTxnTransaction()
                .setTransactionalId(producer.transactionalId())
                .setProducerId(producer.producerId())
                .setProducerEpoch(producer.epoch())
                .setVerifyOnly(verifyOnly);
        for (TopicPartition each : partitions) {
            AddPartitionsToTxnTopic topic = transaction.topics().find(each.topic());
            if (topic == null) {
                topic = new AddPartitionsToTxnTopic().setName(each.topic());
                transaction.topics().add(topic);
            }
            topic.partitions().add(each.partition());
        }
        AddPartitionsToTxnRequestData request = new AddPartitionsToTxnRequestData();
        request.transactions().add(transaction);
        others.send(
                broker,
                request,
                AddPartitionsToTxnResponseData.class,
                TIMEOUT_MILLIS,
                (answer, failure) -> done.succeed(failure == null ? error(answer) : Errors.COORDINATOR_NOT_AVAILABLE));
    }

    /** Where one partition is refused, the others are not attempted. */
    private static Errors error(AddPartitionsToTxnResponseData answer) {
        Errors[] found = {Errors.forCode(answer.errorCode())};
        answer.resultsByTransaction()
                .forEach(transaction -> transaction
                        .topicResults()
                        .forEach(topic -> topic.resultsByPartition().forEach(each -> {
                            Errors error = Errors.forCode(each.partitionErrorCode());
                            if (found[0] == Errors.NONE || found[0] == Errors.OPERATION_NOT_ATTEMPTED) {
                                found[0] = error;
                            }
                        })));
        return found[0];
    }
}
