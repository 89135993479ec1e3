package coordinator;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.InvariantViolation;
import java.util.function.Supplier;

/**
 * One {@link Offload} on its way: computed by a worker, ended on the owner. Bugs of the shard are logged and make it fail; broken invariants end the process.
 * Confined to the owner.
 */
final class OffloadRun<R, T> {
    private final Offload<R, T> job;
    private final ShardGuard guard;
    private final Home<R> home;

    /** The incarnation of the shard that it is for. */
    interface Home<R> {
        boolean isGone();

        /** Runs a write of the shard's own; {@code refused} is told when it is not run, or fails. */
        void run(Supplier<Result<R, Void>> write, Callback<?> refused);
    }

    /** @param bug null when the worker came to an end */
    private record Computed<T>(T outcome, RuntimeException bug) {}

    OffloadRun(Offload<R, T> job, ShardGuard guard, Home<R> home) {
        this.job = job;
        this.guard = guard;
        this.home = home;
    }

    void begin(PartitionStore store) {
        Supplier<T> work;
        try {
            work = job.begin();
        } catch (InvariantViolation e) {
            throw e;
        } catch (RuntimeException e) {
            failed(e);
            return;
        }
        if (work != null) {
            store.compute(() -> compute(work), this::ended);
        }
    }

    private static <T> Computed<T> compute(Supplier<T> work) {
        try {
            return new Computed<>(work.get(), null);
        } catch (InvariantViolation e) {
            throw e;
        } catch (RuntimeException e) {
            return new Computed<>(null, e);
        }
    }

    private void ended(Computed<T> computed, Failure failure) {
        if (home.isGone()) {
            return;
        }
        if (failure != null) {
            failed(Failure.of(FailureCode.COORDINATOR_NOT_AVAILABLE, "no worker computes: " + failure.message()));
        } else if (computed.bug != null) {
            failed(computed.bug);
        } else {
            home.run(() -> job.end(computed.outcome), (none, why) -> failed(why));
        }
    }

    private void failed(RuntimeException bug) {
        guard.failed("compute for a request", bug);
        failed(Failure.of(FailureCode.INTERNAL, "the coordinator met an unexpected error, see its log"));
    }

    private void failed(Failure why) {
        guard.run("give up a computation", () -> job.failed(why));
    }
}
