package storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Blocking steps on the files of a partition's directory that several jobs share. */
final class PartitionFiles {

    private static final int MAX_METADATA = 1 << 16;

    private PartitionFiles() {}

    /**
     * Makes the partition's directory and partition.metadata, unless they are there. {@code durable}: content synced; the caller syncs the directories.
     *
     * @param sibling another partition of the topic whose partition.metadata may be linked, or null
     */
    static void makeDirectory(FileSystem files, LogIdentity log, String sibling, boolean durable) throws IOException {
        String path = metadata(log.directory());
        if (!files.isDirectory(log.directory())) {
            files.createDirectory(log.directory());
        } else {
            requireSameTopic(files, log);
        }
        if (sibling != null && files.link(metadata(sibling), path)) {
            return;
        }
        if (!files.exists(path)) {
            replace(files, path, PartitionMetadataFile.image(log.topicId()), durable);
        }
    }

    /** Rule C7: an earlier topic of this name may not be renamed yet; nothing of the new one may get into its directory. */
    private static void requireSameTopic(FileSystem files, LogIdentity log) throws IOException {
        String other = otherTopic(files, log);
        if (other != null) {
            throw new IOException("directory " + log.directory() + " still holds topic id " + other
                    + ", whose deletion is under way");
        }
    }

    /** The id of the topic that the partition's directory belongs to, if that is another one; else, or if nothing says it, null. */
    static String otherTopic(FileSystem files, LogIdentity log) throws IOException {
        ByteBuffer content = AtomicFile.read(files, metadata(log.directory()), MAX_METADATA);
        if (content == null) {
            return null;
        }
        PartitionMetadataFile.Loaded known = PartitionMetadataFile.load(content);
        return known.failure() == null && !known.topicId().equals(log.topicId()) ? known.topicId() : null;
    }

    private static String metadata(String directory) {
        return directory + '/' + PartitionMetadataFile.FILE_NAME;
    }

    /** Replaces a small file by way of a temporary one (rule S4); without {@code durable} nothing is synced: safe against a crash of the process only. */
    static void replace(FileSystem files, String path, ByteBuffer content, boolean durable) throws IOException {
        if (durable) {
            AtomicFile.replace(files, path, content);
            return;
        }
        String temporary = path + ".tmp";
        FileHandle file = files.open(temporary, FileSystem.Mode.CREATE);
        try {
            if (file.size() > 0) {
                file.truncate(0);
            }
            file.write(new ByteBuffer[] {content.duplicate()}, 1, 0);
        } finally {
            file.release();
        }
        files.rename(temporary, path);
    }

    /** Makes a file's content durable; no error if it is gone. */
    static void sync(FileSystem files, String path) throws IOException {
        if (!files.exists(path)) {
            return;
        }
        FileHandle file = files.open(path, FileSystem.Mode.READ_WRITE);
        try {
            file.sync();
        } finally {
            file.release();
        }
    }

    /** Writes entries into an index file and cuts it behind them; without entries only if {@code force}: then there is a file at least. */
    static void writeIndex(
            FileSystem files,
            String path,
            int firstEntry,
            int entryBytes,
            ByteBuffer entries,
            boolean force,
            boolean durable)
            throws IOException {
        if (!entries.hasRemaining() && !force) {
            return;
        }
        FileHandle file = files.open(path, FileSystem.Mode.CREATE);
        try {
            long start = (long) firstEntry * entryBytes;
            long end = start + entries.remaining();
            if (entries.hasRemaining()) {
                file.write(new ByteBuffer[] {entries.duplicate()}, 1, start);
            }
            if (file.size() > end) {
                file.truncate(end);
            }
            if (durable) {
                file.sync();
            }
        } finally {
            file.release();
        }
    }

    /** Fills {@code target} from {@code position}; returns how many bytes there were. */
    static int readFully(FileHandle file, ByteBuffer target, long position) throws IOException {
        int total = 0;
        while (target.hasRemaining()) {
            int got = file.read(target, position + total);
            if (got <= 0) {
                break;
            }
            total += got;
        }
        return total;
    }
}
