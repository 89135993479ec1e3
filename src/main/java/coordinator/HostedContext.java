package coordinator;

import common.Chance;
import common.Clock;
import common.Metrics;
import common.Mutations;
import common.RandomSource;
import java.util.List;
import java.util.function.Supplier;
import metadata.MetadataImage;

/** What one incarnation of a shard sees of its host. Confined to the owner. */
final class HostedContext<R> implements ShardContext<R> {
    private final RuntimeSetup<?, R> setup;
    private final int partition;
    private final int leaderEpoch;
    private final AppendQueue queue;
    private final Supplier<MetadataImage> image;
    private final StateMemory memory;
    private final Incarnation<R> incarnation;
    private final RuntimeTimers<R> timers;

    /** What the host does for one incarnation; nothing once it is gone. */
    interface Incarnation<R> {

        /** Runs a write of the shard's own; false: not now, to be tried again later. */
        boolean attempt(Supplier<Result<R, Void>> write);

        void begin(Offload<R, ?> job);
    }

    HostedContext(
            RuntimeSetup<?, R> setup,
            int partition,
            int leaderEpoch,
            AppendQueue queue,
            Supplier<MetadataImage> image,
            StateMemory memory,
            Incarnation<R> incarnation) {
        this.setup = setup;
        this.partition = partition;
        this.leaderEpoch = leaderEpoch;
        this.queue = queue;
        this.image = image;
        this.memory = memory;
        this.incarnation = incarnation;
        this.timers = new RuntimeTimers<>(setup.ports().clock(), setup.ports().timers(), incarnation::attempt);
    }

    /** The shard is gone. */
    void end() {
        timers.cancelAll();
        memory.end();
    }

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public Clock clock() {
        return setup.ports().clock();
    }

    @Override
    public RandomSource random() {
        return setup.ports().random();
    }

    @Override
    public Metrics metrics() {
        return setup.ports().metrics();
    }

    @Override
    public Chance chance() {
        return setup.ports().chance();
    }

    @Override
    public Mutations mutations() {
        return setup.ports().mutations();
    }

    @Override
    public MetadataImage image() {
        return image.get();
    }

    @Override
    public StateMemory memory() {
        return memory;
    }

    @Override
    public long maxRecordBytes() {
        return queue.room() - EncodedRecords.OVERHEAD;
    }

    @Override
    public boolean fits(List<R> records) {
        return EncodedRecords.of(records, setup.codec()).bytes() <= queue.room();
    }

    @Override
    public ShardTimers<R> timers() {
        return timers;
    }

    @Override
    public void submit(Supplier<Result<R, Void>> write) {
        setup.soon().accept(() -> attempt(write));
    }

    private void attempt(Supplier<Result<R, Void>> write) {
        if (!incarnation.attempt(write)) {
            setup.ports().timers().after(RuntimeTimers.POSTPONED_MILLIS, () -> attempt(write));
        }
    }

    @Override
    public void offload(Offload<R, ?> job) {
        setup.soon().accept(() -> incarnation.begin(job));
    }
}
