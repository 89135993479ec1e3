package services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import common.Callback;
import common.Failure;
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
import java.util.TreeMap;
import java.util.function.Consumer;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Requests about several groups, whose coordinators may fail each for itself. */
class GroupServicesTest {
    private static final int PARTITIONS = 8;
    private static final short COMMIT = 9;
    private static final Uuid T = new Uuid(1, 1);

    private final MetadataImage image = new ClusterImages()
            .topic(Topic.GROUP_METADATA_TOPIC_NAME, new Uuid(1, 2), PARTITIONS, 1)
            .topic("t", T, 40_000, 1)
            .image();
    private final Map<Integer, FailureCode> failing = new TreeMap<>();
    private final Shards shards = new Shards();
    private final GroupCoordinators coordinators = new GroupCoordinators(shards, 1);
    private final GroupOffsetService offsets = new GroupOffsetService(coordinators, 5_000);
    private final GroupAdminService admin = new GroupAdminService(coordinators, 5_000);

    /** One bench for each partition; the one owner, and the way to it. */
    private final class Shards implements GroupCoordinator, Mailboxes {
        private final Map<Integer, ShardBench> benches = new LinkedHashMap<>();
        private int calls;
        private int failAfter = Integer.MAX_VALUE;

        private <T> void run(int partition, Callback<T> done, Consumer<ShardBench> action) {
            calls++;
            FailureCode code = calls > failAfter ? FailureCode.TIMED_OUT : failing.get(partition);
            if (code != null) {
                done.fail(code, "planned");
            } else {
                action.accept(benches.computeIfAbsent(
                        partition, none -> new ShardBench(ShardBench.config(), image, partition)));
            }
        }

        @Override
        public <T> void write(int partition, Write<GroupShard, T> request, Callback<T> done) {
            run(partition, done, bench -> done.succeed(bench.write(request).value()));
        }

        @Override
        public <T> void park(int partition, ParkingWrite<GroupShard, T> request, Callback<T> done) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> void read(int partition, Read<GroupShard, T> question, Callback<T> done) {
            run(partition, done, bench -> done.succeed(bench.read(question).value()));
        }

        @Override
        public <T> void readAll(Read<GroupShard, T> question, Callback<List<T>> done) {
            if (!failing.isEmpty()) {
                done.fail(failing.values().iterator().next(), "planned");
                return;
            }
            List<T> all = new ArrayList<>();
            benches.values().forEach(bench -> all.add(bench.read(question).value()));
            done.succeed(all);
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

    private static final class Kept<T> implements Callback<T> {
        private T value;
        private Failure failure;

        @Override
        public void done(T answer, Failure why) {
            value = answer;
            failure = why;
        }

        T value() {
            assertNull(failure);
            return value;
        }
    }

    private static OffsetCommitRequestData commitOf(String group, int partitions) {
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName("t");
        for (int i = 0; i < partitions; i++) {
            topic.partitions()
                    .add(new OffsetCommitRequestPartition().setPartitionIndex(i).setCommittedOffset(i));
        }
        return new OffsetCommitRequestData()
                .setGroupId(group)
                .setGenerationIdOrMemberEpoch(-1)
                .setTopics(List.of(topic));
    }

    private Errors commit(OffsetCommitRequestData request) {
        Kept<OffsetCommitResponseData> kept = new Kept<>();
        offsets.commit(image, request, COMMIT, false, kept);
        return Errors.forCode(kept.value().topics().get(0).partitions().get(0).errorCode());
    }

    private List<OffsetFetchResponseGroup> fetch(String... groups) {
        List<OffsetFetchRequestGroup> asked = new ArrayList<>();
        for (String each : groups) {
            asked.add(new OffsetFetchRequestGroup().setGroupId(each).setTopics(null));
        }
        Kept<List<OffsetFetchResponseGroup>> kept = new Kept<>();
        offsets.fetch(image, asked, false, false, kept);
        return kept.value();
    }

    private List<DeletableGroupResult> delete(String... groups) {
        Kept<List<DeletableGroupResult>> kept = new Kept<>();
        admin.delete(image, List.of(groups), kept);
        return kept.value();
    }

    private static int partitionOf(String group, MetadataImage image) {
        return GroupCoordinators.partitionOf(group, image);
    }

    @Test
    void oneCoordinatorsFailureLeavesTheOthersAnswers() {
        String[] groups = new String[20];
        for (int i = 0; i < groups.length; i++) {
            groups[i] = "g" + i;
            assertEquals(Errors.NONE, commit(commitOf(groups[i], 1 + i)));
        }
        int sick = partitionOf("g7", image);
        failing.put(sick, FailureCode.COORDINATOR_LOADING);
        List<OffsetFetchResponseGroup> fetched = fetch(groups);
        Kept<List<DescribedGroup>> described = new Kept<>();
        admin.describe(image, List.of(groups), (short) 6, described);
        List<DeletableGroupResult> deleted = delete(groups);
        for (int i = 0; i < groups.length; i++) {
            Errors expected = partitionOf(groups[i], image) == sick ? Errors.COORDINATOR_LOAD_IN_PROGRESS : Errors.NONE;
            assertEquals(groups[i], fetched.get(i).groupId());
            assertEquals(expected.code(), fetched.get(i).errorCode());
            int count = expected == Errors.NONE
                    ? fetched.get(i).topics().get(0).partitions().size()
                    : 1 + i;
            assertEquals(1 + i, count);
            assertEquals(groups[i], described.value().get(i).groupId());
            assertEquals(expected.code(), described.value().get(i).errorCode());
            assertEquals(groups[i], deleted.get(i).groupId());
            assertEquals(expected.code(), deleted.get(i).errorCode());
        }
        failing.clear();
        assertEquals(8, fetch("g7").get(0).topics().get(0).partitions().size());
    }

    @Test
    void whatIsNotKnownToBeDoneMayBeTriedAgain() {
        failing.put(partitionOf("g", image), FailureCode.TIMED_OUT);
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, commit(commitOf("g", 1)));
        assertEquals(Errors.NOT_COORDINATOR.code(), fetch("g").get(0).errorCode());
        failing.put(partitionOf("g", image), FailureCode.DISK_FULL);
        assertEquals(Errors.NOT_COORDINATOR, commit(commitOf("g", 1)));
    }

    @Test
    void beforeThereIsATopicNobodyIsTheCoordinator() {
        MetadataImage none = new ClusterImages().topic("t", T, 1, 1).image();
        Kept<OffsetCommitResponseData> commit = new Kept<>();
        offsets.commit(none, commitOf("g", 1), COMMIT, false, commit);
        assertEquals(
                Errors.NOT_COORDINATOR.code(),
                commit.value().topics().get(0).partitions().get(0).errorCode());
        Kept<OffsetDeleteResponseData> delete = new Kept<>();
        offsets.delete(none, new OffsetDeleteRequestData().setGroupId("g"), delete);
        assertEquals(Errors.NOT_COORDINATOR.code(), delete.value().errorCode());
    }

    @Test
    void aListWithHolesIsNoList() {
        commit(commitOf("g", 1));
        Kept<ListGroupsResponseData> whole = new Kept<>();
        admin.list(List.of(), List.of(), whole);
        assertEquals("g", whole.value().groups().get(0).groupId());
        failing.put(0, FailureCode.COORDINATOR_LOADING);
        Kept<ListGroupsResponseData> holes = new Kept<>();
        admin.list(List.of(), List.of(), holes);
        assertEquals(Errors.COORDINATOR_LOAD_IN_PROGRESS.code(), holes.value().errorCode());
        assertEquals(List.of(), holes.value().groups());
    }

    @Test
    void aLargeGroupIsDeletedInSteps() {
        assertEquals(Errors.NONE, commit(commitOf("big", 40_000)));
        int before = shards.calls;
        assertEquals(0, delete("big").get(0).errorCode());
        assertEquals(true, shards.calls - before > 4, "steps: " + (shards.calls - before));
        assertEquals(List.of(), fetch("big").get(0).topics());
        assertEquals(Errors.GROUP_ID_NOT_FOUND.code(), delete("big").get(0).errorCode());
    }

    @Test
    void aDeletionThatStopsHalfwayIsGoneOnWith() {
        assertEquals(Errors.NONE, commit(commitOf("big", 40_000)));
        shards.failAfter = shards.calls + 2;
        assertEquals(
                Errors.COORDINATOR_NOT_AVAILABLE.code(),
                delete("big", "big").get(0).errorCode());
        shards.failAfter = Integer.MAX_VALUE;
        int left = fetch("big").get(0).topics().get(0).partitions().size();
        assertEquals(true, left > 0 && left < 40_000, "left: " + left);
        assertEquals(0, delete("big").get(0).errorCode());
    }

    @Test
    void eachGroupCountsOnce() {
        commit(commitOf("g", 1));
        List<DeletableGroupResult> results = delete("g", "none", "g");
        assertEquals(2, results.size());
        assertEquals(0, results.get(0).errorCode());
        assertEquals(Errors.GROUP_ID_NOT_FOUND.code(), results.get(1).errorCode());
    }
}
