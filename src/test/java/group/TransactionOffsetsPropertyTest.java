package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import config.GroupConfig;
import coordinator.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import records.schemas.GroupRecord;
import records.schemas.OffsetCommitRecord;
import services.ClusterImages;
import sim.SimRandom;

/** Offsets committed inside and outside of transactions that end in any order, against a model; the same after the log was compacted and loaded (rules T10, G8). */
class TransactionOffsetsPropertyTest {
    private static final int RUNS = 100;
    private static final int STEPS = 200;
    private static final Uuid TOPIC = new Uuid(7, 1);
    private static final short VERSION = 5;

    @Test
    void offsetsBecomeVisibleWithTheirTransaction_T10() {
        runs("");
    }

    @Test
    void offsetsThatAreVisibleBeforeCommitAreFound() {
        assertThrows(AssertionError.class, () -> runs("offsets-before-commit"));
    }

    private static void runs(String mutation) {
        for (long seed = 1; seed <= RUNS; seed++) {
            try {
                new Run(seed, mutation).go();
            } catch (AssertionError | RuntimeException e) {
                fail("seed " + seed, e);
            }
        }
    }

    private record Key(String group, int partition) {}

    private record Kept(long offset, long order) {}

    /** @param marker null for a record */
    private record Entry(long producer, GroupRecord record, Boolean marker) {}

    private static final class Run {
        private final SimRandom random;
        private final ShardBench bench;
        private final GroupConfig config = ShardBench.config();
        private final List<Entry> log = new ArrayList<>();
        private final Map<Key, Kept> committed = new LinkedHashMap<>();
        private final Map<Long, Map<Key, Kept>> pending = new TreeMap<>();
        private GroupShard shard;
        private long order;

        Run(long seed, String mutation) {
            random = new SimRandom(seed);
            bench = new ShardBench(
                    config, new ClusterImages().topic("a", TOPIC, 3, 1).image(), seed);
            bench.mutations(mutation::equals);
            shard = new GroupShard(bench.context(), config, new GroupCounts());
        }

        void go() {
            for (int i = 0; i < STEPS; i++) {
                Key key = new Key(random.chance(0.5) ? "g" : "h", random.below(3));
                switch (random.below(12)) {
                    case 0, 1, 2 -> commit(key);
                    case 3, 4, 5, 6 -> commitInTransaction(1 + random.below(3), key);
                    case 7, 8 -> end(1 + random.below(3), random.chance(0.6));
                    case 9 -> delete(key);
                    case 10 -> load();
                    default -> compact();
                }
                check();
            }
        }

        private void append(long producer, Result<GroupRecord, ?> result) {
            for (GroupRecord each : result.records()) {
                log.add(new Entry(producer, each, null));
                replay(shard, log.get(log.size() - 1));
            }
        }

        private static void replay(GroupShard to, Entry entry) {
            if (entry.marker != null) {
                to.replayMarker(entry.producer, (short) 0, entry.marker);
            } else if (entry.producer >= 0) {
                to.replayTransactional(entry.producer, (short) 0, entry.record);
            } else {
                to.replay(entry.record);
            }
        }

        private void commit(Key key) {
            long offset = random.below(1000);
            append(
                    -1,
                    shard.offsets().commit(OffsetAsks.commit(key.group, "a", TOPIC, key.partition, offset), VERSION));
            committed.put(key, new Kept(offset, order++));
        }

        private void commitInTransaction(long producer, Key key) {
            long offset = random.below(1000);
            Result<GroupRecord, OffsetCommitResponseData> result = shard.offsets()
                    .commitInTransaction(OffsetAsks.commit(key.group, "a", TOPIC, key.partition, offset), VERSION);
            assertEquals(List.of((short) 0), OffsetAsks.errors(result.response()));
            append(producer, result);
            pending.computeIfAbsent(producer, id -> new LinkedHashMap<>()).put(key, new Kept(offset, order++));
        }

        private void end(long producer, boolean commit) {
            log.add(new Entry(producer, null, commit));
            replay(shard, log.get(log.size() - 1));
            Map<Key, Kept> ended = pending.remove(producer);
            if (ended != null && commit) {
                // The later record counts, as Apache Kafka has it.
                ended.forEach(
                        (key, kept) -> committed.merge(key, kept, (old, now) -> old.order() > now.order() ? old : now));
            }
        }

        private void delete(Key key) {
            append(-1, shard.offsets().delete(OffsetAsks.delete(key.group, "a", key.partition)));
            committed.remove(key);
            pending.values().forEach(each -> each.remove(key));
        }

        private void load() {
            shard = new GroupShard(bench.context(), config, new GroupCounts());
            log.forEach(each -> replay(shard, each));
        }

        /** Aborted records go, and all but the last of each key; never beyond the first open transaction. */
        private void compact() {
            if (!pending.isEmpty()) {
                return;
            }
            List<Entry> kept = new ArrayList<>();
            for (int i = 0; i < log.size(); i++) {
                Entry each = log.get(i);
                if (each.marker != null || (!isAborted(i) && !isReplaced(i))) {
                    kept.add(each);
                }
            }
            log.clear();
            log.addAll(kept);
            load();
        }

        private boolean isAborted(int at) {
            Entry entry = log.get(at);
            for (int i = at; entry.producer >= 0 && i < log.size(); i++) {
                Entry later = log.get(i);
                if (later.marker != null && later.producer == entry.producer) {
                    return !later.marker;
                }
            }
            return false;
        }

        private boolean isReplaced(int at) {
            OffsetCommitRecord record = (OffsetCommitRecord) log.get(at).record;
            for (int i = at + 1; i < log.size(); i++) {
                OffsetCommitRecord later = (OffsetCommitRecord) log.get(i).record;
                if (later != null
                        && !isAborted(i)
                        && later.group().equals(record.group())
                        && later.partition() == record.partition()) {
                    return true;
                }
            }
            return false;
        }

        private void check() {
            for (String group : List.of("g", "h")) {
                Map<String, Long> expected = new TreeMap<>();
                committed.forEach((key, kept) -> {
                    if (key.group.equals(group)) {
                        expected.put("a-" + key.partition, kept.offset());
                    }
                });
                assertEquals(expected, OffsetAsks.offsets(shard.offsets().read(OffsetAsks.all(group))));
                OffsetFetchResponseGroup stable =
                        shard.offsets().read(OffsetAsks.some(group, "a", TOPIC, 0, 1, 2), true);
                Consumer<Integer> unstable = partition -> {
                    boolean open =
                            pending.values().stream().anyMatch(each -> each.containsKey(new Key(group, partition)));
                    short error =
                            stable.topics().get(0).partitions().get(partition).errorCode();
                    assertEquals(open ? Errors.UNSTABLE_OFFSET_COMMIT.code() : 0, error);
                };
                List.of(0, 1, 2).forEach(unstable);
            }
        }
    }
}
