package transaction;

import common.Failure;
import config.TransactionConfig;
import coordinator.CoordinatorShard;
import coordinator.ShardContext;
import java.util.Map;
import java.util.TreeMap;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;

/** All transactional ids of one partition of __transaction_state. Confined to the coordinator's owner. */
public final class TransactionShard implements CoordinatorShard<TransactionRecord> {
    private final Transactions transactions;
    private final ShardContext<TransactionRecord> context;
    private final TransactionStats stats;
    private final Markers markers;
    private final Timeouts timeouts;
    private final Ending ending;
    private final InitProducer init;
    private final Membership membership;
    private final IdExpiry expiry;
    private final Listing listing;

    public TransactionShard(
            ShardContext<TransactionRecord> context,
            TransactionConfig config,
            MarkerWriter writer,
            TransactionStats stats) {
        this.context = context;
        this.stats = stats;
        this.transactions = new Transactions(context.memory());
        this.markers = new Markers(context, transactions, writer);
        this.timeouts = new Timeouts(context, transactions, stats);
        this.ending = new Ending(context, transactions, markers, stats);
        this.init = new InitProducer(context, config, transactions, ending);
        this.membership = new Membership(context, transactions, timeouts);
        this.expiry = new IdExpiry(context, config, transactions);
        this.listing = new Listing(context, transactions);
        timeouts.endBy(ending);
    }

    /** InitProducerId. */
    public InitProducer init() {
        return init;
    }

    /** AddPartitionsToTxn and AddOffsetsToTxn, and verification. */
    public Membership membership() {
        return membership;
    }

    /** EndTxn. */
    public Ending ending() {
        return ending;
    }

    /** ListTransactions and DescribeTransactions. */
    public Listing listing() {
        return listing;
    }

    Transactions transactions() {
        return transactions;
    }

    @Override
    public void replay(TransactionRecord record) {
        transactions.replay(record);
        stats.open(context.partition(), transactions.oldestStartMillis());
    }

    /** Decisions of the coordinator before are carried out (rule T2), open transactions get what is left of their time. */
    @Override
    public void loaded() {
        for (Map.Entry<String, Value> each : new TreeMap<>(transactions.all()).entrySet()) {
            if (each.getValue().status().isPrepared()) {
                markers.begin(each.getKey(), each.getValue());
            } else if (Transactions.isOngoing(each.getValue())) {
                timeouts.resume(each.getKey(), each.getValue());
            }
        }
        expiry.start();
    }

    @Override
    public void unloaded(Failure why) {
        stats.open(context.partition(), Long.MAX_VALUE);
    }
}
