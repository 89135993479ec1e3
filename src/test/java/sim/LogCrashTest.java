package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import java.util.List;
import org.apache.kafka.common.record.internal.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import sim.DiskFaults.Fault;
import sim.LogModel.Batch;

/**
 * Every crash that a scripted history of one log can meet: before, after and in the midst of each write, sync, rename, truncation and deletion, by kill and by
 * power cut, with memory acks and with durable acks; then again after the recovery.
 */
@ExtendWith(QuietLogs.class)
class LogCrashTest {
    private static final int POWER_CUTS = 2;

    @Test
    void memoryAcksSurviveKillsAndDurableOnesPowerCutsAtEveryOperation() {
        everyOperation(new Mode(false, false), new Mode(true, false), new Mode(true, true));
    }

    /** The same where segment files are longer than their batches: zeroes are only ever at the end of the last one, and cost nothing. */
    @Test
    void roomMadeInAdvanceIsNoDamageAtAnyCrash() {
        everyOperation(new Mode(false, false, "preallocate", "true"), new Mode(true, false, "preallocate", "true"));
    }

    @Test
    void aSegmentThatIsNotCutBeforeTheNextIsFound() {
        Mode mode = new Mode(true, false, "preallocate", "true");
        Mutations uncut = "uncut-roll"::equals;
        String found = null;
        for (long at = 0; at < operations(mode) && found == null; at++) {
            try {
                run(new Case(mode, at, Fault.CRASH_AFTER, false, 0), uncut);
            } catch (RuleBroken broken) {
                found = broken.rule();
            }
        }
        assertEquals("S11 segment roll", found);
    }

    private static void everyOperation(Mode... modes) {
        for (Mode mode : modes) {
            long operations = operations(mode);
            assertTrue(operations > 100, "the history has only " + operations + " operations");
            for (long at = 0; at < operations; at++) {
                for (Fault fault : List.of(Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.CRASH_TORN)) {
                    crash(new Case(mode, at, fault, false, 0));
                    for (int variant = 0; variant < POWER_CUTS; variant++) {
                        crash(new Case(mode, at, fault, true, variant));
                    }
                }
            }
        }
    }

    record Mode(boolean durable, boolean eager, String... settings) {
        LogScript script(SimHost host, Mutations mutations) {
            return new LogScript(host, durable, eager, mutations, CompressionType.NONE, settings);
        }
    }

    record Case(Mode mode, long at, Fault fault, boolean power, int variant) {}

    private static long operations(Mode mode) {
        SimHost host = new SimHost(1);
        mode.script(host, Mutations.NONE).run();
        return host.disk().operations();
    }

    private static void crash(Case each) {
        try {
            run(each, Mutations.NONE);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(each + ": " + e.getMessage(), e);
        }
    }

    static void run(Case each, Mutations mutations) {
        SimHost host = new SimHost(1);
        LogScript script = each.mode.script(host, mutations);
        host.disk().faults(DiskFaults.at(each.at, each.fault));
        try {
            script.run();
        } catch (SimCrash crash) {
            // as planned
        }
        LogLab lab = script.lab;
        lab.observe();
        host.disk().faults(DiskFaults.NONE);
        for (int i = 0; i < each.variant; i++) {
            host.disk().random().nextLong();
        }
        lab = restart(lab, each.power, each.mode.durable, mutations);
        restart(lab, true, each.mode.durable, mutations);
    }

    /** A crash now, the start of the next process, and all that must hold then. */
    private static LogLab restart(LogLab lab, boolean power, boolean durable, Mutations mutations) {
        SimHost next = power ? lab.host.powerCut() : lab.host.kill();
        LogLab reopened = lab.on(next);
        long valid = LogAudit.validEnd(next.disk());
        if (!power || durable) {
            LogAudit.closedSegmentsHaveNoTail(next.disk());
        }
        reopened.open(mutations);
        if (reopened.model.deleting && !reopened.found()) {
            return reopened;
        }
        List<Batch> batches = reopened.readAll();
        long start = reopened.log.logStartOffset();
        long end = reopened.log.logEndOffset();
        LogModel model = reopened.model;
        if (model.truncatingTo < 0 && end < valid) {
            throw new RuleBroken("S7 a valid batch is never dropped", "log end " + end + ", valid up to " + valid);
        }
        model.judge(batches, start, end, model.leastEnd(power, durable), power && !durable);
        if (reopened.log.damage() != null && !(power && !durable)) {
            throw new RuleBroken("S8 rot", reopened.log.damage());
        }
        model.settle(batches, start);
        new LogAudit(reopened, batches).all();
        reopened.observe();
        return reopened;
    }
}
