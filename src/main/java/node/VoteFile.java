package node;

import common.Callback;
import common.FailureCode;
import java.nio.ByteBuffer;
import raft.VoteState;
import storage.AtomicFile;
import storage.DiskExecutor;
import storage.DiskJob;

/** The vote of this node's replica on its disk (rule R1): replaced whole, durable, one write at a time. On the controller's owner. */
final class VoteFile {
    static final String PATH = LogDirectories.METADATA_DIRECTORY + "/" + VoteState.FILE_NAME;

    private static final String RESTORE =
            "Restore it from a copy of the log directory; without it this node could vote twice in one epoch";

    private final DiskExecutor disk;
    private Then then;

    /** What else must be done before a write counts. */
    interface Then {
        void run(Callback<Void> done);
    }

    VoteFile(DiskExecutor disk) {
        this.disk = disk;
    }

    /** What the vote file holds; state null when there is none. */
    private record Found(VoteState state, String unreadable) {}

    /** Gives null when there is no vote file. Fails when it cannot be trusted. */
    void read(Callback<VoteState> done) {
        disk.run(DiskExecutor.Lane.BLOCKING, find(), (found, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else if (found.unreadable != null) {
                done.fail(FailureCode.INTERNAL, "the vote file " + PATH + " cannot be trusted: " + found.unreadable);
            } else {
                done.succeed(found.state);
            }
        });
    }

    private static DiskJob<Found> find() {
        return files -> {
            if (!files.exists(PATH)) {
                return new Found(null, null);
            }
            ByteBuffer content = AtomicFile.read(files, PATH, 4096);
            if (content == null) {
                return new Found(null, "it is larger than any vote file. " + RESTORE);
            }
            if (content.hasRemaining() && content.get(content.position()) == '{') {
                return new Found(
                        null,
                        "it is one of Apache Kafka, whose metadata Highwater does not take over. Give this node a log"
                                + " directory of its own, and copy the records with a client");
            }
            try {
                return new Found(VoteState.decode(content), null);
            } catch (VoteState.UnreadableException e) {
                return new Found(null, e.getMessage() + ". " + RESTORE);
            }
        };
    }

    /** The next write counts as done only when {@code action} is, too. */
    void afterNextWrite(Then action) {
        then = action;
    }

    void write(VoteState state, Callback<Void> done) {
        disk.run(DiskExecutor.Lane.BLOCKING, writing(state), (written, failure) -> {
            if (failure != null) {
                done.fail(failure.code(), "the vote file " + PATH + " cannot be written: " + failure.message());
            } else if (then != null) {
                then.run((none, unfinished) -> {
                    then = unfinished == null ? null : then;
                    done.done(none, unfinished);
                });
            } else {
                done.succeed(null);
            }
        });
    }

    private static DiskJob<Void> writing(VoteState state) {
        return files -> {
            if (!files.exists(LogDirectories.METADATA_DIRECTORY)) {
                files.createDirectory(LogDirectories.METADATA_DIRECTORY);
            }
            // Also when it is there: a process killed before this line left a name that only the page cache has (rule
            // S4).
            files.syncDirectory("");
            AtomicFile.replace(files, PATH, state.encode());
            return null;
        };
    }
}
