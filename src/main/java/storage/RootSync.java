package storage;

import common.Callback;
import java.util.ArrayList;
import java.util.List;

/** Syncs the log directory's own entries (the partitions' names), once for all who ask while a sync runs. */
final class RootSync {

    private final DiskExecutor disk;
    private List<Callback<Void>> waiting = new ArrayList<>();
    private boolean running;

    RootSync(DiskExecutor disk) {
        this.disk = disk;
    }

    /** {@code done} succeeds after a sync that began after this call. */
    void run(Callback<Void> done) {
        waiting.add(done);
        startNext();
    }

    private void startNext() {
        if (running || waiting.isEmpty()) {
            return;
        }
        running = true;
        List<Callback<Void>> served = waiting;
        waiting = new ArrayList<>();
        DiskJob<Void> sync = files -> {
            files.syncDirectory("");
            return null;
        };
        disk.run(DiskExecutor.Lane.BLOCKING, sync, (none, failure) -> {
            running = false;
            served.forEach(each -> each.done(null, failure));
            startNext();
        });
    }
}
