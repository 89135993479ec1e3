package coordinator;

import common.Callback;
import java.util.List;

/**
 * What a write yields.
 *
 * @param records to append in one atomic batch, and to replay; may be empty
 * @param response the answer, given when the records (and all earlier ones of the shard) are committed
 * @param settled null, or run just before the answer is given: without a failure once the records are committed. With one when they were not or the outcome is
 *     not known; the shard is then being unloaded and only has to answer what it parked
 */
public record Result<R, T>(List<R> records, T response, Callback<Void> settled) {

    public static <R, T> Result<R, T> of(List<R> records, T response) {
        return new Result<>(records, response, null);
    }

    /** Nothing to append. */
    public static <R, T> Result<R, T> answer(T response) {
        return new Result<>(List.of(), response, null);
    }

    public static <R> Result<R, Void> nothing() {
        return new Result<>(List.of(), null, null);
    }

    public Result<R, T> settled(Callback<Void> action) {
        return new Result<>(records, response, action);
    }
}
