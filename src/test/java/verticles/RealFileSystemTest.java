package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import storage.DiskFullException;
import storage.FileHandle;
import storage.FileSystem;
import storage.FileSystem.Mode;
import storage.FileSystemContract;
import storage.SyncFailedException;

class RealFileSystemTest extends FileSystemContract {
    @TempDir
    Path directory;

    private RealFileSystem files;

    @Override
    protected FileSystem files() {
        if (files == null) {
            files = new RealFileSystem(directory);
        }
        return files;
    }

    @AfterEach
    void close() throws IOException {
        files().exists("");
        files.close();
    }

    @Test
    void pathsStayInside() throws IOException {
        for (String path : List.of("..", "../x", "/etc", "a/../../x", "a/..")) {
            assertThrows(IllegalArgumentException.class, () -> files().exists(path), path);
        }
        files().createDirectory("a..b-0");
        assertTrue(files().exists("a..b-0"), "a legal topic name");
    }

    /** Rule S3: a sync that failed once is never tried again, not even of another file. */
    @Test
    void afterAFailedSyncNothingIsSynced() throws IOException {
        SyncGuard guard = new SyncGuard();
        List<String> synced = new ArrayList<>();
        guard.sync("a", () -> synced.add("a"));
        IOException eio = new IOException("Input/output error");
        assertThrows(
                SyncFailedException.class,
                () -> guard.sync("b", () -> {
                    throw eio;
                }));
        SyncFailedException refused =
                assertThrows(SyncFailedException.class, () -> guard.sync("c", () -> synced.add("c")));
        assertEquals(eio, refused.getCause());
        assertEquals(List.of("a"), synced);
    }

    @Test
    void aFullDiskIsToldApart() throws IOException {
        assumeTrue(Files.exists(Path.of("/dev/full")));
        Files.createSymbolicLink(directory.resolve("full"), Path.of("/dev/full"));
        FileHandle file = files().open("full", Mode.READ_WRITE);
        assertThrows(DiskFullException.class, () -> write(file, 0, "x"));
        file.release();
        assertInstanceOf(
                DiskFullException.class, IoFailures.named("write", "a", new IOException("Disk quota exceeded")));
        assertFalse(IoFailures.named("write", "a", new IOException("Input/output error")) instanceof DiskFullException);
    }

    @Test
    void syncOfAMissingDirectoryFails() {
        assertThrows(SyncFailedException.class, () -> files().syncDirectory("missing"));
    }

    @Test
    void errorsNameTheFile() throws IOException {
        NoSuchFileException missing = assertThrows(NoSuchFileException.class, () -> files().open("no-such", Mode.READ));
        assertTrue(missing.getMessage().contains("no-such"));
        Path gone = directory.resolve("gone");
        try (RealFileSystem none = new RealFileSystem(gone)) {
            NoSuchFileException all = assertThrows(NoSuchFileException.class, () -> none.list(""));
            assertEquals(gone.toString(), all.getMessage());
        }
    }
}
