package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import coordinator.Coordinator;
import coordinator.InstantRuntime.Answer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import services.ClusterImages;

/** Commits, reads, deletions and expiry of offsets of groups without members. */
class CommittedOffsetsTest {
    private static final short COMMIT = 9;
    private static final Uuid A = new Uuid(1, 1);
    private static final Uuid B = new Uuid(1, 2);
    private static final long MINUTE = 60_000;
    private static final MetadataImage IMAGE =
            new ClusterImages().topic("a", A, 4, 1).topic("b", B, 4, 1).image();

    private ShardBench bench =
            new ShardBench(ShardBench.config("offsets.retention.minutes=60", "offset.metadata.max.bytes=10"), IMAGE, 1);

    private List<Short> commit(OffsetCommitRequestData request) {
        return OffsetAsks.errors(
                bench.<OffsetCommitResponseData>write(shard -> shard.offsets().commit(request, COMMIT))
                        .value());
    }

    private void commit(String group, String topic, int partition, long offset) {
        Uuid id = topic.equals("a") ? A : B;
        assertEquals(List.of((short) 0), commit(OffsetAsks.commit(group, topic, id, partition, offset)));
    }

    private Map<String, Long> all(String group) {
        return OffsetAsks.offsets(read(OffsetAsks.all(group)));
    }

    private OffsetFetchResponseGroup read(OffsetFetchRequestGroup asked) {
        return bench.<OffsetFetchResponseGroup>read(shard -> shard.offsets().read(asked))
                .value();
    }

    private OffsetDeleteResponseData delete(String group, String topic, int... partitions) {
        return bench.<OffsetDeleteResponseData>write(
                        shard -> shard.offsets().delete(OffsetAsks.delete(group, topic, partitions)))
                .value();
    }

    private List<String> groups() {
        return bench.<List<ListedGroup>>read(shard -> shard.admin().list(List.of(), List.of())).value().stream()
                .map(ListedGroup::groupId)
                .toList();
    }

    private Map<String, Errors> deleteGroups(String... ids) {
        Coordinator.Write<GroupShard, Map<String, Errors>> request =
                shard -> shard.admin().delete(List.of(ids));
        return bench.write(request).value();
    }

    @Test
    void theLastCommitIsRead() {
        commit("g", "a", 0, 10);
        commit("g", "a", 0, 12);
        commit("g", "a", 0, 11);
        commit("g", "b", 3, 1);
        commit("h", "a", 0, 5);
        assertEquals(Map.of("a-0", 11L, "b-3", 1L), all("g"));
        bench.reload();
        assertEquals(Map.of("a-0", 11L, "b-3", 1L), all("g"));
        assertEquals(Map.of("a-0", 5L), all("h"));
    }

    @Test
    void whatWasNeverCommittedIsMinusOne() {
        commit("g", "a", 0, 10);
        OffsetFetchResponseGroup answer = read(OffsetAsks.some("g", "a", A, 0, 1));
        assertEquals(Map.of("a-0", 10L, "a-1", -1L), OffsetAsks.offsets(answer));
        assertEquals("at 10", answer.topics().get(0).partitions().get(0).metadata());
        assertEquals(-1, answer.topics().get(0).partitions().get(1).committedLeaderEpoch());
        assertEquals("", answer.topics().get(0).partitions().get(1).metadata());
        OffsetFetchResponseGroup nobody = read(OffsetAsks.some("nobody", "a", A, 2));
        assertEquals(0, nobody.errorCode());
        assertEquals(Map.of("a-2", -1L), OffsetAsks.offsets(nobody));
        assertEquals(Map.of(), all("nobody"));
    }

    @Test
    void aReadWaitsForTheCommitThatItSees() {
        commit("g", "a", 0, 1);
        bench.holdCommits();
        Answer<OffsetCommitResponseData> commit =
                bench.write(shard -> shard.offsets().commit(OffsetAsks.commit("g", "a", A, 0, 2), COMMIT));
        Answer<OffsetFetchResponseGroup> read =
                bench.read(shard -> shard.offsets().read(OffsetAsks.all("g")));
        assertFalse(commit.isDone());
        assertFalse(read.isDone());
        bench.failAppend();
        assertNotEquals(null, commit.failure());
        assertNotEquals(null, read.failure());
        assertEquals(Map.of("a-0", 1L), all("g"));
    }

    @Test
    void longMetadataIsRefusedByPartition() {
        OffsetCommitRequestData request = OffsetAsks.commit("g", "a", A, 0, 1);
        request.topics()
                .get(0)
                .partitions()
                .add(new OffsetCommitRequestPartition()
                        .setPartitionIndex(1)
                        .setCommittedOffset(2)
                        .setCommittedMetadata("x".repeat(11)));
        assertEquals(List.of((short) 0, Errors.OFFSET_METADATA_TOO_LARGE.code()), commit(request));
        assertEquals(Map.of("a-0", 1L), all("g"));
    }

    @Test
    void nobodyIsAMemberOfAGroupThatDoesNotExist() {
        OffsetCommitRequestData request = OffsetAsks.commit("g", "a", A, 0, 1).setGenerationIdOrMemberEpoch(3);
        assertEquals(List.of(Errors.GROUP_ID_NOT_FOUND.code()), commit(request));
        OffsetCommitResponseData old = bench.<OffsetCommitResponseData>write(
                        shard -> shard.offsets().commit(request, (short) 8))
                .value();
        assertEquals(List.of(Errors.ILLEGAL_GENERATION.code()), OffsetAsks.errors(old));
        commit("g", "a", 0, 1);
        assertEquals(List.of(Errors.UNKNOWN_MEMBER_ID.code()), commit(request));
        assertEquals(List.of("g"), groups());
    }

    @Test
    void anOffsetOfADeletedTopicSaysNothingOfItsSuccessor() {
        commit("g", "a", 0, 10);
        assertEquals(Map.of("a-0", -1L), OffsetAsks.offsets(read(OffsetAsks.some("g", "a", B, 0))));
        assertEquals(Map.of("a-0", 10L), OffsetAsks.offsets(read(OffsetAsks.some("g", "a", Uuid.ZERO_UUID, 0))));
    }

    @Test
    void offsetsOfDeletedTopicsGo() {
        commit("g", "a", 0, 10);
        commit("g", "b", 0, 11);
        commit("h", "a", 1, 12);
        bench.image(new ClusterImages().topic("b", B, 4, 1).image());
        assertEquals(Map.of("b-0", 11L), all("g"));
        assertEquals(Map.of(), all("h"));
        bench.reload();
        assertEquals(Map.of("b-0", 11L), all("g"));
    }

    @Test
    void offsetsOfATopicDeletedWhileNobodyLookedGoAtTheNextCheck() {
        commit("g", "a", 0, 10);
        commit("g", "b", 0, 11);
        ShardBench later = new ShardBench(
                ShardBench.config(), new ClusterImages().topic("b", B, 4, 1).image(), 1);
        bench.log().forEach(later.shard()::replay);
        later.advance(10 * MINUTE);
        bench = later;
        assertEquals(Map.of("b-0", 11L), all("g"));
    }

    @Test
    void deletion() {
        commit("g", "a", 0, 10);
        commit("g", "a", 1, 11);
        OffsetDeleteResponseData answer = delete("g", "a", 0, 3);
        assertEquals(0, answer.errorCode());
        assertEquals(2, answer.topics().find("a").partitions().size());
        assertEquals(Map.of("a-1", 11L), all("g"));
        assertEquals(Errors.GROUP_ID_NOT_FOUND.code(), delete("nobody", "a", 0).errorCode());
        bench.reload();
        assertEquals(Map.of("a-1", 11L), all("g"));
    }

    @Test
    void offsetsExpireAndTheGroupWithTheLast() {
        commit("g", "a", 0, 10);
        bench.advance(30 * MINUTE);
        commit("g", "a", 1, 11);
        bench.advance(29 * MINUTE);
        assertEquals(Map.of("a-0", 10L, "a-1", 11L), all("g"));
        bench.advance(11 * MINUTE);
        assertEquals(Map.of("a-1", 11L), all("g"));
        bench.reload();
        assertEquals(Map.of("a-1", 11L), all("g"));
        bench.advance(40 * MINUTE);
        assertEquals(Map.of(), all("g"));
        assertEquals(List.of(), groups());
        bench.reload();
        assertEquals(List.of(), groups());
    }

    @Test
    void anOldCommitSetsItsOwnRetention() {
        OffsetCommitRequestData shorter = OffsetAsks.commit("g", "a", A, 0, 1).setRetentionTimeMs(5 * MINUTE);
        OffsetCommitRequestData longer = OffsetAsks.commit("g", "a", A, 1, 2).setRetentionTimeMs(500 * MINUTE);
        OffsetCommitRequestData forever = OffsetAsks.commit("g", "a", A, 2, 3).setRetentionTimeMs(Long.MAX_VALUE);
        List.of(shorter, longer, forever)
                .forEach(each -> bench.<OffsetCommitResponseData>write(
                                shard -> shard.offsets().commit(each, (short) 2))
                        .value());
        bench.advance(10 * MINUTE);
        assertEquals(Map.of("a-1", 2L, "a-2", 3L), all("g"));
        bench.reload();
        bench.advance(480 * MINUTE);
        assertEquals(Map.of("a-1", 2L, "a-2", 3L), all("g"));
        bench.advance(20 * MINUTE);
        assertEquals(Map.of("a-2", 3L), all("g"));
    }

    private void commitMany(String group) {
        OffsetCommitRequestData request = OffsetAsks.commit(group, "a", A, 0, 1);
        for (int i = 1; i < 20_000; i++) {
            request.topics()
                    .get(0)
                    .partitions()
                    .add(new OffsetCommitRequestPartition().setPartitionIndex(i).setCommittedOffset(i));
        }
        commit(request);
    }

    @Test
    void aPieceThatIsRefusedDoesNotEndTheChecksOfRetention() {
        commitMany("big");
        bench.refuseNext(FailureCode.RECORD_LIST_TOO_LARGE);
        bench.advance(70 * MINUTE);
        bench.advance(70 * MINUTE);
        assertEquals(List.of(), groups());
    }

    @Test
    void manyOffsetsGoInBoundedPieces() {
        commitMany("big");
        commitMany("another");
        commit("small", "b", 0, 1);
        int before = bench.batches().size();
        Map<String, Errors> answers = new TreeMap<>();
        List<String> left = List.of("big", "none", "small");
        while (!left.isEmpty()) {
            answers.putAll(deleteGroups(left.toArray(String[]::new)));
            left = left.stream().filter(id -> !answers.containsKey(id)).toList();
        }
        assertEquals(Map.of("big", Errors.NONE, "none", Errors.GROUP_ID_NOT_FOUND, "small", Errors.NONE), answers);
        assertPieces(before);
        assertEquals(List.of("another"), groups());
        assertEquals(Map.of(), all("big"));

        int beforeExpiry = bench.batches().size();
        bench.advance(70 * MINUTE);
        assertPieces(beforeExpiry);
        assertEquals(List.of(), groups());
        bench.reload();
        assertEquals(List.of(), groups());
        assertEquals(Map.of(), all("another"));
    }

    /** Of about 20,000 small records each. */
    private void assertPieces(int from) {
        List<Integer> pieces = bench.batches().subList(from, bench.batches().size());
        assertTrue(pieces.size() > 2, "pieces: " + pieces);
        assertTrue(pieces.stream().allMatch(each -> each < 10_000), "pieces: " + pieces);
    }

    @Test
    void aCommitBetweenTwoPiecesStays() {
        OffsetCommitRequestData many = OffsetAsks.commit("g", "a", A, 0, 1);
        for (int i = 1; i < 20_000; i++) {
            many.topics()
                    .get(0)
                    .partitions()
                    .add(new OffsetCommitRequestPartition().setPartitionIndex(i).setCommittedOffset(i));
        }
        commit(many);
        bench.advance(59 * MINUTE);
        bench.holdCommits();
        bench.advance(MINUTE);
        Answer<OffsetCommitResponseData> commit =
                bench.write(shard -> shard.offsets().commit(OffsetAsks.commit("g", "a", A, 19_999, 7), COMMIT));
        bench.commit();
        assertEquals(List.of((short) 0), OffsetAsks.errors(commit.value()));
        assertEquals(Map.of("a-19999", 7L), all("g"));
    }
}
