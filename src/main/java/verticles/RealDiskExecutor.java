package verticles;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import storage.DiskExecutor;
import storage.DiskFullException;
import storage.DiskJob;
import storage.FileSystem;
import storage.SyncFailedException;

/** The disk jobs of one owner in one log directory; results come back through the owner's queue. Used on the owner only. */
final class RealDiskExecutor implements DiskExecutor {
    private final FileSystem files;
    private final DiskLanes lanes;
    private final OwnerLoop owner;

    RealDiskExecutor(FileSystem files, DiskLanes lanes, OwnerLoop owner) {
        this.files = files;
        this.lanes = lanes;
        this.owner = owner;
    }

    @Override
    public <T> void run(Lane lane, DiskJob<T> job, Callback<T> done) {
        DiskTask<T> task = new DiskTask<>(job, done);
        if (!lanes.submit(lane, task)) {
            task.failure = new Failure(FailureCode.OVERLOADED, "too many disk jobs wait in lane " + lane);
            task.finished = true;
            owner.post(task);
        }
    }

    /** Queued twice, never at once: first in a lane to be worked on, then at the owner to deliver the outcome. */
    private final class DiskTask<T> extends QueuedTask {
        private final DiskJob<T> job;
        private final Callback<T> done;
        private T value;
        private Failure failure;
        private boolean finished;

        DiskTask(DiskJob<T> job, Callback<T> done) {
            this.job = job;
            this.done = done;
        }

        @Override
        void run() {
            if (finished) {
                done.done(value, failure);
                return;
            }
            try {
                value = job.run(files);
            } catch (DiskFullException e) {
                failure = new Failure(FailureCode.DISK_FULL, e.getMessage());
            } catch (SyncFailedException e) {
                failure = new Failure(FailureCode.SYNC_FAILED, e.getMessage());
            } catch (IOException e) {
                failure = new Failure(FailureCode.STORAGE_ERROR, e.toString());
            }
            finished = true;
            owner.post(this);
        }
    }
}
