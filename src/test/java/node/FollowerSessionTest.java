package node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import common.PartitionId;
import common.Timers;
import config.FetcherConfig;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import replication.LeaderReplica;
import replication.LedLogs;
import replication.ReplicaShard.News;
import replication.ReplicaShard.ReadPartition;
import replication.ReplicaShard.Reader;
import replication.ReplicaShard.SessionId;
import replication.ReplicaShard.SessionRead;
import sim.SimHost;

/** A follower's session in the leader's shard: it hears of all that happens, of nothing twice without need, and is not made to wait. Node 2 follows. */
class FollowerSessionTest {
    private static final Uuid TOPIC = new Uuid(5, 6);

    private static final class Lab implements FollowerSession.Shard {
        private final SimHost host;
        private final LedLogs logs;
        private MetadataImage image = MetadataImage.empty("cluster");
        private final ReplicationThrottles throttles;
        private final FollowerSession session = new FollowerSession(this);
        private final List<List<News>> answers = new ArrayList<>();
        private long records;
        private long epoch = LedLogs.FOLLOWERS_EPOCH;

        Lab(long seed, int partitions) {
            host = new SimHost(seed);
            logs = new LedLogs(host, partitions);
            throttles = new ReplicationThrottles(1, limit(Long.MAX_VALUE), 1, host.clock(), () -> image);
        }

        private static FetcherConfig limit(long bytesPerSecond) {
            return new FetcherConfig(1, 1, 1, 1, 1, 1, bytesPerSecond, Long.MAX_VALUE, 11, 1);
        }

        void throttle(long bytesPerSecond) {
            image = FetcherImages.throttled(image, TOPIC, "leader", "*");
            throttles.configure(limit(bytesPerSecond));
        }

        static PartitionId id(int partition) {
            return new PartitionId(TOPIC, partition);
        }

        void append(int partition, int values) {
            SimpleRecord[] all = new SimpleRecord[values];
            for (int i = 0; i < values; i++) {
                all[i] = new SimpleRecord(("v" + records++).getBytes(UTF_8));
            }
            ByteBuffer batch =
                    MemoryRecords.withRecords(Compression.NONE, all).buffer().duplicate();
            ByteBuffer direct =
                    ByteBuffer.allocate(batch.remaining()).put(batch).flip();
            logs.append(partition, direct, (outcome, failure) -> {});
        }

        static ReadPartition wish(int partition, long offset, int epoch) {
            return new ReadPartition(id(partition), epoch, offset, offset == 0 ? -1 : epoch, 0, 1 << 20);
        }

        void fetch(int maxBytes, List<ReadPartition> changed, List<PartitionId> forgotten) {
            session.fetch(
                    new SessionRead(new SessionId(0, 1), new Reader(2, epoch), changed, forgotten, 1, maxBytes, 500),
                    (news, failure) -> answers.add(news));
        }

        void fetch(ReadPartition... changed) {
            fetch(1 << 20, List.of(changed), List.of());
        }

        /** The only answer since the last call: what was told, by partition. */
        Map<Integer, News> answer() {
            assertEquals(1, answers.size(), "answers");
            Map<Integer, News> byPartition = new LinkedHashMap<>();
            answers.get(0).forEach(each -> byPartition.put(each.partition().partition(), each));
            answers.clear();
            return byPartition;
        }

        void nobodyIsAnswered() {
            assertEquals(List.of(), answers);
        }

        @Override
        public LeaderReplica leader(PartitionId partition) {
            return logs.leader(partition.partition());
        }

        @Override
        public Failure whyNot(ReadPartition wish) {
            return Failure.of(FailureCode.NOT_LEADER, "not led here");
        }

        @Override
        public Timers timers() {
            return host.ports().timers();
        }

        @Override
        public long nanos() {
            return host.clock().monotonicNanos();
        }

        @Override
        public ReplicationThrottles.Side throttle() {
            return throttles.leading();
        }

        @Override
        public void soon(Runnable task) {
            host.ports().timers().after(0, task);
        }
    }

    private static long end(News news) {
        long end = -1;
        for (RecordBatch each : MemoryRecords.readableRecords(
                        LedLogs.bytes(news.outcome().result()))
                .batches()) {
            end = each.lastOffset() + 1;
        }
        return end;
    }

    private static Lab caughtUp(int partitions) {
        Lab lab = new Lab(3, partitions);
        ReadPartition[] all = new ReadPartition[partitions];
        for (int i = 0; i < partitions; i++) {
            all[i] = Lab.wish(i, 0, 1);
        }
        lab.fetch(all);
        lab.host.runFor(20);
        assertEquals(partitions, lab.answer().size(), "a new session is told where each partition stands");
        lab.fetch();
        lab.host.runFor(100);
        lab.nobodyIsAnswered();
        return lab;
    }

    @Test
    void onlyThePartitionThatGotRecordsIsTold() {
        Lab lab = caughtUp(3);
        lab.append(1, 2);
        lab.host.runFor(5);
        Map<Integer, News> told = lab.answer();
        assertEquals(Set.of(1), told.keySet());
        assertEquals(2, end(told.get(1)));
        lab.fetch(Lab.wish(1, 2, 1));
        assertEquals(2, lab.logs.log(1).highWatermark(), "what it asks for acknowledges all before");
        lab.host.runFor(5);
        lab.nobodyIsAnswered();
        lab.host.runFor(30);
        told = lab.answer();
        assertEquals(Set.of(1), told.keySet(), "the high watermark, a little later");
        assertEquals(2, told.get(1).outcome().result().highWatermark());
        lab.fetch();
        lab.host.runFor(490);
        lab.nobodyIsAnswered();
        lab.host.runFor(100);
        assertEquals(Set.of(), lab.answer().keySet(), "its time is up");
    }

    @Test
    void recordsThatWereNotTakenAreToldAgain() {
        Lab lab = caughtUp(2);
        lab.append(0, 1);
        lab.host.runFor(5);
        assertEquals(1, end(lab.answer().get(0)));
        lab.fetch();
        assertEquals(1, end(lab.answer().get(0)), "its wish is as before");
    }

    @Test
    void theNextFetchEndsTheWaitOfTheLastOne() {
        Lab lab = caughtUp(2);
        lab.fetch();
        assertEquals(Set.of(), lab.answer().keySet());
        lab.append(1, 1);
        lab.host.runFor(5);
        assertEquals(Set.of(1), lab.answer().keySet());
    }

    @Test
    void whatIsForgottenIsNotTold() {
        Lab lab = caughtUp(2);
        lab.fetch(1 << 20, List.of(), List.of(Lab.id(1)));
        lab.answer();
        lab.append(1, 1);
        lab.host.runFor(400);
        lab.nobodyIsAnswered();
    }

    @Test
    void theLimitIsSharedInTurns() {
        Lab lab = caughtUp(3);
        for (int i = 0; i < 3; i++) {
            lab.append(i, 10);
        }
        lab.host.runFor(5);
        lab.answer().values().forEach(FollowerSessionTest::end);
        Set<Integer> served = new LinkedHashSet<>();
        for (int i = 0; i < 3; i++) {
            lab.fetch(1, List.of(), List.of());
            Map<Integer, News> told = lab.answer();
            assertEquals(1, told.size(), "at least one batch, and no more than the limit");
            told.values().forEach(FollowerSessionTest::end);
            served.addAll(told.keySet());
        }
        assertEquals(Set.of(0, 1, 2), served);
    }

    @Test
    void aNewEpochAndAnEndOfLeadershipAreToldAtOnce() {
        Lab lab = caughtUp(2);
        lab.logs.lead(0, 2);
        lab.host.runFor(5);
        Map<Integer, News> told = lab.answer();
        assertEquals(
                FailureCode.FENCED_LEADER_EPOCH, told.get(0).outcome().failure().code());
        lab.fetch(Lab.wish(0, 0, 2));
        lab.host.runFor(100);
        lab.nobodyIsAnswered();
        lab.logs.resign(1);
        lab.host.runFor(5);
        assertEquals(
                FailureCode.NOT_LEADER, lab.answer().get(1).outcome().failure().code());
    }

    @Test
    void aProcessThatIsNotTheLatestGetsNothing() {
        Lab lab = new Lab(3, 1);
        lab.append(0, 1);
        lab.host.runFor(5);
        lab.session.fetch(
                new SessionRead(
                        new SessionId(0, 1),
                        new Reader(2, LedLogs.FOLLOWERS_EPOCH - 1),
                        List.of(Lab.wish(0, 1, 1)),
                        List.of(),
                        1,
                        1_000,
                        500),
                (news, failure) -> lab.answers.add(news));
        assertEquals(
                FailureCode.NOT_LEADER, lab.answer().get(0).outcome().failure().code());
        assertEquals(0, lab.logs.log(0).highWatermark(), "nor does it acknowledge anything");
    }

    @Test
    void whoIsNotInSyncGetsNoMoreThanItsRate() {
        for (boolean inSync : new boolean[] {false, true}) {
            Lab lab = caughtUp(1);
            lab.throttle(200);
            if (!inSync) {
                lab.logs.withoutFollower(0);
            }
            lab.append(0, 30);
            lab.host.runFor(5);
            assertEquals(30, end(lab.answer().get(0)));
            lab.append(0, 1);
            lab.fetch(Lab.wish(0, 30, 1));
            lab.host.runFor(5);
            assertEquals(inSync ? 1 : 0, lab.answers.size(), "its rate is used up");
            lab.host.runFor(600);
            assertEquals(inSync ? 31 : -1, end(lab.answer().get(0)), "the high watermark is told all the same");
            lab.host.runFor(20_000);
            lab.fetch();
            assertEquals(31, end(lab.answer().get(0)), "time has passed");
        }
    }

    @Test
    void whoRestsComesBackIntoTheIsrWithoutSayingMore() {
        Lab lab = caughtUp(2);
        lab.logs.withoutFollower(0);
        lab.logs.proposals.clear();
        lab.fetch();
        lab.host.runFor(600);
        lab.answers.clear();
        lab.fetch();
        assertEquals(List.of("orders-0"), lab.logs.proposals);
    }

    @Test
    void aProcessThatRegistersAgainIsCountedInItsNewEpoch() {
        Lab lab = caughtUp(1);
        lab.append(0, 1);
        lab.host.runFor(5);
        lab.answer();
        lab.logs.followersEpoch++;
        lab.fetch(Lab.wish(0, 1, 1));
        lab.host.runFor(600);
        assertEquals(
                FailureCode.NOT_LEADER, lab.answer().get(0).outcome().failure().code(), "of the former epoch");
        assertEquals(0, lab.logs.log(0).highWatermark());
        lab.epoch++;
        lab.fetch();
        lab.host.runFor(600);
        lab.answer();
        assertEquals(1, lab.logs.log(0).highWatermark());
    }

    @Test
    void anEndedSessionWatchesNothing() {
        Lab lab = caughtUp(2);
        lab.session.end();
        assertEquals(Set.of(), lab.answer().keySet());
        lab.append(0, 1);
        lab.host.runFor(1_000);
        lab.nobodyIsAnswered();
    }

    /** A follower that behaves as ours do, with interruptions, forgets and changes of leaders: nothing is kept from it. */
    @Test
    void whateverHappensTheFollowerHearsOfAll() {
        for (long seed = 1; seed <= 200; seed++) {
            new Run(seed).go();
        }
    }

    private static final class Run {
        private static final int PARTITIONS = 5;
        private final long seed;
        private final Random random;
        private final Lab lab;
        private final long[] have = new long[PARTITIONS];
        private final long[] asked = new long[PARTITIONS];
        private final long[] highWatermark = new long[PARTITIONS];
        private final int[] epochs = new int[PARTITIONS];
        private final boolean[] inSession = new boolean[PARTITIONS];
        private int underWay;

        Run(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.lab = new Lab(seed, PARTITIONS);
        }

        private void fetch() {
            List<ReadPartition> changed = new ArrayList<>();
            List<PartitionId> forgotten = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                if (inSession[i] && random.nextInt(20) == 0) {
                    inSession[i] = false;
                    forgotten.add(Lab.id(i));
                } else if (!inSession[i] || have[i] != asked[i]) {
                    inSession[i] = true;
                    asked[i] = have[i];
                    changed.add(new ReadPartition(
                            Lab.id(i), epochs[i], have[i], have[i] == 0 ? -1 : epochAt(i), 0, 1 + random.nextInt(400)));
                }
            }
            underWay++;
            lab.fetch(random.nextInt(600), changed, forgotten);
        }

        private int epochAt(int partition) {
            return lab.logs.log(partition).epochFor(have[partition] - 1);
        }

        private void take() {
            List<List<News>> all = new ArrayList<>(lab.answers);
            lab.answers.clear();
            for (List<News> answer : all) {
                underWay--;
                Set<Integer> seen = new LinkedHashSet<>();
                for (News each : answer) {
                    int partition = each.partition().partition();
                    assertTrue(seen.add(partition), "seed " + seed + ": twice in an answer");
                    if (each.outcome().failure() != null) {
                        inSession[partition] = false;
                        epochs[partition] = Math.max(1, epochs[partition]);
                        LeaderReplica leader = lab.logs.leader(partition);
                        epochs[partition] = leader == null ? epochs[partition] : leader.leaderEpoch();
                        continue;
                    }
                    highWatermark[partition] = each.outcome().result().highWatermark();
                    ByteBuffer records = LedLogs.bytes(each.outcome().result());
                    for (RecordBatch batch :
                            MemoryRecords.readableRecords(records).batches()) {
                        if (batch.baseOffset() == have[partition]) {
                            have[partition] = batch.lastOffset() + 1;
                        }
                    }
                }
            }
        }

        void go() {
            for (int i = 0; i < PARTITIONS; i++) {
                epochs[i] = 1;
            }
            for (int step = 0; step < 150; step++) {
                int partition = random.nextInt(PARTITIONS);
                switch (random.nextInt(10)) {
                    case 0, 1, 2, 3 -> {
                        if (lab.logs.leader(partition) != null) {
                            lab.append(partition, 1 + random.nextInt(3));
                        }
                    }
                    case 4 -> {
                        if (random.nextInt(6) == 0) {
                            // A new role begins when nothing that a former one began is under way.
                            lab.host.runFor(100);
                            lab.logs.lead(partition, epochs[partition] + 1 + random.nextInt(2));
                        }
                    }
                    case 5 -> {
                        if (underWay == 1) {
                            fetch();
                        }
                    }
                    default -> lab.host.runFor(random.nextInt(30));
                }
                take();
                if (underWay == 0) {
                    fetch();
                }
            }
            for (int round = 0; round < 400; round++) {
                lab.host.runFor(10);
                take();
                if (underWay == 0) {
                    fetch();
                }
            }
            for (int i = 0; i < PARTITIONS; i++) {
                String where = "seed " + seed + ", partition " + i;
                assertEquals(lab.logs.log(i).logEndOffset(), have[i], where);
                assertEquals(have[i], lab.logs.log(i).highWatermark(), where + ": committed");
                assertEquals(have[i], highWatermark[i], where + ": told");
            }
        }
    }
}
