package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.FailureCode;
import common.OwnerId;
import common.PartitionId;
import coordinator.Coordinator;
import group.ClassicJoin;
import group.ClientInfo;
import group.ConsumerHeartbeat;
import group.GroupCoordinator;
import group.GroupShard;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import records.BatchHeader;
import sim.NodeBench.Result;

/** Group coordinators over the life of a node: offsets that were acknowledged stay (rules G1, G2, G8). */
@ExtendWith(QuietLogs.class)
final class NodeGroupsTest {
    private static final String OFFSETS = "__consumer_offsets";
    private static final short VERSION = 9;
    private static final ClientInfo CLIENT = new ClientInfo("c", "/127.0.0.1", (short) 1);

    private NodeBench node;
    private Uuid topic;
    private int partitions = 5;

    private void begin(long seed, String... settings) {
        node = new NodeBench(seed, 1, settings).start();
        node.create("t", 1);
        makeOffsets();
    }

    private void makeOffsets(String... settings) {
        List<String> all = new ArrayList<>(List.of("cleanup.policy", "compact"));
        all.addAll(List.of(settings));
        topic = node.create(OFFSETS, partitions, all.toArray(String[]::new));
    }

    private int partition(String group) {
        return (group.hashCode() & Integer.MAX_VALUE) % partitions;
    }

    private OwnerId<GroupCoordinator> owner(String group) {
        PartitionId id = new PartitionId(topic, partition(group));
        return new OwnerId<>(GroupCoordinator.class, id.shard(NodeBench.LOOPS));
    }

    private static Coordinator.Write<GroupShard, OffsetCommitResponseData> commitOf(String group, long offset) {
        OffsetCommitRequestTopic part = new OffsetCommitRequestTopic().setName("t");
        part.partitions()
                .add(new OffsetCommitRequestPartition()
                        .setPartitionIndex(0)
                        .setCommittedOffset(offset)
                        .setCommittedMetadata("m" + offset));
        OffsetCommitRequestData request = new OffsetCommitRequestData().setGroupId(group);
        request.topics().add(part);
        return shard -> shard.offsets().commit(request, VERSION);
    }

    private Result<OffsetCommitResponseData> commit(String group, long offset) {
        return node.ask(
                owner(group),
                (coordinator, reply) -> coordinator.write(partition(group), commitOf(group, offset), reply));
    }

    private void committed(String group, long offset) {
        Result<OffsetCommitResponseData> result = commit(group, offset);
        assertNull(result.failure());
        assertEquals(
                Errors.NONE.code(),
                result.value().topics().get(0).partitions().get(0).errorCode());
    }

    private Result<Long> tryFetch(String group) {
        return node.ask(
                owner(group),
                (coordinator, reply) -> coordinator.read(partition(group), shard -> offsetIn(shard, group), reply));
    }

    private static long offsetIn(GroupShard shard, String group) {
        OffsetFetchResponseGroup answer = shard.offsets()
                .read(new OffsetFetchRequestGroup().setGroupId(group).setTopics(null));
        return answer.topics().isEmpty()
                ? -1
                : answer.topics().get(0).partitions().get(0).committedOffset();
    }

    /** -1 for none. Waits while the coordinator loads. */
    private long fetched(String group) {
        Result<Long> result = tryFetch(group);
        for (int i = 0; result.failure() != null && i < 200; i++) {
            assertTrue(
                    result.failure().code() == FailureCode.COORDINATOR_LOADING
                            || result.failure().code() == FailureCode.COORDINATOR_NOT_AVAILABLE,
                    result.failure().toString());
            node.runFor(100);
            result = tryFetch(group);
        }
        assertNull(result.failure());
        return result.value();
    }

    @Test
    void takesRequestsAsSoonAsTheTopicIsMade() {
        begin(1);
        for (int i = 0; i < 20; i++) {
            committed("g" + i, i);
        }
        for (int i = 0; i < 20; i++) {
            assertEquals(i, fetched("g" + i));
        }
    }

    @Test
    void offsetsSurviveWhateverEndsTheNode_G8() {
        for (long seed = 0; seed < 12; seed++) {
            begin(seed);
            SimRandom random = new SimRandom(seed);
            Map<String, Long> acknowledged = new TreeMap<>();
            Map<String, Long> begun = new TreeMap<>();
            long next = 0;
            for (int life = 0; life < 4; life++) {
                for (int i = 0; i < 15; i++) {
                    String group = "g" + random.below(4);
                    committed(group, ++next);
                    acknowledged.put(group, next);
                    begun.put(group, next);
                }
                String last = "g" + random.below(4);
                long offset = ++next;
                begun.put(last, offset);
                node.mailboxes.<GroupCoordinator, OffsetCommitResponseData>call(
                        owner(last),
                        (coordinator, reply) -> coordinator.write(partition(last), commitOf(last, offset), reply),
                        10_000,
                        (answer, failure) -> {
                            if (failure == null) {
                                acknowledged.put(last, offset);
                            }
                        });
                node.scheduler.runFor(random.below(2_000_000));
                switch (random.below(3)) {
                    case 0 -> node.kill();
                    case 1 -> node.powerCut();
                    default -> assertNull(node.stop());
                }
                node.start();
                for (Map.Entry<String, Long> each : new TreeMap<>(acknowledged).entrySet()) {
                    long found = fetched(each.getKey());
                    assertTrue(
                            found == each.getValue() || found == begun.get(each.getKey()),
                            "seed " + seed + ": " + each + ", found " + found + ", begun " + begun);
                    acknowledged.put(each.getKey(), found);
                    begun.put(each.getKey(), found);
                }
            }
        }
    }

    @Test
    void isDurableWhateverItsSettingsSay_I7() {
        node = new NodeBench(3, 1, "log.flush.interval.messages", "1000").start();
        node.create("t", 1);
        makeOffsets("flush.messages", "1000");
        committed("g", 7);
        node.powerCut();
        node.start();
        assertEquals(7, fetched("g"));
    }

    @Test
    void failedWriteTakesNothingWithIt_G2() {
        begin(5);
        committed("g", 1);
        node.disks
                .get(0)
                .faults((operation, path, number) -> operation == DiskFaults.Operation.WRITE && path.startsWith(OFFSETS)
                        ? DiskFaults.Fault.ERROR
                        : DiskFaults.Fault.NONE);
        assertEquals(
                FailureCode.COORDINATOR_NOT_AVAILABLE, commit("g", 2).failure().code());
        assertEquals(1, fetched("g"));
        assertEquals(
                FailureCode.COORDINATOR_NOT_AVAILABLE, commit("g", 3).failure().code());
        node.disks.get(0).faults(DiskFaults.NONE);
        assertEquals(1, fetched("g"));
        committed("g", 4);
        assertEquals(4, fetched("g"));
    }

    @Test
    void servesReadsWhileTheDiskIsFullAndGoesOnAfterwards_S10() {
        begin(6, "log.dir.reserve.bytes", "1000000");
        committed("g", 1);
        SimDisk disk = node.disks.get(0);
        disk.capacity(disk.usedBytes() + 500_000);
        for (int i = 0; commit("g", 2).failure() == null; i++) {
            assertTrue(i < 5_000, "the reserve is never met");
        }
        assertEquals(
                FailureCode.COORDINATOR_NOT_AVAILABLE, commit("g", 3).failure().code());
        assertEquals(2, fetched("g"));
        disk.unbounded();
        node.runFor(15_000);
        committed("g", 4);
    }

    @Test
    void deletedTopicEndsItsCoordinatorsAndANewOneBeginsEmpty_C7() {
        begin(7);
        committed("g", 1);
        assertEquals(Errors.NONE, node.delete(OFFSETS));
        assertEquals(FailureCode.NOT_COORDINATOR, tryFetch("g").failure().code());
        makeOffsets();
        assertEquals(-1, fetched("g"));
        committed("g", 2);
        node.kill();
        node.start();
        assertEquals(2, fetched("g"));
    }

    /** All in one image of the metadata: the coordinators never see that there is no such topic. */
    @Test
    void topicMadeAnewAtOnceBeginsEmpty_C7() {
        begin(13, "group.initial.rebalance.delay.ms", "60000");
        for (int i = 0; i < 10; i++) {
            committed("g" + i, i);
        }
        ConsumerGroupHeartbeatResponseData member = beat("modern", 0).value();
        assertEquals(0, member.errorCode());
        assertTrue(member.memberEpoch() > 0);
        JoinGroupRequestData joining = new JoinGroupRequestData()
                .setGroupId("classic")
                .setMemberId("")
                .setProtocolType("consumer")
                .setSessionTimeoutMs(10_000)
                .setRebalanceTimeoutMs(60_000);
        joining.protocols().add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[0]));
        List<String> parked = new ArrayList<>();
        node.mailboxes.<GroupCoordinator, JoinGroupResponseData>call(
                owner("classic"),
                (coordinator, reply) -> coordinator.park(partition("classic"), new ClassicJoin(CLIENT, joining), reply),
                300_000,
                (answer, failure) -> parked.add(
                        failure == null ? answer.toString() : failure.code().toString()));
        node.runFor(10);
        assertEquals(List.of(), parked);

        topic = node.recreateAtOnce(OFFSETS, 3);
        partitions = 1;
        node.runFor(100);
        assertEquals(List.of(FailureCode.NOT_COORDINATOR.toString()), parked, "who waits looks for it anew");
        for (int i = 0; i < 10; i++) {
            assertEquals(-1, fetched("g" + i));
        }
        assertEquals(
                Errors.GROUP_ID_NOT_FOUND.code(),
                beat("modern", member.memberEpoch()).value().errorCode());
        assertEquals(0, beat("modern", 0).value().errorCode());
        committed("g1", 11);
        node.kill();
        node.start();
        assertEquals(11, fetched("g1"));
        assertEquals(-1, fetched("g2"));
        assertEquals(
                0, beat("modern", member.memberEpoch()).value().errorCode(), "the new group began at the same epoch");
    }

    private Result<ConsumerGroupHeartbeatResponseData> beat(String group, int epoch) {
        ConsumerGroupHeartbeatRequestData request = new ConsumerGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId("m")
                .setMemberEpoch(epoch)
                .setTopicPartitions(null);
        if (epoch == 0) {
            request.setRebalanceTimeoutMs(60_000)
                    .setSubscribedTopicNames(List.of("t"))
                    .setTopicPartitions(List.of());
        }
        return node.ask(
                owner(group),
                (coordinator, reply) ->
                        coordinator.write(partition(group), new ConsumerHeartbeat(CLIENT, request), reply));
    }

    /** A partition whose log cannot be opened at the start is led when it can (rule L6). */
    @Test
    void leadsAPartitionThatOpensLate_L6() {
        begin(8);
        committed("g", 1);
        node.kill();
        String directory = OFFSETS + "-" + partition("g") + "/";
        node.disks
                .get(0)
                .faults((operation, path, number) -> path.startsWith(directory) && path.endsWith(".log")
                        ? DiskFaults.Fault.ERROR
                        : DiskFaults.Fault.NONE);
        node.start();
        assertNotNull(tryFetch("g").failure());
        node.disks.get(0).faults(DiskFaults.NONE);
        assertEquals(1, fetched("g"));
        committed("g", 2);
    }

    @Test
    void rotCostsWhatLiesInItOnly_S8() {
        begin(9);
        committed("g", 1);
        for (int i = 0; i < 30; i++) {
            committed("h" + i, i);
        }
        node.stop();
        String file = OFFSETS + "-" + partition("g") + "/00000000000000000000.log";
        node.disks.get(0).rot(file, 70, 3);
        node.start();
        assertEquals(-1, fetched("g"), "the rot is where it was recorded");
        for (int i = 0; i < 30; i++) {
            assertEquals(i, fetched("h" + i));
        }
        committed("g", 3);
        node.kill();
        node.start();
        assertEquals(3, fetched("g"));
    }

    /** The rest of the log is in other segments. */
    @Test
    void rotAtTheEndOfASegmentCostsWhatLiesInItOnly_S8() {
        for (int field : new int[] {BatchHeader.MAGIC, BatchHeader.LENGTH, BatchHeader.SIZE + 5}) {
            node = new NodeBench(11, 1).start();
            node.create("t", 1);
            makeOffsets("internal.segment.bytes", "400");
            String group = "g";
            for (int i = 0; i < 12; i++) {
                committed(group, i);
            }
            assertEquals(partition("g"), partition("l"));
            committed("l", 7);
            for (int i = 0; i < 12; i++) {
                committed(group, 12 + i);
            }
            String directory = OFFSETS + "-" + partition(group) + "/";
            node.stop();
            SimDisk disk = node.disks.get(0);
            String first = directory + "00000000000000000000.log";
            ByteBuffer content = ByteBuffer.wrap(disk.content(first));
            int last = 0;
            for (int at = 0; at < content.limit(); at += BatchHeader.sizeInBytes(content, at)) {
                last = at;
            }
            assertTrue(last > 0 && BatchHeader.nextOffset(content, last) < 12, "a segment of the first half");
            disk.rot(first, last + field, 3);
            node.start();
            assertEquals(23, fetched(group), "byte " + field);
            assertEquals(7, fetched("l"), "byte " + field);
            committed(group, 24);
            node.kill();
            node.start();
            assertEquals(24, fetched(group), "byte " + field);
        }
    }

    /** What they yield is more than Kafka's append buffer, and comes while the disk is busy with the first of it. */
    @Test
    void thousandMembersJoinAtOnce() {
        int members = 1_000;
        String group = "payments-of-all-countries-in-production";
        begin(12, "group.consumer.assignment.interval.ms", "0", "offsets.commit.timeout.ms", "60000");
        node.create("wide", members);
        node.disks.get(0).slowness(1_000);
        List<String> failed = new ArrayList<>();
        int[] assigned = {0};
        int[] answered = {0};
        for (int i = 0; i < members; i++) {
            ConsumerGroupHeartbeatRequestData request = new ConsumerGroupHeartbeatRequestData()
                    .setGroupId(group)
                    .setMemberId(new Uuid(1, i).toString())
                    .setMemberEpoch(0)
                    .setRebalanceTimeoutMs(60_000)
                    .setSubscribedTopicNames(List.of("wide"))
                    .setTopicPartitions(List.of());
            Callback<ConsumerGroupHeartbeatResponseData> done = (answer, failure) -> {
                answered[0]++;
                if (failure != null || answer.errorCode() != 0) {
                    failed.add(failure == null ? answer.errorMessage() : failure.toString());
                } else {
                    answer.assignment()
                            .topicPartitions()
                            .forEach(each -> assigned[0] += each.partitions().size());
                }
            };
            node.mailboxes.<GroupCoordinator, ConsumerGroupHeartbeatResponseData>call(
                    owner(group),
                    (coordinator, reply) ->
                            coordinator.write(partition(group), new ConsumerHeartbeat(CLIENT, request), reply),
                    60_000,
                    done);
        }
        assertTrue(node.scheduler.runUntil(
                () -> answered[0] == members, node.scheduler.now() + 60_000 * SimScheduler.MILLI));
        assertEquals(List.of(), failed);
        assertEquals(members, assigned[0], "the first to come gets all, the others wait for it");
    }

    @Test
    void longLogsAreLoadedInPieces() {
        begin(10, "offsets.load.buffer.size", "1000", "offsets.commit.timeout.ms", "60000");
        int commits = 300;
        List<String> failed = new ArrayList<>();
        int[] answered = {0};
        for (int i = 1; i <= commits; i++) {
            Callback<OffsetCommitResponseData> done = (answer, failure) -> {
                answered[0]++;
                if (failure != null) {
                    failed.add(failure.toString());
                }
            };
            long offset = i;
            node.mailboxes.<GroupCoordinator, OffsetCommitResponseData>call(
                    owner("g"),
                    (coordinator, reply) -> coordinator.write(partition("g"), commitOf("g", offset), reply),
                    60_000,
                    done);
            node.scheduler.runFor(i % 7 * 50_000L);
        }
        assertTrue(node.scheduler.runUntil(
                () -> answered[0] == commits, node.scheduler.now() + 60_000 * SimScheduler.MILLI));
        assertEquals(List.of(), failed);
        node.kill();
        node.start();
        assertEquals(commits, fetched("g"));
    }
}
