package verticles;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import storage.DiskExecutor.Lane;

/**
 * The threads that may block for one log directory, shared by all owners: one for appends, in order; a few without order; one for long computation.
 * Thread safe.
 */
final class DiskLanes implements AutoCloseable {
    private static final int MAX_WAITING_JOBS = 1 << 16;
    private static final int IDLE_SECONDS = 10;

    private final AppendThread appends;
    private final ThreadPoolExecutor blocking;
    private final ThreadPoolExecutor computing;
    private final FatalErrors fatalErrors;

    /**
     * @param name of the directory, for thread names
     * @param blockingThreads most threads of the blocking lane, at least 1; made when needed, ended when idle
     */
    DiskLanes(String name, int blockingThreads, FatalErrors fatalErrors) {
        this.fatalErrors = fatalErrors;
        this.appends = new AppendThread("disk-" + name, MAX_WAITING_JOBS, fatalErrors);
        this.blocking = pool("blocking-" + name, blockingThreads);
        this.computing = pool("cpu-" + name, 1);
    }

    private static ThreadPoolExecutor pool(String name, int threads) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING_JOBS), work -> {
                    Thread thread = new Thread(work, name + "-" + number.getAndIncrement());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** False if too many jobs wait already, or the lanes are closed; then the task will not run. */
    boolean submit(Lane lane, DiskWork task) {
        return switch (lane) {
            case APPEND -> appends.submit(task);
            case BLOCKING -> submit(blocking, task);
            case CPU -> submit(computing, task);
        };
    }

    private boolean submit(ThreadPoolExecutor pool, DiskWork task) {
        try {
            pool.execute(() -> {
                try {
                    task.run();
                    task.deliver();
                } catch (Throwable e) {
                    fatalErrors.report(e);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Lets all accepted jobs finish, for at most {@code seconds}; takes no new ones. Blocks. */
    boolean closeAndAwait(int seconds) throws InterruptedException {
        blocking.shutdown();
        computing.shutdown();
        boolean appended = appends.closeAndAwait(TimeUnit.SECONDS.toMillis(seconds));
        return blocking.awaitTermination(seconds, TimeUnit.SECONDS)
                && computing.awaitTermination(seconds, TimeUnit.SECONDS)
                && appended;
    }

    @Override
    public void close() {
        blocking.shutdown();
        computing.shutdown();
        appends.close();
    }
}
