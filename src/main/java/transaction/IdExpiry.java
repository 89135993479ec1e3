package transaction;

import config.TransactionConfig;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;

/** Forgets transactional ids that were not used for long (rule T13). Confined to the shard. */
final class IdExpiry {
    /** Tombstones written at once take at most about so many bytes of ids. */
    private static final int STEP_BYTES = 64 * 1024;

    /** In one step, so that other requests of the loop are not kept waiting. */
    private static final int MOST_LOOKED_AT = 10_000;

    private static final Object TIMER = "id expiry";

    private final ShardContext<TransactionRecord> context;
    private final TransactionConfig config;
    private final Transactions transactions;
    /** Up to there the ids have been looked at; null when a round begins. */
    private String lookedAt;

    IdExpiry(ShardContext<TransactionRecord> context, TransactionConfig config, Transactions transactions) {
        this.context = context;
        this.config = config;
        this.transactions = transactions;
    }

    void start() {
        after(config.expirationCheckMillis());
    }

    private void after(long millis) {
        context.timers().set(TIMER, millis, this::sweep);
    }

    /** One step of a round. What is not taken by the log now is found again by the next round. */
    private Result<TransactionRecord, Void> sweep() {
        long before = context.clock().wallMillis() - config.idExpirationMillis();
        List<TransactionRecord> tombstones = new ArrayList<>();
        int bytes = 0;
        int count = 0;
        Map<String, Value> left =
                lookedAt == null ? transactions.all() : transactions.all().tailMap(lookedAt, false);
        lookedAt = null;
        for (Map.Entry<String, Value> each : left.entrySet()) {
            Value value = each.getValue();
            if (value.status().isIdle() && value.lastUpdateMillis() <= before) {
                tombstones.add(new TransactionRecord(each.getKey(), null));
                bytes += 64 + 3 * each.getKey().length();
            }
            if (bytes > STEP_BYTES || ++count == MOST_LOOKED_AT) {
                lookedAt = each.getKey();
                break;
            }
        }
        after(lookedAt != null ? 1 : config.expirationCheckMillis());
        return Result.of(tombstones, null);
    }
}
