package sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import storage.DiskFullException;
import storage.FileHandle;
import storage.FileSystem.Mode;
import storage.SyncFailedException;

/** What the simulated disk keeps and loses. */
class SimDiskTest {
    private final SimRandom random = new SimRandom(4711);
    private SimDisk disk = new SimDisk(random);
    private SimLife life;
    private SimFileSystem files;

    SimDiskTest() {
        boot();
    }

    private void boot() {
        life = new SimLife("test");
        files = new SimFileSystem(disk, life, new SimClock(new SimScheduler(random)));
    }

    private void powerCut() {
        life.end();
        disk.powerCut();
        boot();
    }

    private void fresh(int round) {
        disk = new SimDisk(new SimRandom(round));
        boot();
    }

    private static void write(FileHandle file, int position, byte[] bytes) throws IOException {
        file.write(new ByteBuffer[] {ByteBuffer.wrap(bytes)}, 1, position);
    }

    private static byte[] filled(int length, int with) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    @Test
    void syncedContentUnderASyncedNameSurvivesAPowerCut() throws IOException {
        for (int round = 0; round < 50; round++) {
            fresh(round);
            FileHandle file = files.open("a", Mode.CREATE_NEW);
            write(file, 0, filled(10_000, 7));
            file.sync();
            files.syncDirectory("");
            powerCut();
            assertArrayEquals(filled(10_000, 7), disk.content("a"));
        }
    }

    @Test
    void aNameWithoutASyncOfItsDirectoryMayVanishThoughTheContentWasSynced() throws IOException {
        TreeSet<Boolean> seen = new TreeSet<>();
        for (int round = 0; round < 50; round++) {
            fresh(round);
            FileHandle file = files.open("a", Mode.CREATE_NEW);
            write(file, 0, filled(10, 7));
            file.sync();
            powerCut();
            seen.add(files.exists("a"));
        }
        assertEquals(2, seen.size());
    }

    @Test
    void everythingInADirectoryGoesWithItsUnsyncedName() throws IOException {
        TreeSet<Boolean> seen = new TreeSet<>();
        for (int round = 0; round < 50; round++) {
            fresh(round);
            files.createDirectory("d");
            files.open("d/a", Mode.CREATE_NEW).release();
            files.syncDirectory("d");
            powerCut();
            seen.add(files.exists("d/a"));
        }
        assertEquals(2, seen.size());
    }

    @Test
    void unsyncedPiecesAreKeptDroppedOrTornEachOnItsOwn() throws IOException {
        boolean torn = false;
        TreeSet<String> patterns = new TreeSet<>();
        TreeSet<Integer> lengths = new TreeSet<>();
        for (int round = 0; round < 200; round++) {
            fresh(round);
            FileHandle file = files.open("a", Mode.CREATE_NEW);
            write(file, 0, filled(3 * 4096, 1));
            file.sync();
            files.syncDirectory("");
            write(file, 0, filled(3 * 4096, 2));
            write(file, 3 * 4096, filled(100, 3));
            powerCut();
            byte[] content = disk.content("a");
            lengths.add(content.length);
            StringBuilder pattern = new StringBuilder();
            for (int piece = 0; piece < 3; piece++) {
                byte first = content[piece * 4096];
                byte last = content[piece * 4096 + 4095];
                torn |= first == 2 && last == 1;
                pattern.append(first);
            }
            patterns.add(pattern.toString());
        }
        assertTrue(torn);
        assertEquals(8, patterns.size(), patterns.toString());
        assertEquals(List.of(3 * 4096, 3 * 4096 + 100), List.copyOf(lengths));
    }

    @Test
    void lengthMaySurviveWithoutItsData() throws IOException {
        boolean zeroTail = false;
        for (int round = 0; round < 100; round++) {
            fresh(round);
            FileHandle file = files.open("a", Mode.CREATE_NEW);
            file.sync();
            files.syncDirectory("");
            write(file, 0, filled(100, 9));
            powerCut();
            byte[] content = disk.content("a");
            zeroTail |= content.length == 100 && content[0] == 0;
        }
        assertTrue(zeroTail);
    }

    @Test
    void aKillLosesNothingWritten() throws IOException {
        files.createDirectory("d");
        write(files.open("d/a", Mode.CREATE_NEW), 0, filled(5000, 4));
        life.end();
        disk.kill();
        boot();
        assertArrayEquals(filled(5000, 4), disk.content("d/a"));
    }

    @Test
    void aRenameIsOldOrNewNeverNeither() throws IOException {
        TreeSet<String> seen = new TreeSet<>();
        for (int round = 0; round < 100; round++) {
            fresh(round);
            disk.put("f", filled(1, 1));
            disk.put("f.tmp", filled(1, 2));
            files.rename("f.tmp", "f");
            powerCut();
            byte content = disk.content("f")[0];
            assertEquals(content == 1, files.exists("f.tmp"));
            seen.add("" + content);
        }
        assertEquals(2, seen.size());
    }

    @Test
    void aDeletedNameMayComeBackUntilSynced() throws IOException {
        TreeSet<Boolean> seen = new TreeSet<>();
        for (int round = 0; round < 50; round++) {
            fresh(round);
            disk.put("f", filled(1, 1));
            files.delete("f");
            assertFalse(files.exists("f"));
            powerCut();
            seen.add(files.exists("f"));
        }
        assertEquals(2, seen.size());
        files.delete("f");
        files.syncDirectory("");
        powerCut();
        assertFalse(files.exists("f"));
    }

    @Test
    void aFailedSyncLosesItsPagesThoughALaterOneSucceeds() throws IOException {
        FileHandle file = files.open("a", Mode.CREATE_NEW);
        file.sync();
        files.syncDirectory("");
        write(file, 0, filled(4096, 5));
        disk.faults(DiskFaults.nth(DiskFaults.Operation.SYNC, "a", 1, DiskFaults.Fault.ERROR));
        assertThrows(SyncFailedException.class, file::sync);
        write(file, 4096, filled(10, 6));
        file.sync();
        ByteBuffer read = ByteBuffer.allocate(1);
        file.read(read, 0);
        assertEquals(5, read.get(0), "the cache still shows it");
        powerCut();
        byte[] content = disk.content("a");
        assertEquals(0, content[0], "the disk never got it");
        assertEquals(6, content[4096]);
    }

    @Test
    void aFullDiskTakesWhatFitsAndGoesOnWhenThereIsRoom() throws IOException {
        disk.capacity(1000);
        FileHandle file = files.open("a", Mode.CREATE_NEW);
        write(file, 0, filled(900, 1));
        assertThrows(DiskFullException.class, () -> write(file, 900, filled(200, 1)));
        assertEquals(1000, file.size());
        assertEquals(0, files.usableBytes());
        write(file, 0, filled(1000, 2));
        assertThrows(DiskFullException.class, () -> file.preallocate(1001));
        disk.capacity(2000);
        write(file, 1000, filled(200, 1));
        file.truncate(10);
        assertEquals(1990, files.usableBytes());
    }

    @Test
    void anErrorOnWriteMayLeaveAPart() throws IOException {
        FileHandle file = files.open("a", Mode.CREATE_NEW);
        disk.faults(DiskFaults.nth(DiskFaults.Operation.WRITE, "a", 1, DiskFaults.Fault.ERROR));
        assertThrows(IOException.class, () -> write(file, 0, filled(900, 1)));
        assertTrue(file.size() < 900);
    }

    @Test
    void crashesStopTheProcessAtTheOperation() throws IOException {
        FileHandle file = files.open("a", Mode.CREATE_NEW);
        disk.faults(DiskFaults.at(disk.operations(), DiskFaults.Fault.CRASH_AFTER));
        assertThrows(SimCrash.class, () -> write(file, 0, filled(100, 1)));
        assertFalse(life.alive());
        assertThrows(SimCrash.class, () -> file.size());
        assertThrows(SimCrash.class, () -> files.exists("a"));
        assertEquals(100, disk.content("a").length);
    }

    @Test
    void rotHitsDiskAndCache() throws IOException {
        disk.put("a", filled(10, 0));
        disk.rot("a", 3, 2);
        assertEquals(4, disk.content("a")[3]);
        powerCut();
        assertEquals(4, disk.content("a")[3]);
    }

    @Test
    void aHandleOutlivesItsNameAndIsCounted() throws IOException {
        FileHandle file = files.open("a", Mode.CREATE_NEW);
        write(file, 0, filled(10, 1));
        assertTrue(file.retain());
        files.delete("a");
        file.release();
        assertEquals(10, file.read(ByteBuffer.allocate(20), 0));
        assertEquals(-1, file.read(ByteBuffer.allocate(20), 10));
        file.release();
        assertFalse(file.retain());
        assertEquals(0, disk.openHandles());
        assertThrows(IOException.class, () -> file.read(ByteBuffer.allocate(20), 0));
    }

    @Test
    void aCopyIsApart() throws IOException {
        FileHandle file = files.open("a", Mode.CREATE_NEW);
        write(file, 0, filled(10, 1));
        SimDisk copy = disk.copy(new SimRandom(1));
        write(file, 0, filled(10, 2));
        assertArrayEquals(filled(10, 1), copy.content("a"));
        copy.powerCut();
        assertArrayEquals(filled(10, 2), disk.content("a"));
    }
}
