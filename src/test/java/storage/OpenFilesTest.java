package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import sim.SimHost;

class OpenFilesTest {
    private static final int CAPACITY = 4;

    private final SimHost host = new SimHost(1);
    private final OpenFiles open = new OpenFiles(CAPACITY);

    private Segment opened(int number) throws java.io.IOException {
        Segment segment = new Segment(number, 0);
        adopt(segment);
        return segment;
    }

    private void adopt(Segment segment) throws java.io.IOException {
        open.adopt(segment, host.files().open(segment.baseOffset + ".log", FileSystem.Mode.CREATE));
    }

    private boolean uses(Segment segment) {
        FileHandle handle = open.retained(segment);
        if (handle != null) {
            handle.release();
        }
        return handle != null;
    }

    @Test
    void whatIsUsedStaysOpen() throws java.io.IOException {
        Segment busy = opened(0);
        for (int i = 1; i < 50; i++) {
            opened(i);
            assertTrue(uses(busy), "closed after " + i + " others were opened");
            assertTrue(open.size() <= CAPACITY);
        }
        assertEquals(CAPACITY, host.disk().openHandles());
    }

    @Test
    void allInUseStillLeavesRoomForOneMore() throws java.io.IOException {
        List<Segment> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(opened(i));
            all.forEach(this::uses);
        }
        assertEquals(CAPACITY, open.size());
        assertEquals(CAPACITY, all.stream().filter(this::uses).count());
        assertTrue(uses(all.get(19)), "the one that was opened last");
    }

    @Test
    void aClosedFileStaysForWhoUsesIt() throws java.io.IOException {
        Segment segment = opened(0);
        FileHandle handle = open.retained(segment);
        assertNotNull(handle);
        open.drop(segment);
        assertNull(open.retained(segment));
        assertEquals(1, host.disk().openHandles());
        handle.release();
        assertEquals(0, host.disk().openHandles());
    }

    /** Whatever comes and goes: as many handles are open as are counted, never more than there may be. */
    @Test
    void handlesAreNeitherLostNorReleasedTwice() throws java.io.IOException {
        long seed = 77_001;
        SplittableRandom random = new SplittableRandom(seed);
        List<Segment> segments = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            segments.add(new Segment(i, 0));
        }
        for (int step = 0; step < 5_000; step++) {
            Segment one = segments.get(random.nextInt(segments.size()));
            switch (random.nextInt(4)) {
                case 0 -> open.drop(one);
                case 1 -> adopt(one);
                default -> uses(one);
            }
            String when = "seed " + seed + " step " + step;
            assertTrue(open.size() <= CAPACITY, when);
            assertEquals(open.size(), host.disk().openHandles(), when);
            assertEquals(
                    open.size(),
                    segments.stream().filter(s -> s.openFile != null).count(),
                    when);
        }
        segments.forEach(open::drop);
        assertEquals(0, host.disk().openHandles());
    }
}
