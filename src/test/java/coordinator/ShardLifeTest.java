package coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import coordinator.CounterShard.Add;
import coordinator.RuntimeBench.Answer;
import java.util.List;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import org.junit.jupiter.api.Test;

/** Loading, epochs, images and the shard's own duties (rules G1, G9). */
final class ShardLifeTest {
    private static final Failure FULL = Failure.of(FailureCode.DISK_FULL, "planted");

    private final RuntimeBench bench = new RuntimeBench();

    private void fill(int records) {
        for (int i = 0; i < records; i++) {
            bench.store.log.add(new Add("a", 1));
        }
    }

    @Test
    void loadsInPiecesAndSlices() {
        fill(5_000);
        bench.store.pieceRecords = 1_800;
        bench.runtime.lead(0, 1, bench.store);
        assertEquals(500, bench.shard.applied, "the loop is given back after a slice");
        assertEquals(FailureCode.COORDINATOR_LOADING, bench.read("a").code());
        Answer<List<Long>> all = bench.answer("all");
        bench.runtime.readAll(shard -> 1L, all);
        assertEquals(FailureCode.COORDINATOR_LOADING, all.code());
        bench.turns();
        assertEquals(5_000, bench.read("a").value());
        assertEquals(3, bench.store.loadCount);
        bench.expectEvents("loaded 5000");
    }

    @Test
    void loadsFewPartitionsAtOnce() {
        FakeStore[] stores = new FakeStore[4];
        for (int i = 0; i < stores.length; i++) {
            stores[i] = new FakeStore();
            stores[i].holdLoads = true;
            bench.runtime.lead(i, 1, stores[i]);
        }
        assertEquals(
                List.of(1, 1, 0, 0), List.of(loads(stores[0]), loads(stores[1]), loads(stores[2]), loads(stores[3])));
        stores[1].loads.remove().run();
        assertEquals(1, loads(stores[2]));
        bench.runtime.resign(0, "moved");
        assertEquals(1, loads(stores[3]));
    }

    private static int loads(FakeStore store) {
        return store.loads.size();
    }

    @Test
    void newEpochStartsTheLoadAnew_G1() {
        fill(3);
        bench.store.holdLoads = true;
        bench.runtime.lead(0, 1, bench.store);
        Runnable old = bench.store.loads.remove();
        bench.runtime.lead(0, 2, bench.store);
        old.run();
        bench.turns();
        bench.expectEvents();
        bench.store.loads.remove().run();
        bench.turns();
        bench.expectEvents("loaded 3");
        bench.runtime.lead(0, 2, bench.store);
        bench.turns();
        bench.expectEvents();
    }

    @Test
    void newEpochWaitsForTheAppendOfTheOldOne_G1() {
        bench.led();
        Answer<Long> add = bench.add("a", 1);
        bench.turns();
        bench.runtime.lead(0, 2, bench.store);
        assertEquals(FailureCode.NOT_COORDINATOR, add.code());
        bench.turns();
        bench.expectEvents("loaded 0", "unloaded NOT_COORDINATOR");
        bench.store.commit();
        bench.turns();
        bench.expectEvents("loaded 1");
        assertEquals(1, bench.read("a").value());
    }

    /** Whatever becomes of a shard, what it kept is given back, and the shards of a runtime share one bound. */
    @Test
    void whatAShardKeepsIsCountedAsLongAsItLives() {
        fill(3);
        bench.led();
        assertEquals(3 * CounterShard.BYTES, bench.stateBytes());
        bench.add("a", 1);
        assertEquals(4 * CounterShard.BYTES, bench.stateBytes());
        bench.turns();
        bench.store.fail(false);
        bench.turns();
        bench.pass(1_000);
        assertEquals(3 * CounterShard.BYTES, bench.stateBytes(), "loaded again");
        FakeStore other = new FakeStore();
        for (int i = 0; i < 200; i++) {
            other.log.add(new Add("b", 1));
        }
        CounterShard first = bench.shard;
        bench.runtime.lead(1, 1, other);
        bench.turns();
        assertEquals(203 * CounterShard.BYTES, bench.stateBytes(), "loading is never refused");
        assertFalse(first.context.memory().takesNew());
        assertFalse(bench.shard.context.memory().takesGrowth(1));
        assertTrue(first.context.memory().takesGrowth(-1));
        assertEquals(2, bench.stateRefusals());
        bench.runtime.resign(1, "moved");
        assertEquals(3 * CounterShard.BYTES, bench.stateBytes());
        assertTrue(first.context.memory().takesNew());
        bench.runtime.resign(0, "moved");
        first.context.memory().add(7);
        assertEquals(0, bench.stateBytes(), "nobody counts for a shard that is gone");
    }

    @Test
    void leadsAgainAfterResigning() {
        bench.led();
        bench.add("a", 1);
        bench.turns();
        bench.runtime.resign(0, "moved");
        bench.runtime.lead(0, 3, bench.store);
        assertEquals(FailureCode.COORDINATOR_LOADING, bench.read("a").code());
        bench.store.fail(false);
        bench.turns();
        assertEquals(0, bench.read("a").value());
    }

    @Test
    void failedLoadIsTriedAgain_L6() {
        fill(1);
        bench.store.loadFailure = Failure.of(FailureCode.STORAGE_ERROR, "planted");
        bench.led();
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, bench.read("a").code());
        Answer<List<Long>> all = bench.answer("all");
        bench.runtime.readAll(shard -> 1L, all);
        assertEquals(List.of(), all.value());
        bench.pass(700);
        assertEquals(4, bench.store.loadCount, "after 0, 100, 300 and 700 ms");
        bench.store.loadFailure = null;
        bench.pass(800);
        assertEquals(1, bench.read("a").value());
    }

    @Test
    void whatCannotBeReadOrAppliedIsPassedOver() {
        fill(1);
        bench.store.log.add(new Add("a", CounterShard.POISON));
        bench.store.log.add(new Add("b", 2));
        bench.store.losses.add("planted");
        bench.led();
        assertEquals(2, bench.read("b").value());
    }

    @Test
    void timersRunAsWritesAndMoveCheaply() {
        bench.led();
        ShardTimers<Add> timers = bench.shard.context.timers();
        timers.set("t", 100, () -> Result.of(List.of(new Add("a", 1)), null));
        for (int i = 0; i < 50; i++) {
            bench.pass(50);
            timers.set("t", 100, () -> Result.of(List.of(new Add("a", 2)), null));
        }
        long events = bench.scheduler.executed();
        assertTrue(events < 60, events + " events for 50 heartbeats");
        bench.pass(99);
        assertTrue(timers.isSet("t"));
        assertEquals(0, bench.shard.applied);
        bench.pass(2);
        assertFalse(timers.isSet("t"));
        bench.store.commit();
        assertEquals(2, bench.read("a").value());
        timers.set("u", 1_000, () -> Result.of(List.of(new Add("a", 1)), null));
        timers.set("u", 10, () -> Result.of(List.of(new Add("a", 5)), null));
        timers.set("v", 10, () -> Result.of(List.of(new Add("a", 100)), null));
        timers.cancel("v");
        bench.pass(11);
        assertEquals(7, bench.shard.sum("a"));
    }

    @Test
    void timersAndDutiesWaitWhileNoRecordsAreTaken() {
        bench.led();
        bench.shard.context.timers().set("t", 100, () -> Result.of(List.of(new Add("a", 1)), null));
        bench.shard.context.submit(() -> Result.of(List.of(new Add("b", 1)), null));
        bench.store.refusal = FULL;
        bench.pass(5_000);
        assertEquals(0, bench.shard.applied);
        assertTrue(bench.shard.context.timers().isSet("t"));
        bench.store.refusal = null;
        bench.pass(1_100);
        assertEquals(List.of(1L, 1L), List.of(bench.shard.sum("a"), bench.shard.sum("b")));
    }

    /** Rule S10: who could not be heard while the disk was full is not expelled the moment that there is room. */
    @Test
    void timersThatWaitedLeaveTimeToBeSetAgain() {
        bench.led();
        ShardTimers<Add> timers = bench.shard.context.timers();
        timers.set("heard", 10_000, () -> Result.of(List.of(new Add("heard", 1)), null));
        timers.set("silent", 10_000, () -> Result.of(List.of(new Add("silent", 1)), null));
        bench.store.refusal = FULL;
        bench.pass(60_000);
        bench.store.refusal = null;
        bench.pass(RuntimeTimers.POSTPONED_MILLIS);
        bench.pass(RuntimeTimers.GRACE_MILLIS - 100);
        assertEquals(0, bench.shard.applied);
        timers.set("heard", 10_000, () -> Result.of(List.of(new Add("heard", 1)), null));
        bench.pass(9_900);
        assertEquals(List.of(0L, 1L), List.of(bench.shard.sum("heard"), bench.shard.sum("silent")));
        bench.pass(200);
        assertEquals(1, bench.shard.sum("heard"));
    }

    @Test
    void timersAndDutiesDieWithTheirShard_G9() {
        bench.led();
        CounterShard first = bench.shard;
        first.context.timers().set("t", 100, () -> Result.of(List.of(new Add("a", 1)), null));
        bench.add("a", 1);
        bench.turns();
        first.context.submit(() -> Result.of(List.of(new Add("b", 1)), null));
        bench.store.fail(false);
        bench.pass(5_000);
        assertEquals(0, bench.shard.applied);
        assertEquals(0, bench.store.appends.size());
    }

    @Test
    void shardsFollowTheImageWhileTheyAreLoaded() {
        MetadataImage second = new MetadataDelta(MetadataImage.empty("c")).image(2);
        MetadataImage third = new MetadataDelta(second).image(3);
        bench.store.holdLoads = true;
        bench.runtime.lead(0, 1, bench.store);
        bench.runtime.imageChanged(second);
        bench.store.loads.remove().run();
        assertEquals(2, bench.shard.context.image().version());
        bench.runtime.imageChanged(third);
        bench.runtime.resign(0, "moved");
        bench.runtime.imageChanged(second);
        bench.expectEvents("loaded 0", "image 2 -> 3", "unloaded NOT_COORDINATOR");
    }
}
