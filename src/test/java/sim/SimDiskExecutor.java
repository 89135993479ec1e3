package sim;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import storage.DirectoryRefusedException;
import storage.DiskExecutor;
import storage.DiskFullException;
import storage.DiskJob;
import storage.SyncFailedException;

/**
 * The disk threads of one log directory. A job runs whole at one virtual instant and its callback is an event after the time that the job took. APPEND
 * and CPU run one job at a time in order; BLOCKING runs a few at once, in any order, each maybe late. A job in which the process crashes ends the
 * life and reports to {@link #onCrash}.
 */
public final class SimDiskExecutor implements DiskExecutor {
    private static final int BLOCKING_THREADS = 4;

    private final SimScheduler scheduler;
    private final SimLife life;
    private final SimFileSystem files;
    private final SimRandom random;
    private final long maxDelayNanos;
    private final Map<Lane, ArrayDeque<Runnable>> waiting = new EnumMap<>(Lane.class);
    private final Map<Lane, Integer> running = new EnumMap<>(Lane.class);
    private Runnable onCrash = () -> {};

    /** @param maxDelayNanos how long a free thread may take to start a job, > 0 */
    public SimDiskExecutor(
            SimScheduler scheduler, SimLife life, SimFileSystem files, SimRandom random, long maxDelayNanos) {
        this.scheduler = scheduler;
        this.life = life;
        this.files = files;
        this.random = random;
        this.maxDelayNanos = maxDelayNanos;
        for (Lane lane : Lane.values()) {
            waiting.put(lane, new ArrayDeque<>());
            running.put(lane, 0);
        }
    }

    /** Told when the process has crashed inside a job. */
    public void onCrash(Runnable action) {
        onCrash = action;
    }

    @Override
    public <T> void run(Lane lane, DiskJob<T> job, Callback<T> done) {
        waiting.get(lane).add(() -> execute(lane, job, done));
        startNext(lane);
    }

    private void startNext(Lane lane) {
        int threads = lane == Lane.BLOCKING ? BLOCKING_THREADS : 1;
        ArrayDeque<Runnable> queue = waiting.get(lane);
        if (queue.isEmpty() || running.get(lane) >= threads) {
            return;
        }
        running.merge(lane, 1, Integer::sum);
        Runnable next = queue.poll();
        long delay = 1 + random.belowLong(maxDelayNanos);
        if (lane == Lane.BLOCKING && random.chance(0.05)) {
            delay += random.belowLong(50 * maxDelayNanos);
        }
        scheduler.after(delay, life, "disk-job", next);
    }

    private <T> void execute(Lane lane, DiskJob<T> job, Callback<T> done) {
        T value = null;
        Failure failure = null;
        files.takeCost();
        try {
            value = job.run(files);
        } catch (SimCrash crash) {
            scheduler.note("crash-in-job", 0);
            onCrash.run();
            return;
        } catch (DiskFullException e) {
            failure = Failure.of(FailureCode.DISK_FULL, e.getMessage());
        } catch (SyncFailedException e) {
            failure = Failure.of(FailureCode.SYNC_FAILED, e.getMessage());
        } catch (DirectoryRefusedException e) {
            failure = Failure.of(FailureCode.DIRECTORY_REFUSED, e.getMessage());
        } catch (IOException e) {
            failure = Failure.of(FailureCode.STORAGE_ERROR, e.toString());
        }
        T outcome = value;
        Failure problem = failure;
        scheduler.after(1 + files.takeCost(), life, "disk-done", () -> {
            running.merge(lane, -1, Integer::sum);
            startNext(lane);
            done.done(problem == null ? outcome : null, problem);
        });
    }
}
