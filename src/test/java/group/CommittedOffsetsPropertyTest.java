package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import coordinator.Coordinator;
import coordinator.InstantRuntime.Answer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import services.ClusterImages;
import sim.SimRandom;

/** Random commits, deletions, time, topics that come and go, failed appends, moves and compaction, against the simplest model of what must be remembered (G8). */
class CommittedOffsetsPropertyTest {
    private static final int RUNS = 60;
    private static final int STEPS = 400;
    private static final List<String> GROUPS = List.of("g", "h", "");
    private static final List<String> TOPICS = List.of("a", "b", "c");
    private static final int PARTITIONS = 3;
    private static final long RETENTION = 3_600_000;
    private static final long CHECK = 600_000;

    @Test
    void remembersWhatWasCommittedAndNothingElse() {
        for (long seed = 1; seed <= RUNS; seed++) {
            try {
                new Run(seed).go();
            } catch (AssertionError | RuntimeException e) {
                fail("seed " + seed, e);
            }
        }
    }

    private record Key(String group, String topic, int partition) {}

    /** @param expires wall time, or -1 */
    private record Kept(long offset, long at, long expires, Uuid topicId) {}

    private static final class Run {
        private final SimRandom random;
        private final ShardBench bench;
        private final Map<String, Uuid> topics = new TreeMap<>();
        private final Map<Key, Kept> model = new LinkedHashMap<>();
        private long ids;
        private long now;
        private long sinceCheck;

        Run(long seed) {
            random = new SimRandom(seed);
            TOPICS.forEach(topic -> topics.put(topic, new Uuid(7, ++ids)));
            bench = new ShardBench(ShardBench.config("offsets.retention.minutes=60"), image(), seed);
            now = bench.context().clock().wallMillis();
        }

        private MetadataImage image() {
            ClusterImages images = new ClusterImages();
            topics.forEach((name, id) -> images.topic(name, id, PARTITIONS, 1));
            return images.image();
        }

        void go() {
            for (int step = 0; step < STEPS; step++) {
                act(random.below(100));
                check();
            }
        }

        private void act(int dice) {
            if (dice < 45) {
                commit();
            } else if (dice < 55) {
                delete();
            } else if (dice < 58) {
                deleteGroup();
            } else if (dice < 68) {
                pass(random.below((int) CHECK / 2));
            } else if (dice < 70) {
                pass(RETENTION);
            } else if (dice < 76) {
                topicComesOrGoes();
            } else if (dice < 84) {
                loseSome();
            } else if (dice < 92) {
                bench.reload();
                sinceCheck = 0;
            } else {
                bench.compact();
                bench.reload();
                sinceCheck = 0;
            }
        }

        private Key anyKey() {
            return new Key(
                    GROUPS.get(random.below(GROUPS.size())),
                    TOPICS.get(random.below(TOPICS.size())),
                    random.below(PARTITIONS));
        }

        private OffsetCommitRequestData request(Key key, long offset, boolean byId) {
            Uuid id = byId ? topics.get(key.topic()) : Uuid.ZERO_UUID;
            return OffsetAsks.commit(key.group(), key.topic(), id, key.partition(), offset);
        }

        private void commit() {
            Key key = anyKey();
            if (!topics.containsKey(key.topic())) {
                return;
            }
            long offset = random.below(1000);
            long retention = random.below(8) == 0 ? 1 + random.below((int) RETENTION * 2) : -1;
            OffsetCommitRequestData request = request(key, offset, true).setRetentionTimeMs(retention);
            boolean asMember = random.below(10) == 0;
            if (asMember) {
                request.setGenerationIdOrMemberEpoch(random.below(5)).setMemberId("zombie");
            }
            OffsetCommitResponseData answer = bench.<OffsetCommitResponseData>write(
                            shard -> shard.offsets().commit(request, (short) 9))
                    .value();
            assertEquals(!asMember, OffsetAsks.errors(answer).equals(List.of((short) 0)));
            if (!asMember) {
                boolean own = retention != -1;
                model.put(
                        key,
                        new Kept(
                                offset,
                                now,
                                own ? now + retention : -1,
                                own ? Uuid.ZERO_UUID : topics.get(key.topic())));
            }
        }

        private void delete() {
            Key key = anyKey();
            OffsetDeleteResponseData answer = bench.<OffsetDeleteResponseData>write(shard ->
                            shard.offsets().delete(OffsetAsks.delete(key.group(), key.topic(), key.partition())))
                    .value();
            if (answer.errorCode() == Errors.NONE.code()) {
                model.remove(key);
            } else {
                assertEquals(Errors.GROUP_ID_NOT_FOUND.code(), answer.errorCode());
                assertEquals(List.of(), keysOf(key.group()));
            }
        }

        private List<Key> keysOf(String group) {
            return model.keySet().stream()
                    .filter(key -> key.group().equals(group))
                    .toList();
        }

        private void deleteGroup() {
            String group = GROUPS.get(random.below(GROUPS.size()));
            Coordinator.Write<GroupShard, Map<String, Errors>> request =
                    shard -> shard.admin().delete(List.of(group));
            Errors answer = bench.write(request).value().get(group);
            if (!keysOf(group).isEmpty()) {
                assertEquals(Errors.NONE, answer);
            }
            model.keySet().removeAll(keysOf(group));
        }

        /** Some writes, of which all may be lost; none may be half there. */
        private void loseSome() {
            bench.holdCommits();
            int writes = 1 + random.below(3);
            List<Answer<OffsetCommitResponseData>> answers = new ArrayList<>();
            Map<Key, Kept> hoped = new LinkedHashMap<>();
            for (int i = 0; i < writes; i++) {
                Key key = anyKey();
                if (topics.containsKey(key.topic())) {
                    long offset = random.below(1000);
                    OffsetCommitRequestData request = request(key, offset, true);
                    answers.add(bench.write(shard -> shard.offsets().commit(request, (short) 9)));
                    hoped.put(key, new Kept(offset, now, -1, topics.get(key.topic())));
                }
            }
            if (random.below(2) == 0) {
                bench.commit();
                model.putAll(hoped);
            } else {
                bench.failAppend();
                sinceCheck = 0;
                answers.forEach(answer -> assertEquals(true, answer.failure() != null));
            }
        }

        private void topicComesOrGoes() {
            String topic = TOPICS.get(random.below(TOPICS.size()));
            if (topics.containsKey(topic)) {
                Uuid gone = topics.remove(topic);
                model.entrySet()
                        .removeIf(each -> each.getKey().topic().equals(topic)
                                && (each.getValue().topicId().equals(gone)
                                        || each.getValue().topicId().equals(Uuid.ZERO_UUID)));
            } else {
                topics.put(topic, new Uuid(7, ++ids));
            }
            bench.image(image());
        }

        /** Time, with a check of retention at each full interval since the shard was loaded. */
        private void pass(long millis) {
            long until = now + millis;
            while (sinceCheck + (until - now) >= CHECK) {
                now += CHECK - sinceCheck;
                sinceCheck = 0;
                expire();
            }
            sinceCheck += until - now;
            now = until;
            bench.advance(millis);
        }

        private void expire() {
            Iterator<Kept> each = model.values().iterator();
            while (each.hasNext()) {
                Kept kept = each.next();
                if (kept.expires() == -1 ? now - kept.at() >= RETENTION : now >= kept.expires()) {
                    each.remove();
                }
            }
        }

        private void check() {
            assertEquals(now, bench.context().clock().wallMillis());
            for (String group : GROUPS) {
                Map<String, Long> expected = new TreeMap<>();
                model.forEach((key, kept) -> {
                    if (key.group().equals(group)) {
                        expected.put(key.topic() + "-" + key.partition(), kept.offset());
                    }
                });
                OffsetFetchResponseGroup all = bench.<OffsetFetchResponseGroup>read(
                                shard -> shard.offsets().read(OffsetAsks.all(group)))
                        .value();
                assertEquals(expected, OffsetAsks.offsets(all), "group '" + group + "'");
                topics.forEach((topic, id) -> checkById(group, topic, id));
            }
            long kept = bench.<Long>read(shard -> shard.offsets().size()).value();
            assertEquals(model.size(), kept);
        }

        private void checkById(String group, String topic, Uuid id) {
            OffsetFetchResponseGroup some = bench.<OffsetFetchResponseGroup>read(
                            shard -> shard.offsets().read(OffsetAsks.some(group, topic, id, 0, 1, 2)))
                    .value();
            Map<String, Long> found = OffsetAsks.offsets(some);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                Kept kept = model.get(new Key(group, topic, partition));
                assertEquals(kept == null ? -1 : kept.offset(), found.get(topic + "-" + partition));
            }
        }
    }
}
