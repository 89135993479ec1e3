package services;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import common.Callback;
import common.Failure;
import coordinator.Coordinator;
import group.PatternWeight;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import metadata.MetadataImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.TransactionStatus;
import transaction.Listing;
import transaction.Producer;
import transaction.ProducerAnswer;
import transaction.TransactionShard;

/**
 * Transactions at their coordinators, for every door. Answers never fail: errors are Kafka's, those of the newest protocol version. Confined to its caller's
 * owner.
 */
public final class TransactionService {
    private final TransactionCoordinators coordinators;
    private final ProducerIdService producerIds;
    private final long timeoutMillis;

    /** @param timeoutMillis how long a coordinator may take, > 0 */
    public TransactionService(TransactionCoordinators coordinators, ProducerIdService producerIds, long timeoutMillis) {
        this.coordinators = coordinators;
        this.producerIds = producerIds;
        this.timeoutMillis = timeoutMillis;
    }

    /** @see transaction.InitProducer#run */
    public void init(MetadataImage image, Producer producer, int txnTimeoutMillis, Callback<ProducerAnswer> done) {
        withId(image, producer, newId -> shard -> shard.init().run(producer, txnTimeoutMillis, newId), done);
    }

    /** @see transaction.Ending#run */
    public void end(
            MetadataImage image, Producer producer, boolean commit, int clientVersion, Callback<ProducerAnswer> done) {
        withId(image, producer, newId -> shard -> shard.ending().run(producer, commit, clientVersion, newId), done);
    }

    /** What is asked, with a producer id that nobody has, or -1. */
    private interface Attempt {
        Coordinator.Write<TransactionShard, ProducerAnswer> with(long newId);
    }

    /** Asks without a new producer id first: few requests need one. */
    private void withId(MetadataImage image, Producer producer, Attempt attempt, Callback<ProducerAnswer> done) {
        ask(image, producer, attempt.with(-1), first -> {
            if (!first.needsProducerId()) {
                done.succeed(first);
                return;
            }
            producerIds.next(image, (newId, failure) -> {
                if (failure != null) {
                    done.succeed(ProducerAnswer.refused(error(failure)));
                } else {
                    ask(image, producer, attempt.with(newId), done::succeed);
                }
            });
        });
    }

    private void ask(
            MetadataImage image,
            Producer producer,
            Coordinator.Write<TransactionShard, ProducerAnswer> request,
            Consumer<ProducerAnswer> done) {
        Callback<ProducerAnswer> answered =
                (answer, failure) -> done.accept(failure == null ? answer : ProducerAnswer.refused(error(failure)));
        coordinators.write(image, producer.transactionalId(), timeoutMillis, request, answered);
    }

    /** @see transaction.Membership#add */
    public void add(
            MetadataImage image,
            Producer producer,
            List<TopicPartition> partitions,
            int clientVersion,
            Callback<Errors> done) {
        coordinators.<Errors>write(
                image,
                producer.transactionalId(),
                timeoutMillis,
                shard -> shard.membership().add(producer, partitions, clientVersion),
                (error, failure) -> done.succeed(failure == null ? error : error(failure)));
    }

    /** One error for each partition, in their order. */
    public void verify(
            MetadataImage image, Producer producer, List<TopicPartition> partitions, Callback<List<Errors>> done) {
        coordinators.<List<Errors>>read(
                image,
                producer.transactionalId(),
                timeoutMillis,
                shard -> shard.membership().verify(producer, partitions),
                (errors, failure) -> done.succeed(
                        failure == null
                                ? errors
                                : partitions.stream()
                                        .map(each -> error(failure))
                                        .toList()));
    }

    private static Errors error(Failure failure) {
        return ErrorMapping.ofCoordinator(failure);
    }

    /** In the order of the ids. */
    public void describe(
            MetadataImage image,
            List<String> ids,
            Callback<List<DescribeTransactionsResponseData.TransactionState>> done) {
        GroupSpread<String, DescribeTransactionsResponseData.TransactionState> spread =
                new GroupSpread<>(ids, (id, failure) -> refused(id, error(failure)), done);
        spread.send(
                id -> TransactionCoordinators.partitionOf(id, image),
                (part, gather) -> coordinators.read(
                        image,
                        part.get(0),
                        timeoutMillis,
                        shard -> shard.listing().describe(part),
                        gather));
    }

    private static DescribeTransactionsResponseData.TransactionState refused(String id, Errors error) {
        return new DescribeTransactionsResponseData.TransactionState()
                .setTransactionalId(id)
                .setErrorCode(error.code());
    }

    /** Those that this node coordinates; an error while some of them are being loaded: a list with holes would look complete. */
    public void list(ListTransactionsRequestData request, Callback<ListTransactionsResponseData> done) {
        ListTransactionsResponseData response = new ListTransactionsResponseData();
        Pattern pattern;
        try {
            pattern = pattern(request.transactionalIdPattern());
        } catch (PatternSyntaxException e) {
            done.succeed(response.setErrorCode(Errors.INVALID_REGULAR_EXPRESSION.code()));
            return;
        }
        Set<TransactionStatus> statuses = EnumSet.noneOf(TransactionStatus.class);
        for (String each : request.stateFilters()) {
            TransactionStatus status = TransactionStatus.ofWireName(each);
            if (status == null) {
                response.unknownStateFilters().add(each);
            } else {
                statuses.add(status);
            }
        }
        if (statuses.isEmpty() && !response.unknownStateFilters().isEmpty()) {
            // Only what is not known was asked for.
            done.succeed(response);
            return;
        }
        Listing.Filter filter = new Listing.Filter(
                statuses, new TreeSet<>(request.producerIdFilters()), request.durationFilter(), pattern);
        coordinators.readAll(shard -> shard.listing().list(filter), timeoutMillis, (lists, failure) -> {
            if (failure != null) {
                done.succeed(response.setErrorCode(error(failure).code()));
                return;
            }
            lists.forEach(response.transactionStates()::addAll);
            done.succeed(response);
        });
    }

    private static Pattern pattern(String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        String problem = PatternWeight.problem(text);
        if (problem != null) {
            throw new PatternSyntaxException(problem, "");
        }
        return Pattern.compile(text);
    }
}
