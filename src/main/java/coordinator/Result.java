package coordinator;

import common.Callback;
import java.util.List;

/**
 * What a write yields.
 *
 * @param records to append, and to replay; may be empty
 * @param response the answer, given when the records (and all earlier ones of the shard) are committed
 * @param settled null, or run just before the answer is given: without a failure once the records are committed. With a failure when they did not take effect;
 *     the shard then answers what it has parked for them and puts back what it changed besides. Either they were refused before anything was replayed (too large
 *     for a batch, the disk is full, too much waits already) and the shard goes on as if the request had never been; or the shard is being unloaded (a failed
 *     append, lost leadership), and {@link CoordinatorShard#unloaded} follows
 * @param together how many of the first records are in one atomic batch. Those behind them get batches of their own where one batch cannot hold all: after a crash in
 *     between the log ends with some of them
 * @param suspension null, or the request waits: there is no answer yet, and it will be run again. Refused, as if it had records, while the partition takes none
 */
public record Result<R, T>(List<R> records, T response, Callback<Void> settled, int together, Suspension suspension) {

    /** All in one atomic batch. */
    public static <R, T> Result<R, T> of(List<R> records, T response) {
        return new Result<>(records, response, null, records.size(), null);
    }

    /** Nothing to append. */
    public static <R, T> Result<R, T> answer(T response) {
        return new Result<>(List.of(), response, null, 0, null);
    }

    public static <R> Result<R, Void> nothing() {
        return new Result<>(List.of(), null, null, 0, null);
    }

    /** The request waits; {@code records} are what it has yielded so far. */
    public static <R, T> Result<R, T> suspended(List<R> records, Suspension suspension) {
        return new Result<>(records, null, null, records.size(), suspension);
    }

    public Result<R, T> settled(Callback<Void> action) {
        return new Result<>(records, response, action, together, suspension);
    }

    /** The shard can go on from a log that ends behind any record from the {@code first} ones on. */
    public Result<R, T> atomicOnly(int first) {
        return new Result<>(records, response, settled, first, suspension);
    }
}
