package coordinator;

import common.Chance;
import common.Clock;
import common.Metrics;
import common.Mutations;
import common.RandomSource;
import java.util.List;
import java.util.function.Supplier;
import metadata.MetadataImage;

/** What a shard gets from the runtime that carries it. Confined to the coordinator's owner. */
public interface ShardContext<R> {

    /** The partition of the internal topic. */
    int partition();

    /** In which the partition is led here; higher in each later one. */
    int leaderEpoch();

    Clock clock();

    RandomSource random();

    Metrics metrics();

    Chance chance();

    Mutations mutations();

    /** The newest metadata that this owner was given. */
    MetadataImage image();

    /** What this shard keeps in memory is counted here. */
    StateMemory memory();

    /** The most that key and value of one record may take, in bytes. */
    long maxRecordBytes();

    /** Whether one batch takes all of these. */
    boolean fits(List<R> records);

    /** Timers of this shard; all are cancelled when it is unloaded. */
    ShardTimers<R> timers();

    /** Runs a write of the shard's own soon, never inside the caller's stack; later while the partition takes no records. Dropped when the shard is unloaded. */
    void submit(Supplier<Result<R, Void>> write);

    /** Begins {@code job} soon, never inside the caller's stack. */
    void offload(Offload<R, ?> job);
}
