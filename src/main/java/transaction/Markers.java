package transaction;

import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import records.schemas.TransactionStatus;

/**
 * Carries committed decisions to the partitions of their transactions, for as long as it takes (rule T7), and then records that they are complete. Confined to
 * the shard.
 */
final class Markers {
    private static final Logger LOG = LoggerFactory.getLogger(Markers.class);
    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long MAX_PAUSE_MILLIS = 1_000;
    private static final int TOLD_AFTER = 10;

    private final ShardContext<TransactionRecord> context;
    private final Transactions transactions;
    private final MarkerWriter writer;
    private final Map<String, Sending> sending = new TreeMap<>();

    Markers(ShardContext<TransactionRecord> context, Transactions transactions, MarkerWriter writer) {
        this.context = context;
        this.transactions = transactions;
        this.writer = writer;
    }

    /** The timer that sends again, or completes again. */
    private record Retry(String transactionalId) {}

    /** One decision under way. */
    private static final class Sending {
        private final String transactionalId;
        private final Value prepared;
        private List<TopicPartition> left;
        private long pauseMillis = FIRST_PAUSE_MILLIS;
        private int attempts;

        Sending(String transactionalId, Value prepared, List<TopicPartition> left) {
            this.transactionalId = transactionalId;
            this.prepared = prepared;
            this.left = left;
        }
    }

    /** The decision is committed. */
    void begin(String transactionalId, Value prepared) {
        List<TopicPartition> all = new ArrayList<>();
        for (Map.Entry<String, SortedSet<Integer>> each : prepared.partitions().entrySet()) {
            each.getValue().forEach(partition -> all.add(new TopicPartition(each.getKey(), partition)));
        }
        Sending mine = new Sending(transactionalId, prepared, all);
        sending.put(transactionalId, mine);
        send(mine);
    }

    private void send(Sending mine) {
        // The records of a deleted topic are gone, and nobody waits for their end.
        mine.left = mine.left.stream().filter(this::exists).toList();
        if (mine.left.isEmpty()) {
            context.submit(() -> complete(mine));
            return;
        }
        mine.attempts++;
        MarkerWriter.Marker marker = new MarkerWriter.Marker(
                mine.prepared.producerId(),
                mine.prepared.producerEpoch(),
                mine.prepared.status() == TransactionStatus.PREPARE_COMMIT,
                context.leaderEpoch(),
                mine.prepared.clientVersion());
        List<TopicPartition> asked = mine.left;
        writer.write(
                marker,
                asked,
                (errors, failure) -> context.submit(() -> answered(mine, asked, failure == null ? errors : null)));
    }

    private boolean exists(TopicPartition partition) {
        TopicImage topic = context.image().topic(partition.topic());
        return topic != null && partition.partition() < topic.partitions().size();
    }

    /** @param errors null: nobody knows */
    private Result<TransactionRecord, Void> answered(Sending mine, List<TopicPartition> asked, List<Errors> errors) {
        if (sending.get(mine.transactionalId) != mine) {
            return Result.nothing();
        }
        List<TopicPartition> left = new ArrayList<>();
        Errors last = Errors.NONE;
        for (int i = 0; i < asked.size(); i++) {
            Errors error = errors == null ? Errors.UNKNOWN_SERVER_ERROR : errors.get(i);
            // INVALID_PRODUCER_EPOCH: that partition is past this transaction. TRANSACTION_COORDINATOR_FENCED: if
            // another coordinator has it by now, this
            // shard is about to be unloaded; until then it is no reason to stop, as who is mistaken would leave the
            // transaction open for ever.
            if (error != Errors.NONE && error != Errors.INVALID_PRODUCER_EPOCH) {
                left.add(asked.get(i));
                last = error;
            }
        }
        mine.left = left;
        if (left.isEmpty()) {
            return complete(mine);
        }
        if (mine.attempts == TOLD_AFTER) {
            LOG.warn(
                    "{}: the end of its transaction cannot be written to {} of its partitions, for example {} ({});"
                            + " readers of committed records wait there. Tried again until it succeeds.",
                    mine.transactionalId,
                    left.size(),
                    left.get(0),
                    last);
        }
        again(mine);
        return Result.nothing();
    }

    private void again(Sending mine) {
        context.timers().set(new Retry(mine.transactionalId), mine.pauseMillis, () -> {
            if (sending.get(mine.transactionalId) == mine) {
                send(mine);
            }
            return Result.nothing();
        });
        mine.pauseMillis = Math.min(MAX_PAUSE_MILLIS, 2 * mine.pauseMillis);
    }

    private Result<TransactionRecord, Void> complete(Sending mine) {
        Value now = transactions.get(mine.transactionalId);
        if (sending.get(mine.transactionalId) != mine || now == null || !isSame(now, mine.prepared)) {
            sending.remove(mine.transactionalId, mine);
            return Result.nothing();
        }
        TransactionRecord complete =
                complete(mine.transactionalId, now, context.clock().wallMillis());
        return Result.<TransactionRecord, Void>of(List.of(complete), null).settled((none, failure) -> {
            if (failure == null) {
                sending.remove(mine.transactionalId, mine);
            } else if (sending.get(mine.transactionalId) == mine) {
                again(mine);
            }
        });
    }

    private static boolean isSame(Value now, Value prepared) {
        return now.status() == prepared.status()
                && now.producerId() == prepared.producerId()
                && now.producerEpoch() == prepared.producerEpoch();
    }

    /** What follows a Prepare record when all markers are written. */
    static TransactionRecord complete(String transactionalId, Value prepared, long nowMillis) {
        Change change = Change.of(
                        transactionalId,
                        prepared,
                        prepared.status() == TransactionStatus.PREPARE_COMMIT
                                ? TransactionStatus.COMPLETE_COMMIT
                                : TransactionStatus.COMPLETE_ABORT)
                .withoutPartitions();
        if (prepared.nextProducerId() != -1) {
            change.rotate(prepared.nextProducerId());
        }
        return change.at(nowMillis);
    }
}
