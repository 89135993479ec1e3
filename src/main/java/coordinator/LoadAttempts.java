package coordinator;

import common.Callback;
import common.Timers;

/** The loading of one partition's shard: one attempt after another, with a pause between them that grows. Confined to the owner. */
final class LoadAttempts<R> {
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long MAX_PAUSE_MILLIS = 30_000;

    private final RuntimeSetup<?, R> setup;
    private final String name;
    private final LoadSlots slots;
    private ShardLoader<R> loader;
    private LoadSlots.Slot slot;
    private Timers.Handle next;
    private long pauseMillis;

    /** @param name of the partition, for log lines */
    LoadAttempts(RuntimeSetup<?, R> setup, String name, LoadSlots slots) {
        this.setup = setup;
        this.name = name;
        this.slots = slots;
    }

    /** None is under way or to come. */
    boolean isIdle() {
        return loader == null && next == null;
    }

    /** When there is a slot for it. {@code done} is not called after {@link #cancel}. */
    void begin(PartitionStore store, CoordinatorShard<R> shard, Callback<ShardLoader.Summary> done) {
        loader = new ShardLoader<>(setup, name, store, shard, (summary, failure) -> {
            loader = null;
            slot.release();
            done.done(summary, failure);
        });
        slot = slots.slot(loader::run);
        slot.claim();
    }

    /** How long to wait before the next one; the one after that waits longer. */
    long takePause() {
        long pause = pauseMillis;
        pauseMillis = Math.min(MAX_PAUSE_MILLIS, Math.max(FIRST_PAUSE_MILLIS, 2 * pauseMillis));
        return pause;
    }

    /** As {@link #takePause}, but never none. */
    long takeLongerPause() {
        takePause();
        return pauseMillis;
    }

    /** All is well: the next one need not wait. */
    void forgetPause() {
        pauseMillis = 0;
    }

    void after(long millis, Runnable attempt) {
        next = setup.ports().timers().after(millis, () -> {
            next = null;
            attempt.run();
        });
    }

    void cancel() {
        if (loader != null) {
            loader.cancel();
            loader = null;
            slot.release();
        }
        if (next != null) {
            next.cancel();
            next = null;
        }
    }
}
