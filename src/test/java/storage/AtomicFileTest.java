package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sim.DiskFaults;
import sim.SimClock;
import sim.SimCrash;
import sim.SimDisk;
import sim.SimFileSystem;
import sim.SimLife;
import sim.SimRandom;
import sim.SimScheduler;

/** Rule S4 for small files: whatever happens, the old or the new content, whole. */
class AtomicFileTest {

    private static final String PATH = "t-0/leader-epoch-checkpoint";

    private final SimRandom random = new SimRandom(99);

    private SimFileSystem boot(SimDisk disk) {
        return new SimFileSystem(disk, new SimLife("test"), new SimClock(new SimScheduler(random)));
    }

    private static ByteBuffer filled(int length, int with) {
        ByteBuffer content = ByteBuffer.allocate(length);
        while (content.hasRemaining()) {
            content.put((byte) with);
        }
        return content.flip();
    }

    @Test
    void aCrashAtAnyOperationLeavesOneOfTheTwo() throws IOException {
        ByteBuffer old = filled(9_000, 'a');
        ByteBuffer next = filled(6_000, 'b');
        List<String> seen = new ArrayList<>();
        for (DiskFaults.Fault fault : DiskFaults.Fault.values()) {
            for (int operation = 0; operation < 8; operation++) {
                for (int seed = 0; seed < 20; seed++) {
                    SimDisk disk = new SimDisk(new SimRandom(seed));
                    SimFileSystem files = boot(disk);
                    files.createDirectory("t-0");
                    files.syncDirectory("");
                    AtomicFile.replace(files, PATH, old);
                    disk.faults(DiskFaults.at(disk.operations() + operation, fault));
                    boolean done = replace(boot(disk), next);
                    disk.faults(DiskFaults.NONE);
                    disk.powerCut();
                    ByteBuffer after = AtomicFile.read(boot(disk), PATH, 10_000);
                    assertTrue(
                            after.equals(next) || (!done && after.equals(old)),
                            fault + " at " + operation + " seed " + seed);
                    seen.add(done + " " + after.equals(next));
                }
            }
        }
        assertTrue(
                seen.contains("false false") && seen.contains("false true") && seen.contains("true true"),
                "" + seen.size());
    }

    private static boolean replace(SimFileSystem files, ByteBuffer content) {
        try {
            AtomicFile.replace(files, PATH, content);
            return true;
        } catch (IOException | SimCrash e) {
            return false;
        }
    }

    @Test
    void readIsBoundedAndMissingIsNull() throws IOException {
        SimFileSystem files = boot(new SimDisk(random));
        assertNull(AtomicFile.read(files, "none", 10));
        AtomicFile.replace(files, "eleven", filled(11, 1));
        assertNull(AtomicFile.read(files, "eleven", 10));
        assertEquals(filled(11, 1), AtomicFile.read(files, "eleven", 11));
    }
}
