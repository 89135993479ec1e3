package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs are recorded, replayed without their seed, made smaller, traced and stopped. */
@ExtendWith(QuietLogs.class)
class SimDecisionsTest {
    private static final Map<String, String> SHORT = Map.of("stormMillis", "1500");

    @TempDir
    Path directory;

    private static SimRun run(long seed, Map<String, String> overrides, Mutations mutations) {
        return new SimRun(seed, overrides, mutations, "");
    }

    @Test
    void aRecordedRunIsTheSameWhateverTheSeed() {
        for (long seed : new long[] {3, 11, 12}) {
            Map<String, String> overrides = new LinkedHashMap<>(SHORT);
            overrides.put("faults", "power_cut+crash_in_job+sync_error+ghost+connection_kill+disk_full");
            overrides.put("faultMillis", "300");
            SimDecisions recorded = SimDecisions.recorder();
            SimRun.Report first =
                    run(seed, overrides, Mutations.NONE).decisions(recorded).run();
            SimRun.Report plain = run(seed, overrides, Mutations.NONE).run();
            assertEquals(plain.traceHash(), first.traceHash(), "recording changes nothing, seed " + seed);
            assertTrue(recorded.faults().size() > 2, "faults were recorded: " + recorded.faults());
            Path file = directory.resolve(seed + ".sim");
            recorded.write(file);
            assertTrue(SimDecisions.isFile(file));
            SimRun.Report again = run(seed + 1_000, Map.of(), Mutations.NONE)
                    .decisions(SimDecisions.read(file))
                    .run();
            assertEquals(first.traceHash(), again.traceHash(), "seed " + seed);
            assertEquals(first.events(), again.events(), "seed " + seed);
        }
    }

    @Test
    void aRunThatEndsInItsStormIsTheSame() {
        Map<String, String> overrides = Map.of("faults", "slow_disk", "faultMillis", "300", "stormMillis", "3000");
        for (long event : new long[] {3_000, 4_000, 5_000, 6_000}) {
            SimDecisions recorded = SimDecisions.recorder();
            SimRun.Report first = run(9, overrides, Mutations.NONE)
                    .decisions(recorded)
                    .until(event)
                    .run();
            assertEquals("livelock or slow", first.broken());
            SimRun.Report again = run(10, Map.of(), Mutations.NONE)
                    .decisions(recorded.copy())
                    .until(event)
                    .run();
            assertEquals(first.traceHash(), again.traceHash(), "event " + event);
        }
    }

    @Test
    void aFaultThatIsTakenOutDoesNotHappen() {
        Map<String, String> overrides = new LinkedHashMap<>(SHORT);
        overrides.put("faults", "kill");
        overrides.put("faultMillis", "300");
        overrides.put("reread", "0");
        SimDecisions recorded = SimDecisions.recorder();
        SimRun.Report first =
                run(5, overrides, Mutations.NONE).decisions(recorded).run();
        assertTrue(first.counts().get("node.kills") > 0, "killed: " + first.counts());
        SimDecisions none = recorded.copy();
        none.faults().clear();
        SimRun.Report without = run(5, Map.of(), Mutations.NONE).decisions(none).run();
        assertNull(without.counts().get("node.kills"));
        assertNotEquals(first.traceHash(), without.traceHash());
        SimDecisions calm = recorded.copy();
        calm.streams().forEach(each -> calm.calm(each, 0));
        assertNull(run(5, Map.of(), Mutations.NONE).decisions(calm).run().broken());
    }

    @Test
    void aFailingRunIsMadeSmaller_andTheSmallestIsReadFromItsFileAndFailsTheSame() {
        Mutations planted = "group-partition-before-release"::equals;
        Map<String, String> overrides = Map.of("groups", "2", "consumerGroups", "3", "members", "4", "faults", "kill");
        SimDecisions recorded = SimDecisions.recorder();
        SimRun.Report failed = run(1, overrides, planted).decisions(recorded).run();
        assertEquals("G5 one owner", failed.broken());
        SimShrinker shrinker = new SimShrinker(recorded, failed.broken(), planted, 60, () -> true);
        Path file = directory.resolve("least.sim");
        shrinker.shrink().write(file);
        assertTrue(shrinker.tries() <= 60, "tries " + shrinker.tries());
        SimDecisions least = SimDecisions.read(file);
        assertEquals("G5 one owner", least.rule());
        assertEquals("", least.settings().get("faults"));
        assertEquals("0", least.settings().get("producers"));
        assertEquals(List.of(), least.faults());
        assertTrue(
                least.streams().stream()
                                .filter(each -> least.calmFrom(each) == 0)
                                .count()
                        > 10,
                least.size());
        SimRun.Report again = run(99, Map.of(), planted).decisions(least.copy()).run();
        assertEquals("G5 one owner", again.broken());
        assertEquals(shrinker.report().traceHash(), again.traceHash());
        assertTrue(again.virtualMillis() <= failed.virtualMillis(), again.virtualMillis() + " ms");
        assertNull(
                run(99, Map.of(), Mutations.NONE).decisions(least.copy()).run().broken());
    }

    @Test
    void theNumberOfTriesIsBounded() {
        Mutations planted = "group-partition-before-release"::equals;
        SimDecisions recorded = SimDecisions.recorder();
        Map<String, String> overrides = Map.of("groups", "2", "consumerGroups", "3", "members", "4", "faults", "kill");
        assertNotNull(run(1, overrides, planted).decisions(recorded).run().broken());
        SimShrinker few = new SimShrinker(recorded, "G5 one owner", planted, 3, () -> true);
        few.shrink();
        assertEquals(3, few.tries());
        SimShrinker none = new SimShrinker(recorded, "G5 one owner", planted, 3, () -> false);
        none.shrink();
        assertEquals(0, none.tries());
    }

    @Test
    void aTraceHasEachEventAsALine_andEqualSeedsEqualTraces() throws IOException {
        Path one = traced(7, "one.jsonl", List.of());
        Path two = traced(7, "two.jsonl", List.of());
        assertEquals(-1, Files.mismatch(one, two));
        List<String> lines = Files.readAllLines(one);
        assertTrue(lines.size() > 2_000, "lines: " + lines.size());
        assertEquals("{\"at\":0,\"event\":0,\"what\":\"node-start\",\"value\":1}", lines.get(0));
        for (String line : lines) {
            assertTrue(line.startsWith("{\"at\":") && line.endsWith("}"), line);
        }
        List<String> some = Files.readAllLines(traced(7, "some.jsonl", List.of("node-start", "\"who\":\"p0\"")));
        assertTrue(some.size() > 1 && some.size() < lines.size() / 2, "lines: " + some.size());
    }

    private Path traced(long seed, String name, List<String> only) {
        Path file = directory.resolve(name);
        try (SimTrace trace = new SimTrace(file, only)) {
            assertNull(run(seed, SHORT, Mutations.NONE).trace(trace).run().broken());
        }
        return file;
    }

    @Test
    void quotesAreJson() {
        assertEquals("\"a\\\"b\\\\c\\u000a\\u00e9\"", SimTrace.quote("a\"b\\c\n\u00e9"));
    }

    @Test
    void aRunStopsAtAnEventAndShowsItsNode() {
        SimRun.Report stopped = run(7, SHORT, Mutations.NONE).until(2_000).run();
        assertEquals(2_001, stopped.events());
        String json = "\"machines\":[{\"name\":\"n0\",\"incarnation\":1,\"alive\":true,\"serving\":true";
        assertTrue(stopped.block().contains(json), stopped.block());
        assertTrue(stopped.block().contains("t0-0/00000000000000000000.log"), stopped.block());
    }

    @Test
    void timeThatDoesNotPassIsABrokenRule() {
        SimScheduler scheduler = new SimScheduler(new SimRandom(1));
        scheduler.limit(100);
        spin(scheduler);
        RuleBroken broken = assertThrows(RuleBroken.class, () -> scheduler.runFor(SimScheduler.MILLI));
        assertEquals("livelock or slow", broken.rule());
        assertFalse(scheduler.now() > 0);
    }

    private static void spin(SimScheduler scheduler) {
        scheduler.after(0, null, "spin", () -> spin(scheduler));
    }
}
