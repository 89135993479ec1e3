package storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import storage.FileSystem.Mode;

/** What storage/ may rely on, whoever implements {@link FileSystem}: run against the real one and against the simulator's, so that the two cannot drift apart. */
public abstract class FileSystemContract {

    /** An empty log directory; the same one during a test. */
    protected abstract FileSystem files() throws IOException;

    @Test
    void openModes() throws IOException {
        assertThrows(NoSuchFileException.class, () -> files().open("a", Mode.READ));
        assertThrows(NoSuchFileException.class, () -> files().open("a", Mode.READ_WRITE));
        assertFalse(files().exists("a"));
        files().open("a", Mode.CREATE_NEW).release();
        assertTrue(files().exists("a"));
        assertThrows(FileAlreadyExistsException.class, () -> files().open("a", Mode.CREATE_NEW));
        FileHandle again = files().open("a", Mode.CREATE);
        write(again, 0, "kept");
        again.release();
        FileHandle opened = files().open("a", Mode.CREATE);
        assertEquals(4, opened.size(), "CREATE must keep the content of a file that exists");
        opened.release();
        assertThrows(NoSuchFileException.class, () -> files().open("no/such", Mode.CREATE));
    }

    @Test
    void aReadOnlyHandleRefusesWrites() throws IOException {
        files().open("a", Mode.CREATE).release();
        FileHandle file = files().open("a", Mode.READ);
        assertThrows(Exception.class, () -> write(file, 0, "x"));
        assertEquals(0, file.size());
        file.release();
    }

    @Test
    void gathersManyBuffersInOrder() throws IOException {
        FileHandle file = files().open("a", Mode.CREATE_NEW);
        for (int count : new int[] {0, 1, 2, 1023, 1024, 1025, 3000}) {
            long position = file.size();
            ByteBuffer[] sources = new ByteBuffer[count + 1];
            byte[] expected = new byte[count * 3];
            for (int index = 0; index < count; index++) {
                byte[] three = {(byte) index, (byte) (index >> 8), (byte) count};
                System.arraycopy(three, 0, expected, index * 3, 3);
                sources[index] = index % 2 == 0
                        ? ByteBuffer.wrap(three)
                        : ByteBuffer.allocateDirect(3).put(three).flip();
            }
            sources[count] = ByteBuffer.wrap(new byte[] {99});
            file.write(sources, count, position);
            assertEquals(position + expected.length, file.size());
            assertArrayEquals(expected, read(file, position, expected.length));
            assertEquals(1, sources[count].remaining(), "buffers beyond the count are not ours to write");
        }
        file.release();
    }

    @Test
    void gatheringWritesGoWhereTheyAreTold() throws IOException {
        FileHandle file = files().open("a", Mode.CREATE_NEW);
        gather(file, 0, "aaa", "bbb");
        gather(file, 6, "ccc", "ddd");
        gather(file, 2, "X", "Y");
        gather(file, 12, "e", "f");
        file.truncate(13);
        gather(file, 13, "g", "", "h");
        assertEquals("aaXYbbcccdddegh", new String(read(file, 0, 15), StandardCharsets.UTF_8));
        file.release();
    }

    @Test
    void readsArePositionalAndEnd() throws IOException {
        FileHandle file = files().open("a", Mode.CREATE_NEW);
        write(file, 0, "0123456789");
        assertEquals("567", new String(read(file, 5, 3), StandardCharsets.UTF_8));
        ByteBuffer target = ByteBuffer.allocate(8);
        int read = file.read(target, 7);
        assertEquals(3, read);
        assertEquals(-1, file.read(ByteBuffer.allocate(1), 10));
        assertEquals(-1, file.read(ByteBuffer.allocate(1), 1000));
        file.release();
    }

    @Test
    void aWriteBeyondTheEndLeavesZeroes() throws IOException {
        FileHandle file = files().open("a", Mode.CREATE_NEW);
        write(file, 5, "x");
        assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 'x'}, read(file, 0, 6));
        file.release();
    }

    @Test
    void truncateShortensOnly() throws IOException {
        FileHandle file = files().open("a", Mode.CREATE_NEW);
        write(file, 0, "0123456789");
        file.truncate(4);
        assertEquals(4, file.size());
        assertEquals(4, files().size("a"));
        file.truncate(100);
        assertEquals(4, file.size());
        file.release();
    }

    @Test
    void preallocateAddsZeroesAndKeepsContent() throws IOException {
        FileHandle file = files().open("a", Mode.CREATE_NEW);
        write(file, 0, "abc");
        file.preallocate(200_000);
        assertEquals(200_000, file.size());
        byte[] expected = new byte[200_000];
        System.arraycopy("abc".getBytes(StandardCharsets.UTF_8), 0, expected, 0, 3);
        assertArrayEquals(expected, read(file, 0, 200_000));
        file.preallocate(10);
        assertEquals(200_000, file.size());
        file.release();
    }

    @Test
    void handlesAreCountedAndOutliveTheName() throws IOException {
        FileHandle file = files().open("a", Mode.CREATE_NEW);
        write(file, 0, "abc");
        assertTrue(file.retain());
        file.release();
        files().rename("a", "a.deleted");
        assertEquals("abc", new String(read(file, 0, 3), StandardCharsets.UTF_8));
        files().delete("a.deleted");
        assertEquals("abc", new String(read(file, 0, 3), StandardCharsets.UTF_8));
        file.release();
        assertFalse(file.retain(), "closed after the last release");
        assertThrows(IOException.class, () -> file.read(ByteBuffer.allocate(1), 0));
        assertThrows(RuntimeException.class, file::release);
    }

    @Test
    void directories() throws IOException {
        assertFalse(files().isDirectory("t-0"));
        files().createDirectory("t-0");
        assertTrue(files().isDirectory("t-0"));
        assertTrue(files().isDirectory(""));
        assertThrows(FileAlreadyExistsException.class, () -> files().createDirectory("t-0"));
        assertThrows(IOException.class, () -> files().createDirectory("x/y"));
        files().open("t-0/b", Mode.CREATE_NEW).release();
        files().open("t-0/a", Mode.CREATE_NEW).release();
        files().createDirectory("t-0/c");
        files().open("Z", Mode.CREATE_NEW).release();
        assertEquals(List.of("a", "b", "c"), files().list("t-0"));
        assertEquals(List.of("Z", "t-0"), files().list(""));
        assertThrows(IOException.class, () -> files().list("no"));
        assertThrows(IOException.class, () -> files().list("Z"));
        assertThrows(DirectoryNotEmptyException.class, () -> files().delete("t-0"));
        for (String name : List.of("a", "b", "c")) {
            files().delete("t-0/" + name);
        }
        files().syncDirectory("t-0");
        files().delete("t-0");
        files().delete("t-0");
        assertFalse(files().exists("t-0"));
        files().syncDirectory("");
    }

    @Test
    void renameReplacesFilesAndMovesDirectories() throws IOException {
        FileHandle made = files().open("new", Mode.CREATE_NEW);
        write(made, 0, "new");
        made.release();
        files().open("old", Mode.CREATE_NEW).release();
        files().rename("new", "old");
        assertFalse(files().exists("new"));
        assertEquals(3, files().size("old"));
        files().createDirectory("d");
        files().rename("old", "d/f");
        files().rename("d", "e");
        assertEquals(List.of("f"), files().list("e"));
        assertThrows(NoSuchFileException.class, () -> files().rename("missing", "x"));
    }

    @Test
    void sizesAndTimes() throws IOException {
        assertThrows(NoSuchFileException.class, () -> files().size("a"));
        FileHandle file = files().open("a", Mode.CREATE_NEW);
        write(file, 0, "abc");
        file.sync();
        assertEquals(3, files().size("a"));
        assertTrue(files().lastModifiedMillis("a") >= 0);
        assertTrue(files().usableBytes() > 0);
        assertTrue(files().totalBytes() >= files().usableBytes());
        file.release();
    }

    @Test
    void aLockIsExclusive() throws IOException {
        assertTrue(files().tryLock(".lock"));
        assertTrue(files().exists(".lock"));
        assertFalse(files().tryLock(".lock"), "the same directory named twice");
    }

    protected static void write(FileHandle file, long position, String text) throws IOException {
        file.write(new ByteBuffer[] {ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))}, 1, position);
    }

    private static void gather(FileHandle file, long position, String... texts) throws IOException {
        ByteBuffer[] sources = Arrays.stream(texts)
                .map(text -> ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)))
                .toArray(ByteBuffer[]::new);
        file.write(sources, sources.length, position);
    }

    protected static byte[] read(FileHandle file, long position, int length) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(length);
        while (target.hasRemaining() && file.read(target, position + target.position()) >= 0) {}
        return Arrays.copyOf(target.array(), target.position());
    }
}
