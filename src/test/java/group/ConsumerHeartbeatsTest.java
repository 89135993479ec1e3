package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import records.schemas.GroupRecord;

/** ConsumerGroupHeartbeat, rule by rule. */
class ConsumerHeartbeatsTest {
    private static final int SESSION = 45_000;

    private final TopicImages images = new TopicImages().topic("t", 4);
    private ShardBench bench = bench();

    private ShardBench bench(String... settings) {
        List<String> all = new ArrayList<>(List.of(settings));
        // Each change is assigned at once, but where a test says otherwise.
        all.add(0, "group.consumer.assignment.interval.ms=0");
        return new ShardBench(ShardBench.config(all.toArray(new String[0])), images.image(), 1);
    }

    private FakeConsumer consumer(String id) {
        return new FakeConsumer(bench, "g", id).topics("t");
    }

    private ConsumerGroup group() {
        return (ConsumerGroup) bench.read(shard -> shard.groups().get("g")).value();
    }

    private DescribedGroup described() {
        return bench.read(shard -> shard.consumer().describe(List.of("g")))
                .value()
                .get(0);
    }

    private PartitionSet all(int partitions) {
        PartitionSet.Builder all = new PartitionSet.Builder();
        for (int i = 0; i < partitions; i++) {
            all.add(images.id("t"), i);
        }
        return all.build();
    }

    @Test
    void theFirstMemberGetsEverythingAtOnce() {
        FakeConsumer a = consumer("a");
        ConsumerGroupHeartbeatResponseData answer = a.beat();
        assertEquals(2, answer.memberEpoch(), "Kafka's groups begin at epoch 1");
        assertEquals(5000, answer.heartbeatIntervalMs());
        assertEquals("a", answer.memberId());
        assertEquals(all(4), a.owned());
        assertEquals("Stable", group().state());
        assertNotNull(a.beat().assignment(), "it said everything, so it is told everything");
        assertNull(a.beat().assignment(), "nothing new");
    }

    @Test
    void recordsComeInKafkasOrder() {
        consumer("a").beat();
        assertEquals(
                List.of(
                        "MemberMetadata",
                        "Metadata",
                        "TargetAssignmentMember",
                        "TargetAssignmentMetadata",
                        "CurrentMemberAssignment"),
                bench.log().stream()
                        .map(record -> record.getClass().getSimpleName())
                        .toList());
    }

    @Test
    void aPartitionIsHandedOverOnlyAfterItWasReleased() {
        FakeConsumer a = consumer("a");
        FakeConsumer b = consumer("b");
        a.beat();
        b.beat();
        assertEquals(PartitionSet.EMPTY, b.owned());
        assertEquals(3, b.epoch());
        assertEquals("Reconciling", group().state());
        a.beat();
        assertEquals(2, a.owned().size(), "asked to give up two");
        assertEquals(2, a.epoch(), "not yet at the new epoch");
        b.beat();
        assertEquals(PartitionSet.EMPTY, b.owned(), "G5");
        a.beat();
        assertEquals(3, a.epoch());
        b.beat();
        assertEquals(2, b.owned().size());
        assertEquals("Stable", group().state());
    }

    @Test
    void whoDoesNotGiveUpInTimeIsRemoved() {
        FakeConsumer a = consumer("a").rebalanceTimeout(10_000);
        FakeConsumer b = consumer("b");
        a.beat();
        b.beat();
        a.beat();
        for (int i = 0; i < 2; i++) {
            bench.advance(5_000);
            a.tellAll();
            ConsumerGroupHeartbeatRequestData stubborn = a.request().setTopicPartitions(null);
            a.send(stubborn);
            b.beat();
        }
        assertEquals(Errors.UNKNOWN_MEMBER_ID, a.error());
        b.beat();
        assertEquals(all(4), b.owned());
    }

    @Test
    void aSessionEndsWithoutHeartbeats() {
        FakeConsumer a = consumer("a");
        FakeConsumer b = consumer("b");
        a.beat();
        b.beat();
        for (int i = 0; i < 9; i++) {
            bench.advance(SESSION / 9);
            b.beat();
        }
        assertNull(group().member("a"));
        b.beat();
        assertEquals(all(4), b.owned());
        assertEquals(Errors.UNKNOWN_MEMBER_ID, a.error());
    }

    @Test
    void timersStartAnewAfterALoad() {
        FakeConsumer a = consumer("a");
        a.beat();
        bench.advance(SESSION - 1);
        bench.reload();
        bench.advance(SESSION - 1);
        assertNotNull(group().member("a"), "G9");
        bench.advance(1);
        assertNull(group().member("a"));
        assertEquals("Empty", group().state());
    }

    @Test
    void aLostAnswerIsGivenAgain() {
        FakeConsumer a = consumer("a");
        FakeConsumer b = consumer("b");
        a.beat();
        b.beat();
        a.beat();
        ConsumerGroupHeartbeatResponseData lost = a.beatUnheard();
        assertEquals(3, lost.memberEpoch());
        assertEquals(2, a.epoch());
        assertEquals(Errors.NONE, a.tellAll().error(), "its previous epoch, and no more than it has");
        assertEquals(3, a.epoch());
    }

    @Test
    void epochsThatDoNotFitAreFenced() {
        FakeConsumer a = consumer("a");
        a.beat();
        ConsumerGroupHeartbeatRequestData ahead = a.request().setMemberEpoch(7);
        assertEquals(Errors.FENCED_MEMBER_EPOCH.code(), a.send(ahead).errorCode());
        ConsumerGroupHeartbeatRequestData behind = a.request().setMemberEpoch(1);
        assertEquals(Errors.FENCED_MEMBER_EPOCH.code(), a.send(behind).errorCode());
        FakeConsumer b = consumer("b");
        b.beat();
        a.beat();
        a.beatUnheard();
        ConsumerGroupHeartbeatRequestData silent = a.request().setTopicPartitions(null);
        assertEquals(Errors.FENCED_MEMBER_EPOCH.code(), a.send(silent).errorCode(), "it does not say what it has");
    }

    @Test
    void unknownGroupsAndMembers() {
        FakeConsumer a = consumer("a");
        ConsumerGroupHeartbeatRequestData alive = a.request().setMemberEpoch(3);
        assertEquals(Errors.GROUP_ID_NOT_FOUND.code(), a.send(alive).errorCode());
        assertEquals(Errors.GROUP_ID_NOT_FOUND.code(), a.leave(-1).errorCode());
        a.beat();
        FakeConsumer b = consumer("b");
        assertEquals(
                Errors.UNKNOWN_MEMBER_ID.code(),
                b.send(b.request().setMemberEpoch(2)).errorCode());
        assertEquals(Errors.UNKNOWN_MEMBER_ID.code(), b.leave(-1).errorCode());
    }

    @Test
    void leavingFreesEverything() {
        FakeConsumer a = consumer("a");
        FakeConsumer b = consumer("b");
        a.beat();
        b.beat();
        ConsumerGroupHeartbeatResponseData answer = a.leave(-1);
        assertEquals(-1, answer.memberEpoch());
        b.beat();
        assertEquals(all(4), b.owned());
        b.leave(-1);
        assertEquals("Empty", group().state());
        assertEquals(group().epoch(), group().assignmentEpoch(), "nobody to assign to");
    }

    @Test
    void aRestartedStaticMemberKeepsItsPartitions() {
        FakeConsumer a = consumer("a").instance("i");
        FakeConsumer b = consumer("b");
        a.beat();
        b.beat();
        a.beat();
        a.beat();
        b.beat();
        b.beat();
        PartitionSet had = a.owned();
        int epoch = group().epoch();
        assertEquals(-2, a.leave(-2).memberEpoch());
        FakeConsumer again = consumer("a2").instance("i");
        again.beat();
        assertEquals(had, again.owned());
        assertEquals(epoch, group().epoch(), "no rebalance");
        assertEquals(
                Errors.FENCED_INSTANCE_ID.code(),
                a.send(a.request().setMemberEpoch(epoch)).errorCode());
        assertNull(b.beat().assignment());
    }

    @Test
    void anInstanceIdInUseIsRefused() {
        consumer("a").instance("i").beat();
        assertEquals(Errors.UNRELEASED_INSTANCE_ID, consumer("b").instance("i").error());
        FakeConsumer stranger = consumer("b").instance("j");
        assertEquals(
                Errors.UNKNOWN_MEMBER_ID.code(),
                stranger.send(stranger.request().setMemberEpoch(2)).errorCode());
    }

    @Test
    void aStaticMemberThatStaysAwayIsRemoved() {
        FakeConsumer a = consumer("a").instance("i");
        a.beat();
        a.leave(-2);
        bench.advance(SESSION);
        assertEquals("Empty", group().state());
    }

    @Test
    void requestsThatMakeNoSense() {
        FakeConsumer a = consumer("a");
        List<ConsumerGroupHeartbeatRequestData> wrong = List.of(
                a.request().setMemberId(""),
                a.request().setGroupId(" "),
                a.request().setInstanceId(""),
                a.request().setRackId(""),
                a.request().setRebalanceTimeoutMs(-1),
                a.request().setTopicPartitions(null),
                a.request().setSubscribedTopicNames(null),
                a.request().setMemberEpoch(-2),
                a.request().setMemberEpoch(-3),
                a.request()
                        .setTopicPartitions(List.of(new ConsumerGroupHeartbeatRequestData.TopicPartitions()
                                .setTopicId(images.id("t"))
                                .setPartitions(List.of(1)))));
        for (ConsumerGroupHeartbeatRequestData request : wrong) {
            assertEquals(Errors.INVALID_REQUEST.code(), a.send(request).errorCode(), request::toString);
        }
        assertEquals(Errors.UNSUPPORTED_ASSIGNOR, a.assignor("best").error());
        assertEquals(List.of(), bench.log());
    }

    @Test
    void oldClientsGetTheirIdFromUs() {
        ConsumerGroupHeartbeatRequestData request = consumer("").request();
        assertNull(ConsumerHeartbeatRules.refusal(request, (short) 0, List.of("uniform")));
        ConsumerGroupHeartbeatResponseData answer = bench.write(
                        new ConsumerHeartbeat(new ClientInfo("c", "/h", (short) 0), request))
                .value();
        assertEquals(22, answer.memberId().length());
        assertEquals(Uuid.fromString(answer.memberId()).toString(), answer.memberId());
    }

    @Test
    void aGroupMayBeFull() {
        bench = bench("group.consumer.max.size=2");
        FakeConsumer a = consumer("a");
        a.beat();
        FakeConsumer b = consumer("b").instance("i");
        b.beat();
        assertEquals(Errors.GROUP_MAX_SIZE_REACHED, consumer("c").error());
        a.forget();
        assertEquals(Errors.NONE, a.error());
        b.leave(-2);
        assertEquals(Errors.NONE, consumer("b2").instance("i").error());
    }

    @Test
    void newPartitionsAreAssignedWithTheNextHeartbeat() {
        FakeConsumer a = consumer("a");
        a.beat();
        a.beat();
        int epoch = group().epoch();
        bench.image(images.topic("other", 1).image());
        a.beat();
        assertEquals(epoch, group().epoch(), "it does not read that one");
        bench.image(images.grow("t", 6).image());
        a.beat();
        assertEquals(epoch + 1, group().epoch());
        assertEquals(all(6), a.owned());
    }

    @Test
    void aTopicMadeAnewIsAnotherTopic() {
        FakeConsumer a = consumer("a");
        a.beat();
        images.remove("t").topic("t", 2);
        bench.image(images.image());
        a.beat();
        a.beat();
        assertEquals(all(2), a.owned());
    }

    @Test
    void topicsThatChangedWhileNobodyLooked() {
        FakeConsumer a = consumer("a");
        a.beat();
        a.beat();
        bench.reload();
        int records = bench.log().size();
        a.beat();
        assertEquals(records, bench.log().size(), "the same topics as in the record");
        bench.image(images.grow("t", 5).image());
        bench.reload();
        a.beat();
        assertEquals(5, a.owned().size());
    }

    @Test
    void groupsHaveSettingsOfTheirOwn() {
        images.groupConfig("g", "consumer.session.timeout.ms", "50000")
                .groupConfig("g", "consumer.heartbeat.interval.ms", "7000");
        bench.image(images.image());
        FakeConsumer a = consumer("a");
        assertEquals(7000, a.beat().heartbeatIntervalMs());
        bench.advance(49_999);
        assertNotNull(group().member("a"));
        bench.advance(1);
        assertNull(group().member("a"));
        images.groupConfig("g", "consumer.heartbeat.interval.ms", "70000");
        bench.image(images.image());
        assertEquals(15_000, consumer("b").beat().heartbeatIntervalMs(), "within the broker's bounds");
    }

    @Test
    void changesThatComeSoonAreAssignedTogether() {
        bench = bench("group.consumer.assignment.interval.ms=1000");
        FakeConsumer a = consumer("a");
        a.beat();
        FakeConsumer b = consumer("b");
        b.beat();
        assertEquals(2, b.epoch(), "the last assignment is too young");
        assertEquals("Assigning", group().state());
        bench.advance(999);
        a.beat();
        assertEquals(4, a.owned().size());
        bench.advance(1);
        a.beat();
        assertEquals(2, a.owned().size());
    }

    @Test
    void theGroupUsesTheAssignorThatMostPrefer() {
        consumer("a").assignor("range").beat();
        assertEquals("range", described().assignorName());
        FakeConsumer b = consumer("b").assignor("uniform");
        b.beat();
        FakeConsumer c = consumer("c").assignor("uniform");
        int epoch = group().epoch();
        c.beat();
        assertEquals("uniform", described().assignorName());
        assertTrue(group().epoch() > epoch);
    }

    @Test
    void aDescriptionTellsAll() {
        FakeConsumer a = consumer("a").instance("i");
        FakeConsumer b = consumer("b");
        a.beat();
        b.beat();
        a.beat();
        DescribedGroup described = described();
        assertEquals("Reconciling", described.groupState());
        assertEquals(3, described.groupEpoch());
        assertEquals(3, described.assignmentEpoch());
        assertEquals("uniform", described.assignorName());
        assertEquals(2, described.members().size());
        assertEquals("i", described.members().get(0).instanceId());
        assertEquals("/127.0.0.1", described.members().get(0).clientHost());
        assertEquals((byte) 1, described.members().get(0).memberType());
        assertEquals(List.of("t"), described.members().get(0).subscribedTopicNames());
        assertEquals(
                List.of(0, 1, 2, 3),
                described.members().get(0).assignment().topicPartitions().get(0).partitions().stream()
                        .sorted()
                        .toList(),
                "with what it still has to give up");
        assertEquals(
                2,
                described
                        .members()
                        .get(0)
                        .targetAssignment()
                        .topicPartitions()
                        .get(0)
                        .partitions()
                        .size());
        assertEquals(
                Errors.GROUP_ID_NOT_FOUND.code(),
                bench.read(shard -> shard.consumer().describe(List.of("nobody")))
                        .value()
                        .get(0)
                        .errorCode());
    }

    @Test
    void aFormerOwnerAtItsOldEpochCommitsNothingWhileTheNextOneGivesUp() {
        bench.image(images.topic("u", 4).image());
        FakeConsumer a = consumer("a").topics("t", "u");
        a.beat();
        a.topics("u").tellAll();
        a.beatUnheard();
        FakeConsumer b = consumer("b");
        b.beat();
        consumer("c").topics("u").beat();
        a.beat();
        a.tellAll().beat();
        assertEquals(2, a.epoch(), "it still has to give up some of u");
        b.beat();
        assertEquals(4, b.owned().size());
        CommitVerdict late = group().checkCommit(claim("a", 2));
        assertEquals(Errors.STALE_MEMBER_EPOCH, late.partitions().check("t", images.id("t"), 0), "G7");
        b.topics("u").tellAll();
        b.beatUnheard();
        late = group().checkCommit(claim("a", 2));
        assertEquals(Errors.STALE_MEMBER_EPOCH, late.partitions().check("t", images.id("t"), 0), "G7");
    }

    @Test
    void commitsAreCheckedPartitionByPartition() {
        FakeConsumer a = consumer("a");
        FakeConsumer b = consumer("b");
        a.beat();
        b.beat();
        a.beat();
        a.beat();
        b.beat();
        Uuid t = images.id("t");
        CommitVerdict older = group().checkCommit(claim("a", 2));
        assertEquals(Errors.NONE, older.error());
        int kept = a.owned().of(t).get(0);
        int gone = b.owned().of(t).get(0);
        assertEquals(Errors.NONE, older.partitions().check("t", t, kept), "KIP-1251: it had it all the time");
        assertEquals(Errors.NONE, older.partitions().check("t", Uuid.ZERO_UUID, kept), "by name");
        assertEquals(Errors.STALE_MEMBER_EPOCH, older.partitions().check("t", t, gone), "G7");
        assertEquals(
                Errors.STALE_MEMBER_EPOCH, group().checkCommit(claim("a", 9)).error());
        assertEquals(
                Errors.STALE_MEMBER_EPOCH,
                group().checkCommit(claim("b", 2)).partitions().check("t", t, gone),
                "older than its assignment");
        assertEquals(Errors.NONE, group().checkCommit(claim("b", 3)).error());
        assertEquals(
                Errors.UNKNOWN_MEMBER_ID, group().checkCommit(claim("c", 3)).error());
        assertEquals(
                Errors.UNKNOWN_MEMBER_ID, group().checkCommit(claim("", -1)).error());
        assertEquals(
                Errors.UNSUPPORTED_VERSION,
                group().checkCommit(new CommitClaim("a", null, 3, false, (short) 8))
                        .error());
        assertEquals(
                Errors.NONE,
                group().checkCommit(new CommitClaim("", null, -1, true, (short) 5))
                        .error());
        assertEquals(Errors.STALE_MEMBER_EPOCH, group().checkFetch("a", 2));
        assertEquals(Errors.NONE, group().checkFetch("a", 3));
        assertEquals(Errors.NONE, group().checkFetch(null, -1));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, group().checkFetch("z", 3));
        a.leave(-1);
        b.leave(-1);
        assertEquals(Errors.NONE, group().checkCommit(claim("", -1)).error(), "G10");
    }

    private static CommitClaim claim(String member, int epoch) {
        return new CommitClaim(member, null, epoch, false, (short) 10);
    }

    @Test
    void offsetsOfTopicsThatAreReadDoNotExpire() {
        consumer("a").beat();
        assertEquals(Group.NO_EXPIRY, group().expiryBase("t", 5));
        assertEquals(5, group().expiryBase("u", 5));
    }

    @Test
    void tombstonesRemoveTheGroupAndAllOfIt() {
        FakeConsumer a = consumer("a").pattern("t.*").topics();
        a.beat();
        a.beat();
        List<GroupRecord> tombstones = new ArrayList<>();
        group().tombstones(tombstones);
        bench.write(shard -> coordinator.Result.of(tombstones, null));
        assertNull(group());
        bench.reload();
        assertNull(group());
    }

    @Test
    void aLoadFindsTheSameGroup() {
        FakeConsumer a = consumer("a").instance("i");
        FakeConsumer b = consumer("b").pattern("t|u");
        a.beat();
        b.beat();
        a.beat();
        String before = described().toString();
        bench.reload();
        assertEquals(before, described().toString());
    }

    @Test
    void whatWasNotCommittedNeverWas() {
        FakeConsumer a = consumer("a");
        a.beat();
        FakeConsumer b = consumer("b");
        String before = described().toString();
        bench.holdCommits();
        bench.write(new ConsumerHeartbeat(new ClientInfo("c", "/h", (short) 1), b.request()));
        bench.failAppend();
        assertEquals(before, described().toString());
    }
}
