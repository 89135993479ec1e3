package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import coordinator.InstantRuntime.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one client can make the coordinator keep is bounded, whatever it names; groups that are there go on, and loading takes all that was taken before. */
class GroupMemoryTest {
    private static final long MOST = 200_000;
    private static final long HARD = MOST + MOST / 4;
    private static final int MOST_STEPS = 20_000;
    private static final String LONG = "x".repeat(4_000);
    private static final Uuid TOPIC = new Uuid(1, 1);

    private final ShardBench bench = new ShardBench(
            ShardBench.config("group.initial.rebalance.delay.ms=0", "group.consumer.assignment.interval.ms=0"),
            new TopicImages().topic("t", 1_000).image(),
            1);

    /** A simple group, a classic one with a member, and one of KIP-848. */
    @BeforeEach
    void someGroups() {
        bench.reloadWithin(MOST);
        assertEquals(Errors.NONE, commit("plain", 0, "old"));
        FakeConsumer consumer = new FakeConsumer(bench, "consumers", "m").topics("t");
        assertEquals(Errors.NONE, consumer.error());
        JoinGroupResponseData joined = joinAndSync("classic", new byte[10]);
        assertEquals(Errors.NONE.code(), joined.errorCode());
    }

    private Errors commit(String group, int partition, String metadata) {
        return Errors.forCode(OffsetAsks.errors(bench.write(
                                shard -> shard.offsets().commit(request(group, partition, metadata), (short) 9))
                        .value())
                .get(0));
    }

    private static OffsetCommitRequestData request(String group, int partition, String metadata) {
        OffsetCommitRequestData request = OffsetAsks.commit(group, "t", TOPIC, partition, 5);
        request.topics().get(0).partitions().get(0).setCommittedMetadata(metadata);
        return request;
    }

    private static JoinGroupRequestData joining(String group, String member, byte[] metadata) {
        JoinGroupRequestData request = ClassicLab.joining(member).setGroupId(group);
        request.protocols().forEach(each -> each.setMetadata(metadata));
        return request;
    }

    /** @param version below 4: it joins without being handed out an id first */
    private Answer<JoinGroupResponseData> join(JoinGroupRequestData request, int version) {
        ClientInfo client = new ClientInfo("client", "/10.0.0.1", (short) version);
        return bench.park(new ClassicJoin(client, request));
    }

    private JoinGroupResponseData joinAndSync(String group, byte[] assignment) {
        Answer<JoinGroupResponseData> join = join(joining(group, "", new byte[0]), 3);
        bench.advance(1);
        JoinGroupResponseData joined = join.value();
        if (joined.errorCode() == Errors.NONE.code()) {
            joined.setErrorCode(sync(group, joined, assignment).code());
        }
        return joined;
    }

    private Errors sync(String group, JoinGroupResponseData joined, byte[] assignment) {
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setGroupId(group)
                .setMemberId(joined.memberId())
                .setGenerationId(joined.generationId());
        request.assignments()
                .add(new SyncGroupRequestAssignment()
                        .setMemberId(joined.memberId())
                        .setAssignment(assignment));
        Answer<SyncGroupResponseData> answer =
                bench.park((shard, done) -> shard.classic().sync(request, done));
        return Errors.forCode(answer.value().errorCode());
    }

    /** Does it until it is refused for good; then the coordinator loads its partition again, also with less room. */
    private void attack(IntFunction<Errors> step) {
        fill(step);
        bench.reloadWithin(MOST);
        othersGoOn();
        bench.reloadWithin(MOST / 10);
        othersGoOn();
    }

    /** Of what dies with the shard. */
    private void fill(IntFunction<Errors> step) {
        Errors last = Errors.NONE;
        for (int i = 0; i < MOST_STEPS; i++) {
            last = step.apply(i);
            if (last == Errors.COORDINATOR_NOT_AVAILABLE) {
                break;
            }
        }
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, last);
        assertTrue(bench.stateBytes() > MOST / 2, bench.stateBytes() + " bytes");
        othersGoOn();
    }

    private void othersGoOn() {
        // One step may go beyond by what it brings along.
        assertTrue(bench.stateBytes() < HARD + 20_000, bench.stateBytes() + " bytes");
        assertEquals(Errors.NONE, commit("plain", 0, "new"));
        FakeConsumer consumer = new FakeConsumer(bench, "consumers", "m").topics("t");
        assertEquals(Errors.NONE, consumer.error());
        assertEquals(Errors.NONE, consumer.error());
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, commit("newcomer", 0, ""));
        assertEquals(
                Errors.COORDINATOR_NOT_AVAILABLE,
                Errors.forCode(joinAndSync("newcomer", new byte[0]).errorCode()));
        assertEquals(
                Errors.COORDINATOR_NOT_AVAILABLE,
                new FakeConsumer(bench, "newcomer", "m").topics("t").error());
    }

    @Test
    void groupsThatOnlyCommit() {
        attack(i -> commit("g" + i, 0, ""));
    }

    @Test
    void longNamesOfGroups() {
        attack(i -> commit(i + LONG, 0, ""));
    }

    @Test
    void partitionsAndMetadataOfOneGroup() {
        attack(i -> commit(i < 1_000 ? "g" : "h" + i, i % 1_000, LONG));
    }

    @Test
    void metadataThatReplacesShorter() {
        for (int i = 0; i < 100; i++) {
            assertEquals(Errors.NONE, commit("g", i, ""));
        }
        attack(i -> i < 100 ? commit("g", i, LONG) : commit("h" + i, 0, LONG));
    }

    private Errors commitMany(String group, int partitions, String metadata, boolean transactional) {
        OffsetCommitRequestData request = request(group, 0, metadata);
        for (int i = 1; i < partitions; i++) {
            request.topics()
                    .get(0)
                    .partitions()
                    .add(request(group, i, metadata)
                            .topics()
                            .get(0)
                            .partitions()
                            .get(0));
        }
        OffsetCommitResponseData answer = bench.write(shard -> transactional
                        ? shard.offsets().commitInTransaction(request, (short) 5)
                        : shard.offsets().commit(request, (short) 9))
                .value();
        List<Short> errors = OffsetAsks.errors(answer);
        assertEquals(partitions, errors.size());
        assertEquals(1, errors.stream().distinct().count(), "all or none");
        return Errors.forCode(errors.get(0));
    }

    /** A first commit has no more room than those that follow it. */
    @Test
    void aFirstCommitOfManyPartitions() {
        long before = bench.stateBytes();
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, commitMany("new", 1_000, LONG, false));
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, commitMany("new", 1_000, LONG, true));
        assertEquals(before, bench.stateBytes());
        assertEquals(Errors.NONE, commitMany("new", 10, LONG, false));
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, commitMany("new", 1_000, LONG, false));
    }

    /** What a topic takes is counted once, whether or not its group is there yet. */
    @Test
    void manyPartitionsOfOneTopicFit() {
        for (String group : List.of("plain", "new")) {
            long before = bench.stateBytes();
            assertEquals(Errors.NONE, commitMany(group, 400, "", false), group);
            assertTrue(bench.stateBytes() - before < MOST / 2, group);
        }
    }

    @Test
    void offsetsOfOpenTransactions() {
        fill(i -> {
            OffsetCommitResponseData answer = bench.write(
                            shard -> shard.offsets().commitInTransaction(request("g", 0, LONG), (short) 5))
                    .value();
            // As the runtime does with a record of a transaction.
            if (OffsetAsks.errors(answer).get(0) == Errors.NONE.code()) {
                bench.shard()
                        .replayTransactional(
                                i,
                                (short) 0,
                                new records.schemas.OffsetCommitRecord(
                                        "g",
                                        "t",
                                        0,
                                        new records.schemas.OffsetCommitRecord.Value(5, -1, LONG, 1, -1, TOPIC)));
            }
            return Errors.forCode(OffsetAsks.errors(answer).get(0));
        });
    }

    @Test
    void idsThatNobodyJoinsWith() {
        fill(i -> {
            Errors error = Errors.forCode(
                    join(joining("g" + i, "", new byte[0]), 9).value().errorCode());
            return error == Errors.MEMBER_ID_REQUIRED ? Errors.NONE : error;
        });
    }

    /** Of one group, which never completes its rebalance. */
    @Test
    void membersWithLargeMetadata() {
        attack(i -> {
            Answer<JoinGroupResponseData> join = join(joining("g", "", new byte[4_000]), 3);
            return join.isDone() ? Errors.forCode(join.value().errorCode()) : Errors.NONE;
        });
    }

    @Test
    void instanceIds() {
        attack(i -> {
            JoinGroupRequestData request = joining("g", "", new byte[0]).setGroupInstanceId(i + LONG);
            Answer<JoinGroupResponseData> join = join(request, 9);
            return join.isDone() ? Errors.forCode(join.value().errorCode()) : Errors.NONE;
        });
    }

    @Test
    void assignmentsOfLeaders() {
        attack(i -> Errors.forCode(joinAndSync("g" + i, new byte[10_000]).errorCode()));
    }

    @Test
    void groupsOfKip848() {
        attack(i -> new FakeConsumer(bench, "g" + i, "m").topics("t").error());
    }

    @Test
    void membersAndNamesOfKip848() {
        attack(i ->
                new FakeConsumer(bench, "g", "m" + i).topics(LONG, "other" + i).error());
    }

    @Test
    void subscriptionsOfKip848ThatGrow() {
        attack(i -> {
            FakeConsumer consumer = new FakeConsumer(bench, "g" + i / 2, "m");
            return (i % 2 == 0 ? consumer.topics("none") : consumer.topics(LONG, LONG + 1)).error();
        });
    }

    /** What was counted is forgotten with what it was for. */
    @Test
    void nothingIsLeftOfGroupsThatAreGone() {
        for (int i = 0; i < 5; i++) {
            String group = "g" + i;
            assertEquals(Errors.NONE, commit(group, i, LONG));
            FakeConsumer consumer = new FakeConsumer(bench, "c" + i, "m").topics("t", LONG);
            assertEquals(Errors.NONE, consumer.error());
            consumer.leave(-1);
            joinAndSync("j" + i, new byte[100]);
            join(joining("p" + i, "", new byte[0]), 9);
        }
        bench.advance(60_000);
        List<String> all = new ArrayList<>();
        bench.shard().groups().all().forEach(each -> all.add(each.id()));
        bench.write(shard -> shard.admin().delete(all));
        assertEquals(List.of(), List.copyOf(bench.shard().groups().all()));
        assertEquals(0, bench.stateBytes());
    }
}
