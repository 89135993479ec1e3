package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import sim.LoggedLines;

class OpenFileShareTest {

    @Test
    void allOwnersTogetherKeepTheLimit() {
        for (int limit = 16; limit < 5_000; limit += 7) {
            for (int loops = 1; loops <= 16; loops++) {
                for (int directories = 1; directories <= 12; directories++) {
                    OpenFileShare share = OpenFileShare.of(limit, 1 << 20, loops, directories);
                    String what = share + " of " + limit + " for " + loops + " x " + directories;
                    assertTrue(share.ofOwner() >= 2, what);
                    assertTrue(share.raised() || share.ofOwner() * loops * directories <= limit, what);
                }
            }
        }
    }

    @Test
    void withoutALimitItIsHalfOfTheProcess() {
        assertEquals(512, OpenFileShare.of(-1, 1024, 1, 1).ofOwner());
        assertEquals(128, OpenFileShare.of(-1, 1024, 2, 2).ofOwner());
        assertEquals(16_384, OpenFileShare.of(-1, Integer.MAX_VALUE, 1, 1).ofOwner());
    }

    @Test
    void whereTheLimitCannotBeKeptThatIsTold() {
        try (LoggedLines told = new LoggedLines("node.OpenFileShare")) {
            OpenFileShare.of(16, 1 << 20, 4, 2).warnIfRaised();
            assertEquals(List.of(), told.lines());
            OpenFileShare.of(16, 1 << 20, 4, 3).warnIfRaised();
            assertEquals(
                    List.of(
                            "Segment files may take 16 open files, fewer than 2 for each event loop in each log directory"
                                    + " (12 of them): up to 24 are kept open. Raise log.max.open.files, or the process's limit of open files."),
                    told.lines());
        }
    }
}
