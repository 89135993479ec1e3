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

    private static final Object TIMER = "id expiry";

    private final ShardContext<TransactionRecord> context;
    private final TransactionConfig config;
    private final Transactions transactions;

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

    private Result<TransactionRecord, Void> sweep() {
        long before = context.clock().wallMillis() - config.idExpirationMillis();
        List<TransactionRecord> tombstones = new ArrayList<>();
        int bytes = 0;
        for (Map.Entry<String, Value> each : transactions.all().entrySet()) {
            Value value = each.getValue();
            if (value.status().isIdle() && value.lastUpdateMillis() <= before) {
                tombstones.add(new TransactionRecord(each.getKey(), null));
                bytes += 64 + 3 * each.getKey().length();
                if (bytes > STEP_BYTES) {
                    break;
                }
            }
        }
        after(bytes > STEP_BYTES ? 1 : config.expirationCheckMillis());
        return Result.of(tombstones, null);
    }
}
