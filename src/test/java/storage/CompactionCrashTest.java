package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import records.Codec;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.QuietLogs;
import sim.SimCrash;
import storage.CompactionLab.Entry;

/**
 * Rules K5, S11: a scripted history that is cleaned three times, with a crash before, after and in the midst of each operation on the disk while it is, by kill and by
 * power cut; and another crash at each operation of the recovery that follows.
 */
@ExtendWith(QuietLogs.class)
final class CompactionCrashTest {

    /** One crash; {@code recoveryAt}: another one at this operation of the next start, -1 for none. */
    private record Case(boolean durable, long at, Fault fault, boolean power, int variant, long recoveryAt) {}

    @Test
    void aCrashAtAnyOperationLeavesTheOldOrTheNew() {
        for (boolean durable : new boolean[] {false, true}) {
            long operations = operations(durable);
            assertTrue(operations > 60, "the cleanings have only " + operations + " operations");
            for (long at = 0; at < operations; at++) {
                for (Fault fault : List.of(Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.CRASH_TORN)) {
                    run(new Case(durable, at, fault, false, 0, -1), Mutations.NONE);
                    for (int variant = 0; durable && variant < 3; variant++) {
                        run(new Case(true, at, fault, true, variant, -1), Mutations.NONE);
                    }
                }
            }
        }
    }

    @Test
    void aCrashInTheRecoveryDoesNeither() {
        long operations = operations(true);
        int second = 0;
        for (long at = 0; at < operations; at++) {
            for (boolean power : new boolean[] {false, true}) {
                boolean crashed = true;
                for (long again = 0; crashed; again++) {
                    crashed = run(new Case(true, at, Fault.CRASH_AFTER, power, (int) again, again), Mutations.NONE);
                    second += crashed ? 1 : 0;
                }
            }
        }
        assertTrue(second > 500, "only " + second + " recoveries crashed");
    }

    @Test
    void aSwapWithoutDirectorySyncIsFound() {
        Throwable found = firstBroken("swap-without-directory-fsync"::equals, 24);
        assertNotNull(found, "nothing was found");
    }

    @Test
    void aSwapThatIsDroppedAtTheStartIsFound() {
        assertNotNull(firstBroken("swap-dropped-at-start"::equals, 1), "nothing was found");
    }

    private static Throwable firstBroken(Mutations mutations, int variants) {
        long operations = operations(true);
        for (long at = 0; at < operations; at++) {
            for (int variant = 0; variant < variants; variant++) {
                try {
                    run(new Case(true, at, Fault.CRASH_AFTER, true, variant, -1), mutations);
                } catch (AssertionError e) {
                    return e;
                }
            }
        }
        return null;
    }

    /** Counts the operations of the cleanings, and lets the process crash at one of them. */
    private static final class Trap implements DiskFaults {
        private final long at;
        private final Fault fault;
        private boolean armed;
        private long count;

        Trap(long at, Fault fault) {
            this.at = at;
            this.fault = fault;
        }

        @Override
        public Fault next(Operation operation, String path, long number) {
            if (!armed || operation == Operation.READ) {
                return Fault.NONE;
            }
            return count++ == at ? fault : Fault.NONE;
        }
    }

    private static CompactionLab lab(boolean durable, Mutations mutations) {
        String[] settings = {
            "cleanup.policy", "compact", "delete.retention.ms", "5000", "flush.messages", durable ? "1" : "100000"
        };
        return new CompactionLab(5, LogBench.tiny(settings), List.of(Codec.NONE, Codec.LZ4), 6, mutations);
    }

    /** How many operations the cleanings have. */
    private static long operations(boolean durable) {
        Trap trap = new Trap(-1, Fault.NONE);
        script(lab(durable, Mutations.NONE), trap);
        return trap.count;
    }

    private static void script(CompactionLab lab, Trap trap) {
        lab.host().disk().faults(trap);
        for (int writes : new int[] {25, 14, 8}) {
            for (int i = 0; i < writes; i++) {
                lab.write();
            }
            lab.host().runFor(6_000);
            trap.armed = true;
            lab.clean();
            lab.bench.checkpoint();
            // Old files are unlinked.
            lab.host().runFor(3_000);
            if (!lab.host().life().alive()) {
                throw new SimCrash("the process crashed meanwhile");
            }
            trap.armed = false;
        }
    }

    /** Whether the recovery crashed too. */
    private static boolean run(Case each, Mutations mutations) {
        try {
            return crash(each, mutations);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(each + ": " + e, e);
        }
    }

    private static boolean crash(Case each, Mutations mutations) {
        CompactionLab lab = lab(each.durable, mutations);
        assertThrows(SimCrash.class, () -> script(lab, new Trap(each.at, each.fault)));
        long end = lab.log().logEndOffset();
        List<ActiveProducer> producers = lab.log().activeProducers();
        next(lab, each);
        boolean crashed = false;
        if (each.recoveryAt >= 0) {
            Trap again = new Trap(each.recoveryAt, Fault.CRASH_AFTER);
            again.armed = true;
            lab.host().disk().faults(again);
            try {
                lab.bench.open(mutations);
            } catch (SimCrash crash) {
                crashed = true;
                next(lab, each);
            }
        }
        lab.host().disk().faults(DiskFaults.NONE);
        if (crashed || each.recoveryAt < 0) {
            lab.bench.open(mutations);
        }
        judge(lab, end, producers);
        lab.host().runFor(100);
        lab.clean();
        judge(lab, end, producers);
        return crashed;
    }

    private static void next(CompactionLab lab, Case each) {
        lab.host().disk().faults(DiskFaults.NONE);
        for (int i = 0; i < each.variant; i++) {
            lab.host().disk().random().nextLong();
        }
        lab.bench.host = each.power ? lab.host().powerCut() : lab.host().kill();
    }

    private static void judge(CompactionLab lab, long end, List<ActiveProducer> producers) {
        assertNull(lab.log().damage());
        assertEquals(end, lab.log().logEndOffset(), "log end");
        lab.log().advanceHighWatermark(end);
        assertEquals(producers, lab.log().activeProducers(), "P4");
        Map<String, Entry> last = new LinkedHashMap<>();
        long before = -1;
        for (Entry each : lab.committed()) {
            assertTrue(each.offset() > before, "both old and new: " + each + " after " + before);
            before = each.offset();
            assertEquals(lab.valid.get(each.offset()), each);
            last.put(each.key(), each);
        }
        lab.latest(lab.log().lastStableOffset()).forEach((key, entry) -> {
            Entry there = last.get(key);
            boolean gone = there == null && entry.value() == null;
            assertTrue(gone || entry.equals(there), "neither old nor new: " + entry + ", got " + there);
        });
        for (String line : lab.host().disk().tree()) {
            assertFalse(line.contains(SegmentSwap.CLEANED + " ") || line.contains(SegmentSwap.SWAP + " "), line);
        }
    }
}
