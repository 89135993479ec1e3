package storage;

import common.Mutations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one group of batches of one segment with one gathering write, zeroes behind it if there is to be room, makes the names that are missing, syncs if
 * asked. Returns the segment's handle: {@code file} itself, or one opened here that the receiver then owns.
 *
 * @param makeDirectory the partition has no directory yet: make it and its partition.metadata
 * @param sibling directory of another partition of the topic, or null
 * @param epochs content of leader-epoch-checkpoint to persist before the batches (rule I1), or null
 * @param path of the segment's file; null if {@code file} is given
 * @param file null: open {@code path}, made empty first if {@code makeFile}
 * @param before the segment before this one, to be cut to its batches before this one's name exists; or null
 * @param reserve the length that the file shall have at least, zeroes behind the batches; 0: as long as they are
 * @param position the good end of the batches in the file: where to write, and what to cut back to (rule S2)
 * @param olderFiles segment files before this one with content that is not synced yet; only with {@code sync}
 * @param syncNames the segment's name must be durable before this returns (rule S4); only with {@code sync}
 * @param syncDirectory so must partition.metadata and the directory's own name; only with {@code syncNames}
 */
record AppendJob(
        LogIdentity log,
        boolean makeDirectory,
        String sibling,
        ByteBuffer epochs,
        String path,
        FileHandle file,
        boolean makeFile,
        Uncut before,
        int reserve,
        ByteBuffer[] buffers,
        int count,
        int position,
        boolean sync,
        boolean syncNames,
        boolean syncDirectory,
        List<String> olderFiles,
        Mutations mutations)
        implements DiskJob<FileHandle> {

    private static final Logger LOG = LoggerFactory.getLogger(AppendJob.class);

    /** A segment file that may be longer than its batches, which take {@code size} bytes. */
    record Uncut(String path, int size) {

        /** Durable when this returns: zeroes are only ever at the end of a log's last segment. */
        void cut(FileSystem files) throws IOException {
            FileHandle file = files.open(path, FileSystem.Mode.READ_WRITE);
            try {
                if (file.size() > size) {
                    file.truncate(size);
                    file.sync();
                }
            } finally {
                file.release();
            }
        }
    }

    @Override
    public FileHandle run(FileSystem files) throws IOException {
        if (makeDirectory) {
            PartitionFiles.makeDirectory(files, log, sibling, sync);
        }
        if (epochs != null) {
            PartitionFiles.replace(files, log.directory() + '/' + LeaderEpochCache.FILE_NAME, epochs, sync);
        }
        if (before != null && !mutations.active("uncut-roll")) {
            before.cut(files);
        }
        FileHandle target = file != null ? file : openTarget(files);
        boolean done = false;
        try {
            writeOrCutBack(files, target);
            done = true;
            return target;
        } finally {
            if (!done && target != file) {
                target.release();
            }
        }
    }

    private FileHandle openTarget(FileSystem files) throws IOException {
        FileHandle opened = files.open(path, makeFile ? FileSystem.Mode.CREATE : FileSystem.Mode.READ_WRITE);
        boolean ready = false;
        try {
            if (makeFile && opened.size() > 0) {
                opened.truncate(0);
            }
            ready = true;
            return opened;
        } finally {
            if (!ready) {
                opened.release();
            }
        }
    }

    /** Rule S2: whatever part of a failed write is in the file goes; if that fails too, nothing more may be written in this directory. */
    private void writeOrCutBack(FileSystem files, FileHandle target) throws IOException {
        try {
            target.write(buffers, count, position);
            if (reserve > 0) {
                makeRoom(target);
            }
            if (sync) {
                makeDurable(files, target);
            }
        } catch (SyncFailedException failed) {
            throw failed;
        } catch (IOException failed) {
            try {
                target.truncate(position);
            } catch (IOException alsoFailed) {
                failed.addSuppressed(alsoFailed);
                throw new SyncFailedException(
                        "could not cut " + target.path() + " back to " + position + " bytes after a failed write",
                        failed);
            }
            throw failed;
        }
    }

    /** The group's own sync covers the zeroes. A disk too full for them may still take the batches. */
    private void makeRoom(FileHandle target) throws IOException {
        long end = target.size();
        try {
            target.preallocate(reserve);
        } catch (DiskFullException full) {
            LOG.debug("{}: no room in advance: {}", target.path(), full.getMessage());
            target.truncate(end);
        }
    }

    /** Rules S3, S4. */
    private void makeDurable(FileSystem files, FileHandle target) throws IOException {
        for (String older : olderFiles) {
            PartitionFiles.sync(files, older);
        }
        try {
            target.sync();
        } catch (SyncFailedException failed) {
            if (!mutations.active("retried-fsync")) {
                throw failed;
            }
            LOG.warn("mutation retried-fsync: {}", target.path());
            target.sync();
        }
        if (syncNames && !mutations.active("no-directory-fsync")) {
            if (syncDirectory) {
                PartitionFiles.sync(files, log.directory() + '/' + PartitionMetadataFile.FILE_NAME);
            }
            files.syncDirectory(log.directory());
            if (syncDirectory) {
                files.syncDirectory("");
            }
        }
    }
}
