package services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Clock;
import common.FailureCode;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import group.GroupCoordinator;
import group.GroupShard;
import group.ShardBench;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.junit.jupiter.api.Test;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import services.GroupLagService.Lag;
import storage.TimestampOffset;

/** Lag in records and in time, of logs that are lists of times. */
class GroupLagTest {
    private static final Uuid T = new Uuid(1, 1);
    private static final long NOW = 1_700_000_000_000L;
    private static final long HOUR = 3_600_000;

    private final MetadataImage image = new ClusterImages()
            .topic(Topic.GROUP_METADATA_TOPIC_NAME, new Uuid(1, 2), 1, 1)
            .topic("t", T, 6, 1)
            .image();
    private final ShardBench bench = new ShardBench(ShardBench.config(), image, 1);
    /** Times by partition and offset; null for an offset whose record is gone. */
    private final Map<Integer, List<Long>> logs = new LinkedHashMap<>();

    private int rounds;

    /** The one coordinator, and the way to it. */
    private final class Owner implements GroupCoordinator, Mailboxes {
        @Override
        public <T> void write(int partition, Write<GroupShard, T> request, Callback<T> done) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> void park(int partition, ParkingWrite<GroupShard, T> request, Callback<T> done) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> void read(int partition, Read<GroupShard, T> question, Callback<T> done) {
            done.succeed(bench.read(question).value());
        }

        @Override
        public <T> void readAll(Read<GroupShard, T> question, Callback<List<T>> done) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <O, T> void call(OwnerId<O> to, OwnerCall<O, T> call, long timeoutMillis, Callback<T> done) {
            call.run(to.type().cast(this), done);
        }

        @Override
        public <O> void tell(OwnerId<O> to, Consumer<O> message) {
            throw new UnsupportedOperationException();
        }
    }

    private void listOffsets(List<OffsetQuery> queries, Callback<List<Outcome<TimestampOffset>>> done) {
        rounds++;
        List<Outcome<TimestampOffset>> answers = new ArrayList<>();
        for (OffsetQuery each : queries) {
            List<Long> log = logs.get(each.partition().partition());
            answers.add(
                    log == null ? Outcome.failed(FailureCode.NOT_LEADER, "elsewhere") : Outcome.of(find(log, each)));
        }
        done.succeed(answers);
    }

    private static TimestampOffset find(List<Long> log, OffsetQuery query) {
        if (query.timestamp() == -1) {
            return new TimestampOffset(-1, log.size(), 0);
        }
        for (int offset = 0; offset < log.size(); offset++) {
            if (log.get(offset) != null && log.get(offset) >= query.timestamp()) {
                return new TimestampOffset(log.get(offset), offset, 0);
            }
        }
        return TimestampOffset.NONE;
    }

    private void commit(int partition, long offset) {
        OffsetCommitRequestTopic topic =
                new OffsetCommitRequestTopic().setName("t").setTopicId(T);
        topic.partitions()
                .add(new OffsetCommitRequestPartition()
                        .setPartitionIndex(partition)
                        .setCommittedOffset(offset));
        OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId("g")
                .setGenerationIdOrMemberEpoch(-1)
                .setTopics(List.of(topic));
        bench.<OffsetCommitResponseData>write(shard -> shard.offsets().commit(request, (short) 9))
                .value();
    }

    private List<Lag> lags() {
        Clock clock = new Clock() {
            @Override
            public long wallMillis() {
                return NOW;
            }

            @Override
            public long monotonicNanos() {
                return 0;
            }
        };
        GroupCoordinators coordinators = new GroupCoordinators(new Owner(), 1);
        GroupLagService service = new GroupLagService(coordinators, this::listOffsets, clock, 1_000);
        List<Lag> found = new ArrayList<>();
        service.lag(image, "g", false, (lags, failure) -> found.addAll(lags));
        return found;
    }

    private static List<Long> log(Long... agesMillis) {
        List<Long> times = new ArrayList<>();
        for (Long each : agesMillis) {
            times.add(each == null ? null : NOW - each);
        }
        return times;
    }

    @Test
    void recordsThatAreNotCommittedYet() {
        logs.put(0, log(3L, 2L, 1L));
        logs.put(1, log(3L, 2L, 1L));
        logs.put(2, log());
        commit(0, 1);
        commit(1, 3);
        commit(2, 0);
        commit(3, 5);
        List<Lag> lags = lags();
        assertEquals(List.of(2L, 0L, 0L, -1L), lags.stream().map(Lag::records).toList());
        assertEquals(List.of(3L, 3L, 0L, -1L), lags.stream().map(Lag::end).toList());
        assertEquals(FailureCode.NOT_LEADER, lags.get(3).failure().code());
    }

    @Test
    void aCommitBeyondTheEndIsNoLag() {
        logs.put(0, log(3L));
        commit(0, 7);
        assertEquals(0, lags().get(0).records());
        assertEquals(0, lags().get(0).millis());
    }

    @Test
    void theFirstUncommittedRecordTellsTheTime() {
        Long[] ages = new Long[1000];
        for (int i = 0; i < ages.length; i++) {
            ages[i] = (ages.length - i) * HOUR / 10;
        }
        logs.put(0, log(ages));
        logs.put(1, log(ages));
        logs.put(2, log(null, null, 50 * HOUR, 2L));
        logs.put(3, log(HOUR, HOUR));
        commit(0, 0);
        commit(1, 995);
        commit(2, 1);
        commit(3, 2);
        rounds = 0;
        List<Lag> lags = lags();
        assertAge(100 * HOUR, lags.get(0));
        assertAge(HOUR / 2, lags.get(1));
        assertAge(50 * HOUR, lags.get(2));
        assertEquals(0, lags.get(3).millis());
        assertTrue(rounds < 35, "rounds: " + rounds);
    }

    private static void assertAge(long expected, Lag lag) {
        assertTrue(lag.millis() >= expected, "too young: " + lag);
        assertTrue(lag.millis() <= expected + Math.max(1_000, expected / 15), "too old: " + lag);
    }
}
