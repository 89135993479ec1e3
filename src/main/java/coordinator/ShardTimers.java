package coordinator;

import java.util.function.Supplier;

/**
 * One-shot timers by key. Setting a key again replaces its timer; moving a deadline later is cheap, as heartbeats do it all the time. A task runs as a write of
 * the shard; while the partition takes no records (disk full, say) it is put off, so that nothing expires that could not be recorded.
 */
public interface ShardTimers<R> {

    /** @param delayMillis >= 0; never early */
    void set(Object key, long delayMillis, Supplier<Result<R, Void>> task);

    void cancel(Object key);

    boolean isSet(Object key);
}
