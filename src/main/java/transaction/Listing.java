package transaction;

import com.google.re2j.Pattern;
import coordinator.ShardContext;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TopicData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import records.schemas.TransactionStatus;

/** ListTransactions and DescribeTransactions. Confined to the shard. */
public final class Listing {
    private final ShardContext<TransactionRecord> context;
    private final Transactions transactions;

    Listing(ShardContext<TransactionRecord> context, Transactions transactions) {
        this.context = context;
        this.transactions = transactions;
    }

    /**
     * Which transactional ids are wanted.
     *
     * @param statuses empty: all
     * @param producerIds empty: all
     * @param olderThanMillis since the transaction began; negative: all
     * @param pattern of the whole id; null: all
     */
    public record Filter(
            Set<TransactionStatus> statuses, Set<Long> producerIds, long olderThanMillis, Pattern pattern) {

        private boolean matches(String id, Value value, long nowMillis) {
            return (statuses.isEmpty() || statuses.contains(value.status()))
                    && (producerIds.isEmpty() || producerIds.contains(value.producerId()))
                    && (olderThanMillis < 0 || nowMillis - value.startMillis() > olderThanMillis)
                    && (pattern == null || pattern.matches(id));
        }
    }

    /** By id. */
    public List<ListTransactionsResponseData.TransactionState> list(Filter filter) {
        long nowMillis = context.clock().wallMillis();
        return transactions.all().entrySet().stream()
                .filter(each -> filter.matches(each.getKey(), each.getValue(), nowMillis))
                .map(Listing::listed)
                .toList();
    }

    private static ListTransactionsResponseData.TransactionState listed(Map.Entry<String, Value> each) {
        return new ListTransactionsResponseData.TransactionState()
                .setTransactionalId(each.getKey())
                .setProducerId(each.getValue().producerId())
                .setTransactionState(each.getValue().status().wireName());
    }

    /** In the order of the ids. */
    public List<DescribeTransactionsResponseData.TransactionState> describe(List<String> ids) {
        return ids.stream().map(this::describe).toList();
    }

    private DescribeTransactionsResponseData.TransactionState describe(String id) {
        DescribeTransactionsResponseData.TransactionState state =
                new DescribeTransactionsResponseData.TransactionState().setTransactionalId(id);
        if (id.isEmpty()) {
            return state.setErrorCode(Errors.INVALID_REQUEST.code());
        }
        Value value = transactions.get(id);
        if (value == null) {
            return state.setErrorCode(Errors.TRANSACTIONAL_ID_NOT_FOUND.code());
        }
        value.partitions()
                .forEach((topic, partitions) ->
                        state.topics().add(new TopicData().setTopic(topic).setPartitions(List.copyOf(partitions))));
        return state.setProducerId(value.producerId())
                .setProducerEpoch(value.producerEpoch())
                .setTransactionState(value.status().wireName())
                .setTransactionTimeoutMs(value.timeoutMillis())
                .setTransactionStartTimeMs(value.startMillis());
    }
}
