package services;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Clock;
import common.RandomSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.server.FetchManager;
import org.apache.kafka.server.FetchSession.FetchSessionCache;
import org.apache.kafka.server.FetchSessionCacheShard;
import sim.NoMetrics;

/** One seeded run of our fetch sessions beside those of Apache Kafka 4.4.0's server (KIP-227), request by request. */
final class FetchSessionsComparison {
    private static final String[] TOPICS = {"a", "b", "c"};
    private static final Uuid[] IDS = {new Uuid(1, 1), new Uuid(2, 2), new Uuid(3, 3)};
    private static final MemoryRecords SOME = MemoryRecords.withRecords(
            org.apache.kafka.common.compress.Compression.NONE, new SimpleRecord("x".getBytes(UTF_8)));

    private final Random random;
    private final long seed;
    private final OracleTime time = new OracleTime();
    private final NextId ids = new NextId();
    private final int slots;
    private final FetchSessions ours;
    private final FetchManager oracle;
    private final Map<Uuid, String> names = new LinkedHashMap<>();
    private final List<int[]> clients = new ArrayList<>();

    FetchSessionsComparison(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        this.slots = random.nextInt(5);
        this.ours = new FetchSessions(time, ids, new NoMetrics(), slots);
        this.oracle = new FetchManager(
                time, new FetchSessionCache(List.of(new FetchSessionCacheShard(slots, 120_000, Integer.MAX_VALUE, 0))));
        for (int i = 0; i < TOPICS.length; i++) {
            names.put(IDS[i], TOPICS[i]);
        }
    }

    /** The oracle draws the session ids; ours is told to draw the same. */
    private static final class NextId implements RandomSource {
        int next;

        @Override
        public int below(int bound) {
            return next - 1;
        }

        @Override
        public long nextLong() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class OracleTime implements Clock, org.apache.kafka.common.utils.Time {
        private long millis = 1000;

        @Override
        public long wallMillis() {
            return millis;
        }

        @Override
        public long monotonicNanos() {
            return millis * 1_000_000;
        }

        @Override
        public long milliseconds() {
            return millis;
        }

        @Override
        public long nanoseconds() {
            return millis * 1_000_000;
        }

        @Override
        public void sleep(long ms) {
            millis += ms;
        }

        @Override
        public void waitObject(Object object, java.util.function.Supplier<Boolean> condition, long deadline) {
            throw new UnsupportedOperationException();
        }
    }

    void step(int step) {
        String where = "seed " + seed + ", step " + step;
        time.sleep(random.nextInt(10) == 0 ? 70_000 : random.nextInt(20_000));
        // A client: session id, epoch that it should use next, version.
        if (clients.size() < 6 && random.nextInt(3) == 0) {
            clients.add(new int[] {0, 0, random.nextBoolean() ? 12 : 16});
        }
        if (clients.isEmpty()) {
            return;
        }
        int[] client = clients.get(random.nextInt(clients.size()));
        FetchRequestData request = request(client);
        short version = (short) client[2];
        boolean follower = random.nextInt(10) == 0;
        FetchRequest parsed = new FetchRequest(request, version);
        org.apache.kafka.server.FetchContext theirs = oracle.newContext(
                version, parsed.metadata(), follower, parsed.fetchData(names), parsed.forgottenTopics(names), names);
        FetchContext mine = ours.begin(request, version, follower);
        List<String> theirEntries = new ArrayList<>();
        LinkedHashMap<TopicIdPartition, PartitionData> answers = new LinkedHashMap<>();
        theirs.foreachPartition((partition, data) -> {
            theirEntries.add(partition.topic() + "-" + partition.partition() + "@" + data.fetchOffset + "/"
                    + data.maxBytes + "/" + data.currentLeaderEpoch.orElse(-1));
            answers.put(partition, answer(partition.partition()));
        });
        List<String> myEntries = new ArrayList<>();
        for (FetchEntry each : mine.entries()) {
            myEntries.add(name(each) + "-" + each.partition() + "@" + fields(each));
        }
        assertEquals(theirEntries, myEntries, where);
        // The oracle takes out of its map what it does not send.
        List<PartitionData> inOrder = new ArrayList<>(answers.values());
        FetchResponseData theirResponse =
                theirs.updateAndGenerateResponseData(answers, List.of()).data();
        ids.next = theirResponse.sessionId();
        check(where, mine, inOrder, theirResponse);
        follow(client, theirResponse);
    }

    private static String fields(FetchEntry entry) {
        entry.resolve(metadata.MetadataImage.empty("x"));
        return entry.read().fetchOffset() + "/" + entry.read().maxBytes() + "/" + entry.currentLeaderEpoch();
    }

    private String name(FetchEntry entry) {
        return entry.topic() == null ? names.get(entry.topicId()) : entry.topic();
    }

    private void check(String where, FetchContext mine, List<PartitionData> inOrder, FetchResponseData theirResponse) {
        Errors error = mine.error() == Errors.NONE ? mine.conclude() : mine.error();
        assertEquals(Errors.forCode(theirResponse.errorCode()), error, where);
        if (error != Errors.NONE) {
            return;
        }
        List<String> told = new ArrayList<>();
        for (int i = 0; i < mine.entries().size(); i++) {
            FetchEntry entry = mine.entries().get(i);
            PartitionData data = inOrder.get(i);
            boolean include = mine.answer(
                    entry,
                    new FetchAnswer(
                            FetchResponse.recordsSize(data),
                            data.highWatermark(),
                            data.logStartOffset(),
                            data.errorCode() != 0,
                            FetchResponse.isDivergingEpoch(data)));
            if (include) {
                told.add(name(entry) + "-" + entry.partition());
            }
        }
        List<String> theirTold = new ArrayList<>();
        theirResponse
                .responses()
                .forEach(topic -> topic.partitions()
                        .forEach(each ->
                                theirTold.add((topic.topic().isEmpty() ? names.get(topic.topicId()) : topic.topic())
                                        + "-" + each.partitionIndex())));
        assertEquals(theirTold, told, where);
        assertEquals(theirResponse.sessionId(), mine.sessionId(), where);
        assertTrue(ours.size() <= slots, where);
    }

    private void follow(int[] client, FetchResponseData response) {
        if (response.errorCode() != 0) {
            if (random.nextBoolean()) {
                client[1] = 0;
            }
        } else if (response.sessionId() == 0) {
            client[0] = 0;
            client[1] = random.nextInt(4) == 0 ? -1 : 0;
        } else {
            client[0] = response.sessionId();
            client[1]++;
        }
        if (random.nextInt(40) == 0) {
            client[1] = random.nextInt(4) - 1;
        }
        if (random.nextInt(60) == 0) {
            client[2] = 28 - client[2];
        }
    }

    private FetchRequestData request(int[] client) {
        FetchRequestData request =
                new FetchRequestData().setSessionId(client[0]).setSessionEpoch(client[1]);
        boolean byId = client[2] >= 13;
        boolean full = client[1] <= 0;
        for (int t = 0; t < TOPICS.length; t++) {
            FetchTopic topic = byId ? new FetchTopic().setTopicId(IDS[t]) : new FetchTopic().setTopic(TOPICS[t]);
            for (int p = 0; p < 4; p++) {
                if (random.nextInt(full ? 2 : 5) == 0) {
                    topic.partitions()
                            .add(new FetchPartition()
                                    .setPartition(p)
                                    .setFetchOffset(random.nextInt(100))
                                    .setCurrentLeaderEpoch(random.nextInt(3) - 1)
                                    .setPartitionMaxBytes(1 + random.nextInt(1000)));
                }
            }
            if (!topic.partitions().isEmpty()) {
                request.topics().add(topic);
            }
        }
        if (!full && random.nextInt(3) == 0) {
            int t = random.nextInt(TOPICS.length);
            ForgottenTopic forgotten =
                    byId ? new ForgottenTopic().setTopicId(IDS[t]) : new ForgottenTopic().setTopic(TOPICS[t]);
            for (int p = 0; p < 4; p++) {
                if (random.nextInt(3) > 0) {
                    forgotten.partitions().add(p);
                }
            }
            request.forgottenTopicsData().add(forgotten);
        }
        return request;
    }

    private PartitionData answer(int partition) {
        PartitionData data = new PartitionData()
                .setPartitionIndex(partition)
                .setHighWatermark(random.nextInt(2))
                .setLogStartOffset(random.nextInt(4) == 0 ? 1 : 0)
                .setRecords(random.nextInt(3) == 0 ? SOME : MemoryRecords.EMPTY);
        if (random.nextInt(8) == 0) {
            data.setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())
                    .setHighWatermark(-1)
                    .setLogStartOffset(-1)
                    .setRecords(MemoryRecords.EMPTY);
        } else if (random.nextInt(15) == 0) {
            data.setDivergingEpoch(
                            new FetchResponseData.EpochEndOffset().setEpoch(0).setEndOffset(5))
                    .setRecords(MemoryRecords.EMPTY);
        }
        return data;
    }
}
