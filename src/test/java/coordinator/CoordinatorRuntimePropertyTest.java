package coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import coordinator.CounterShard.Add;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import sim.QuietLogs;
import sim.SimRandom;

/**
 * Random requests, failures, epochs and stops against what must hold: what was answered is in the log, once and in order; what was refused is not; nobody sees
 * what is not committed; and when all is settled, the state is a replay of the log (rule G2).
 */
@ExtendWith(QuietLogs.class)
final class CoordinatorRuntimePropertyTest {
    private static final long RUNS = 300;

    /** One run. */
    private static final class Run {
        private final long seed;
        private final SimRandom random;
        private final RuntimeBench bench;
        private final List<String> acknowledged = new ArrayList<>();
        private final List<String> refused = new ArrayList<>();
        private int asked;
        private int answered;
        private int ids;
        private int epoch = 1;
        private long lastOrder = -1;

        Run(long seed) {
            this.seed = seed;
            this.random = new SimRandom(seed);
            this.bench = new RuntimeBench(random.between(-1, 3), seed);
            bench.store.maxBatchBytes = random.between(250, 2_000);
            bench.store.pieceRecords = random.between(1, 200);
            bench.led();
        }

        void step() {
            switch (random.below(20)) {
                case 0, 1, 2, 3, 4, 5 -> write(random.between(1, 5));
                case 6 -> write(100);
                case 7, 8 -> read();
                case 9 -> throwing();
                case 10 -> poisoned();
                case 11, 12, 13, 14 -> commit();
                case 15 -> fail();
                case 16 ->
                    bench.store.refusal = random.chance(0.3) ? Failure.of(FailureCode.DISK_FULL, "planted") : null;
                case 17 -> duty();
                case 18 -> bench.pass(random.between(1, 3_000));
                default -> epoch();
            }
            if (random.chance(0.5)) {
                bench.turns();
            }
        }

        private void write(int records) {
            String id = "op" + ids++;
            List<Add> adds = new ArrayList<>();
            for (int i = 0; i < records; i++) {
                adds.add(new Add(id, 1));
            }
            long order = asked++;
            bench.runtime.<Long>write(
                    0,
                    shard -> Result.<Add, Long>of(adds, 0L).settled((none, failure) -> {
                        if (failure == null) {
                            assertTrue(committedCount(id) == records, "settled before it is committed");
                        }
                    }),
                    (value, failure) -> {
                        answered++;
                        if (failure == null) {
                            assertEquals(
                                    records, committedCount(id), id + " is answered and not committed, seed " + seed);
                            assertTrue(order > lastOrder, "out of order, seed " + seed);
                            lastOrder = order;
                            acknowledged.add(id);
                        } else if (failure.code() == FailureCode.RECORD_LIST_TOO_LARGE
                                || failure.code() == FailureCode.COORDINATOR_LOADING) {
                            refused.add(id);
                        }
                    });
        }

        private int committedCount(String id) {
            return (int) bench.store.log.stream()
                    .filter(each -> each.name().equals(id))
                    .count();
        }

        private void read() {
            int before = bench.store.log.size();
            asked++;
            bench.runtime.<Integer>read(0, shard -> shard.applied, (applied, failure) -> {
                answered++;
                if (failure == null) {
                    assertTrue(applied <= bench.store.log.size(), "shows what is not committed, seed " + seed);
                    assertTrue(applied >= before, "does not show what was committed, seed " + seed);
                }
            });
        }

        private void throwing() {
            asked++;
            bench.runtime.<Long>write(
                    0,
                    shard -> {
                        throw new IllegalStateException("planted");
                    },
                    (value, failure) -> {
                        answered++;
                        assertTrue(failure != null);
                    });
        }

        private void poisoned() {
            if (!random.chance(0.2)) {
                return;
            }
            String id = "poison" + ids++;
            refused.add(id);
            asked++;
            bench.runtime.<Long>write(
                    0,
                    shard -> Result.of(List.of(new Add(id, 1), new Add(id, CounterShard.POISON)), 0L),
                    (value, failure) -> {
                        answered++;
                        assertTrue(failure != null);
                    });
        }

        private void duty() {
            if (bench.shard != null) {
                bench.shard
                        .context
                        .timers()
                        .set("duty", random.below(500), () -> Result.of(List.of(new Add("duty", 1)), null));
            }
        }

        private void commit() {
            if (!bench.store.appends.isEmpty()) {
                bench.store.commit();
            }
        }

        private void fail() {
            if (!bench.store.appends.isEmpty() && random.chance(0.4)) {
                bench.store.fail(random.chance(0.5));
            }
        }

        private void epoch() {
            if (random.chance(0.2)) {
                bench.runtime.lead(0, ++epoch, bench.store);
            } else if (random.chance(0.1)) {
                bench.runtime.resign(0, "moved");
                bench.runtime.lead(0, ++epoch, bench.store);
            }
        }

        /** Faults end, and what was begun ends. */
        void settle() {
            bench.store.refusal = null;
            for (int i = 0; i < 200; i++) {
                bench.pass(500);
                commit();
            }
        }

        void check() {
            assertEquals(asked, answered, "requests without an answer, seed " + seed);
            Map<String, Long> replayed = new TreeMap<>();
            Map<String, Integer> counts = new TreeMap<>();
            for (Add each : bench.store.log) {
                replayed.merge(each.name(), each.amount(), Long::sum);
                counts.merge(each.name(), 1, Integer::sum);
            }
            assertEquals(replayed, bench.shard.sums, "the state is no replay of the log, seed " + seed);
            for (String id : acknowledged) {
                assertTrue(counts.containsKey(id), id + " was answered and is lost, seed " + seed);
            }
            for (String id : refused) {
                assertFalse(counts.containsKey(id), id + " was refused and is there, seed " + seed);
            }
        }
    }

    @Test
    void answersAreTrueAndTheStateIsTheLog_G2() {
        long acknowledged = 0;
        for (long seed = 0; seed < RUNS; seed++) {
            Run run = new Run(seed);
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < 60; i++) {
                    run.step();
                }
                run.settle();
                run.check();
            }
            acknowledged += run.acknowledged.size();
        }
        assertTrue(acknowledged > RUNS * 10, "only " + acknowledged + " writes succeeded: the test is worth little");
    }
}
