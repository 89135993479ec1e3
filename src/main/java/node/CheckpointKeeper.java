package node;

import common.Callback;
import common.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import storage.DiskExecutor;
import storage.LogDirectory;
import storage.LogDirectory.Checkpoint;

/**
 * Writes the checkpoint files of one log directory. The files hold the partitions of all shards, so one keeper, on loop 0, gathers them: each shard (and the
 * controller) reports all of its partitions; reports that come while a write is under way share the next one.
 */
public final class CheckpointKeeper {
    private final DiskExecutor disk;
    private final TreeMap<Integer, List<Checkpoint>> byReporter = new TreeMap<>();
    private List<Callback<Void>> waiting = new ArrayList<>();
    private boolean writing;
    private boolean changed;
    private boolean failed;

    CheckpointKeeper(DiskExecutor disk) {
        this.disk = disk;
    }

    /**
     * At the start, before any report: what the files say of the partitions that {@code reporter} will report, so that others' reports do not drop their
     * lines (rule I12).
     */
    void begin(int reporter, List<Checkpoint> found) {
        byReporter.put(reporter, found);
    }

    /** The files have lines of partitions that nobody will report: the next report is news in any case. */
    void hasStaleLines() {
        changed = true;
    }

    /**
     * All partitions of {@code reporter} in this directory, replacing what it said before. {@code persisted} succeeds when files that say so are durable;
     * a report without news succeeds at once.
     */
    public void report(int reporter, List<Checkpoint> partitions, Callback<Void> persisted) {
        List<Checkpoint> before = byReporter.put(reporter, partitions);
        if (partitions.equals(before) && !writing && !changed && !failed) {
            persisted.succeed(null);
            return;
        }
        changed = true;
        waiting.add(persisted);
        write();
    }

    private void write() {
        if (writing || !changed) {
            return;
        }
        writing = true;
        changed = false;
        List<Callback<Void>> served = waiting;
        waiting = new ArrayList<>();
        List<Checkpoint> all = new ArrayList<>();
        byReporter.values().forEach(all::addAll);
        disk.run(
                DiskExecutor.Lane.BLOCKING,
                LogDirectory.writeCheckpoints(all),
                (done, failure) -> written(served, failure));
    }

    private void written(List<Callback<Void>> served, Failure failure) {
        writing = false;
        // The files then say less than we know: the next report must not pass for old news.
        failed = failure != null;
        served.forEach(each -> each.done(null, failure));
        write();
    }
}
