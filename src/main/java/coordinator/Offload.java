package coordinator;

import common.Failure;
import java.util.function.Supplier;

/**
 * A long computation for a shard, done away from its owner: begun from the state of one moment, ended as a write of the shard's own, which has to look whether the
 * outcome still fits. Dropped without a word when the shard is unloaded. All but the computation is confined to the owner.
 *
 * @param <R> the shard's records
 * @param <T> the outcome
 */
public interface Offload<R, T> {

    /** What to compute: a pure function of values that nobody changes. null: nothing any more. */
    Supplier<T> begin();

    /** @return what becomes of the outcome */
    Result<R, Void> end(T outcome);

    /** It was not computed, or the records of {@link #end} were not taken. */
    void failed(Failure why);
}
