package group;

import coordinator.InstantRuntime.Answer;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import records.schemas.ConsumerProtocolBytes;

/** A consumer of the classic protocol with cooperative rebalances: joins, leads if it must, syncs, heartbeats. */
final class FakeClassicConsumer {
    private static final short VERSION = 9;

    private final ShardBench bench;
    private final String group;
    private final List<String> topics;
    private String id = "";
    private String instanceId;
    private int generation = -1;
    private PartitionSet owned = PartitionSet.EMPTY;
    private Answer<JoinGroupResponseData> joining;
    private Answer<SyncGroupResponseData> syncing;

    FakeClassicConsumer(ShardBench bench, String group, String... topics) {
        this.bench = bench;
        this.group = group;
        this.topics = List.of(topics);
    }

    FakeClassicConsumer instance(String name) {
        instanceId = name;
        return this;
    }

    String id() {
        return id;
    }

    int generation() {
        return generation;
    }

    PartitionSet owned() {
        return owned;
    }

    /** One step of whatever it has to do next. */
    void step() {
        if (joining != null) {
            if (joining.isDone()) {
                joined(joining.value());
            }
        } else if (syncing != null) {
            if (syncing.isDone()) {
                synced(syncing.value());
            }
        } else if (generation < 0) {
            join();
        } else {
            beat();
        }
    }

    Errors beat() {
        HeartbeatRequestData request = new HeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(id)
                .setGroupInstanceId(instanceId)
                .setGenerationId(generation);
        Errors error = Errors.forCode(
                bench.write(shard -> shard.classic().heartbeat(request)).value().errorCode());
        react(error);
        return error;
    }

    private void react(Errors error) {
        if (error == Errors.UNKNOWN_MEMBER_ID) {
            id = "";
            owned = PartitionSet.EMPTY;
        }
        if (error != Errors.NONE) {
            generation = -1;
        }
    }

    private void join() {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(group)
                .setMemberId(id)
                .setGroupInstanceId(instanceId)
                .setProtocolType("consumer")
                .setSessionTimeoutMs(10_000)
                .setRebalanceTimeoutMs(30_000);
        request.protocols().add(new JoinGroupRequestProtocol().setName("sticky").setMetadata(subscription()));
        ClientInfo client = new ClientInfo("classic", "/127.0.0.1", VERSION);
        joining = bench.park(new ClassicJoin(client, request));
        if (joining.isDone()) {
            joined(joining.value());
        }
    }

    private byte[] subscription() {
        ConsumerProtocolSubscription subscription = new ConsumerProtocolSubscription().setTopics(topics);
        for (Uuid topic : owned.topics()) {
            TopicImage known = bench.image().topic(topic);
            if (known != null) {
                subscription
                        .ownedPartitions()
                        .add(new ConsumerProtocolSubscription.TopicPartition()
                                .setTopic(known.name())
                                .setPartitions(owned.of(topic)));
            }
        }
        return MessageUtil.toVersionPrefixedBytes((short) 3, subscription);
    }

    private void joined(JoinGroupResponseData response) {
        joining = null;
        Errors error = Errors.forCode(response.errorCode());
        if (error == Errors.MEMBER_ID_REQUIRED) {
            id = response.memberId();
            return;
        }
        if (error != Errors.NONE) {
            react(error);
            return;
        }
        id = response.memberId();
        generation = response.generationId();
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setGroupId(group)
                .setMemberId(id)
                .setGroupInstanceId(instanceId)
                .setGenerationId(generation)
                .setProtocolType("consumer")
                .setProtocolName("sticky");
        if (response.leader().equals(id)) {
            assign(response, request);
        }
        syncing = bench.park((shard, done) -> shard.classic().sync(request, done));
        if (syncing.isDone()) {
            synced(syncing.value());
        }
    }

    /** Round robin over all members. */
    private void assign(JoinGroupResponseData response, SyncGroupRequestData request) {
        Map<String, ConsumerProtocolAssignment> all = new LinkedHashMap<>();
        List<String> members = new ArrayList<>();
        for (JoinGroupResponseMember member : response.members()) {
            members.add(member.memberId());
            all.put(member.memberId(), new ConsumerProtocolAssignment());
        }
        int next = 0;
        for (String topic : topics) {
            for (int i = 0; i < bench.image().topic(topic).partitions().size(); i++) {
                ConsumerProtocolAssignment assignment = all.get(members.get(next++ % members.size()));
                ConsumerProtocolAssignment.TopicPartition entry =
                        assignment.assignedPartitions().find(topic);
                if (entry == null) {
                    entry = new ConsumerProtocolAssignment.TopicPartition().setTopic(topic);
                    assignment.assignedPartitions().add(entry);
                }
                entry.partitions().add(i);
            }
        }
        all.forEach((member, assignment) -> request.assignments()
                .add(new SyncGroupRequestAssignment()
                        .setMemberId(member)
                        .setAssignment(MessageUtil.toVersionPrefixedBytes((short) 3, assignment))));
    }

    private void synced(SyncGroupResponseData response) {
        syncing = null;
        Errors error = Errors.forCode(response.errorCode());
        react(error);
        if (error == Errors.NONE) {
            owned = EmbeddedProtocol.partitions(ConsumerProtocolBytes.assignment(response.assignment()), bench.image());
        }
    }

    void leave() {
        LeaveGroupRequestData request = new LeaveGroupRequestData()
                .setGroupId(group)
                .setMembers(List.of(new MemberIdentity().setMemberId(id).setGroupInstanceId(instanceId)));
        bench.write(shard -> shard.classic().leave(request));
        id = "";
        generation = -1;
        owned = PartitionSet.EMPTY;
    }
}
