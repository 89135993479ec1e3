package storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Small files that are replaced whole (rules S4, S5). Blocking: only inside a {@link DiskJob}. */
public final class AtomicFile {

    private static final String TEMPORARY_SUFFIX = ".tmp";

    private AtomicFile() {}

    /**
     * Replaces {@code path} by {@code content} (position to limit) so that after a crash it holds the old or the new content, whole: temporary file in
     * the same directory, sync, rename, sync of the directory. Durable on return.
     */
    public static void replace(FileSystem files, String path, ByteBuffer content) throws IOException {
        replaceUnsynced(files, path, content);
        files.syncDirectory(directoryOf(path));
    }

    /** As {@link #replace}, without the sync of the directory: for a caller that replaces several files there and syncs it once. */
    public static void replaceUnsynced(FileSystem files, String path, ByteBuffer content) throws IOException {
        String temporary = path + TEMPORARY_SUFFIX;
        FileHandle file = files.open(temporary, FileSystem.Mode.CREATE);
        try {
            file.truncate(0);
            file.write(new ByteBuffer[] {content.duplicate()}, 1, 0);
            file.sync();
        } finally {
            file.release();
        }
        files.rename(temporary, path);
    }

    /** The whole content of a file; null if there is none, or if it is larger than {@code maxBytes}. */
    public static ByteBuffer read(FileSystem files, String path, int maxBytes) throws IOException {
        if (!files.exists(path)) {
            return null;
        }
        FileHandle file = files.open(path, FileSystem.Mode.READ);
        try {
            long size = file.size();
            if (size > maxBytes) {
                return null;
            }
            ByteBuffer content = ByteBuffer.allocate((int) size);
            boolean more = true;
            while (more && content.hasRemaining()) {
                more = file.read(content, content.position()) > 0;
            }
            return content.flip();
        } finally {
            file.release();
        }
    }

    private static String directoryOf(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }
}
