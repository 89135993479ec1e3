package verticles;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import storage.DirectoryRefusedException;
import storage.DiskExecutor;
import storage.DiskFullException;
import storage.DiskJob;
import storage.FileSystem;
import storage.SyncFailedException;

/** The disk jobs of one owner in one log directory; results come back through the owner's queue. Used on the owner only. */
final class RealDiskExecutor implements DiskExecutor {
    private static final int MAX_GATHERED = 16;

    private final FileSystem files;
    private final DiskLanes lanes;
    private final OwnerLoop owner;
    private final DiskTask<?>[] waiting = new DiskTask<?>[MAX_GATHERED];
    private final Runnable submitGathered = this::submitGathered;
    private int gathered;

    RealDiskExecutor(FileSystem files, DiskLanes lanes, OwnerLoop owner) {
        this.files = files;
        this.lanes = lanes;
        this.owner = owner;
    }

    /** Appends are handed over together at the end of the owner's turn: a request for several logs then wakes the disk thread once. */
    @Override
    public <T> void run(Lane lane, DiskJob<T> job, Callback<T> done) {
        DiskTask<T> task = new DiskTask<>(job, done);
        if (lane != Lane.APPEND || !owner.inTurn()) {
            submit(lane, task);
            return;
        }
        if (gathered == 0) {
            owner.atTurnEnd(submitGathered);
        }
        waiting[gathered++] = task;
        if (gathered == waiting.length) {
            submitGathered();
        }
    }

    private void submitGathered() {
        for (int index = 0; index < gathered; index++) {
            submit(Lane.APPEND, waiting[index]);
            waiting[index] = null;
        }
        gathered = 0;
    }

    private void submit(Lane lane, DiskTask<?> task) {
        if (!lanes.submit(lane, task)) {
            task.refuse("too many disk jobs wait in lane " + lane);
        }
    }

    /** Queued twice, never at once: first in a lane to be worked on, then at the owner to deliver the outcome. */
    private final class DiskTask<T> extends DiskWork {
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
            } catch (DirectoryRefusedException e) {
                failure = new Failure(FailureCode.DIRECTORY_REFUSED, e.getMessage());
            } catch (IOException e) {
                failure = new Failure(FailureCode.STORAGE_ERROR, e.toString());
            }
        }

        void refuse(String why) {
            failure = new Failure(FailureCode.OVERLOADED, why);
            deliver();
        }

        @Override
        void deliver() {
            finished = true;
            owner.post(this);
        }
    }
}
