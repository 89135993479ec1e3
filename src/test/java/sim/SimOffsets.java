package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Commits and reads offsets in a member's name, in any version of the protocol, and reports each to the group's histories. */
final class SimOffsets {
    private static final long PATIENCE_MILLIS = 8_000;
    /** From this version on a KIP-848 member may commit. */
    private static final int MEMBER_EPOCHS = 9;

    private static final int TOPIC_IDS = 10;

    private final SimNet net;
    private final SimRandom random;
    private final SimGroup group;
    private final SimTopics topics = new SimTopics();
    private final SimCoordination coordination;
    /** Of its own, so that a read may overtake the answer to a commit. */
    private final SimCoordination reader;

    private int open;

    /**
     * In whose name.
     *
     * @param instanceId null for none
     */
    record Identity(String memberId, String instanceId, int epoch) {}

    /** Why a commit of a partition must be refused now; null when it need not. */
    interface Zombies {
        String forbidden(Identity who, String partition);
    }

    SimOffsets(SimNet net, SimRandom random, SimGroup group, String clientId) {
        this.net = net;
        this.random = random;
        this.group = group;
        this.coordination = new SimCoordination(net, random, clientId, group.id, () -> {});
        this.reader = new SimCoordination(net, random, clientId + "/reads", group.id, () -> {});
    }

    void start() {
        coordination.start();
        reader.start();
    }

    void stop() {
        coordination.stop();
        reader.stop();
    }

    int open() {
        return open;
    }

    private boolean ready(SimCoordination link) {
        if (!link.ready() || open >= 4) {
            return false;
        }
        for (String topic : group.topics()) {
            if (!topics.knows(topic)) {
                topics.ask(link.link(), group.topics(), () -> {});
                return false;
            }
        }
        return true;
    }

    /** @param told gets the commit's error, the first one that is not NONE; not called when the outcome is unknown */
    void commit(Identity who, List<String> partitions, Zombies zombies, java.util.function.Consumer<Errors> told) {
        if (!ready(coordination) || partitions.isEmpty()) {
            return;
        }
        int lowest = group.spec.kind() != SimGroup.Kind.CLASSIC ? MEMBER_EPOCHS : who.instanceId() == null ? 2 : 7;
        short version = (short) random.between(lowest, ApiKeys.OFFSET_COMMIT.latestVersion(false));
        OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId(group.id)
                .setMemberId(who.memberId())
                .setGenerationIdOrMemberEpoch(who.epoch());
        if (version >= 7) {
            request.setGroupInstanceId(who.instanceId());
        }
        Map<String, Long> sent = new LinkedHashMap<>();
        Map<String, OffsetCommitRequestTopic> byTopic = new TreeMap<>();
        for (String partition : partitions) {
            long offset = group.offsets.newOffset();
            String text = who.memberId() + "/" + who.epoch();
            int dash = partition.lastIndexOf('-');
            byTopic.computeIfAbsent(partition.substring(0, dash), name -> topic(name, version))
                    .partitions()
                    .add(new OffsetCommitRequestPartition()
                            .setPartitionIndex(Integer.parseInt(partition.substring(dash + 1)))
                            .setCommittedOffset(offset)
                            .setCommittedMetadata(text));
            group.offsets.of(partition).begin(offset, text, net.scheduler().now(), zombies.forbidden(who, partition));
            sent.put(partition, offset);
        }
        request.setTopics(new ArrayList<>(byTopic.values()));
        if (random.chance(0.3)) {
            // While it is being written: what is not committed must not be shown (rule G2).
            net.scheduler().after(random.below(3_000_000), null, "peek", () -> read(null));
        }
        open++;
        coordination.link().send(ApiKeys.OFFSET_COMMIT, version, request, PATIENCE_MILLIS, true, answer -> {
            open--;
            if (answer == null) {
                net.count("commit.unknown");
            } else {
                committed(sent, (OffsetCommitResponseData) answer, told);
            }
        });
    }

    private OffsetCommitRequestTopic topic(String name, int version) {
        return version >= TOPIC_IDS
                ? new OffsetCommitRequestTopic().setTopicId(topics.id(name))
                : new OffsetCommitRequestTopic().setName(name);
    }

    private void committed(
            Map<String, Long> sent, OffsetCommitResponseData answer, java.util.function.Consumer<Errors> told) {
        Errors first = Errors.NONE;
        for (OffsetCommitResponseTopic topic : answer.topics()) {
            String name = topics.name(topic.name(), topic.topicId());
            for (var each : topic.partitions()) {
                String partition = name + "-" + each.partitionIndex();
                OffsetHistory history = group.offsets.of(partition);
                long offset = sent.get(partition);
                Errors error = Errors.forCode(each.errorCode());
                net.count("commit." + error);
                switch (error) {
                    case NONE -> history.done(offset, net.scheduler().now());
                    case ILLEGAL_GENERATION,
                            UNKNOWN_MEMBER_ID,
                            FENCED_INSTANCE_ID,
                            REBALANCE_IN_PROGRESS,
                            STALE_MEMBER_EPOCH,
                            GROUP_ID_NOT_FOUND -> history.refused(offset);
                    default -> {
                        if (!coordination.later(error)) {
                            throw new RuleBroken("V3 errors", error + " for a commit of " + group.id + "/" + partition);
                        }
                    }
                }
                first = first == Errors.NONE ? error : first;
            }
        }
        told.accept(first);
    }

    /** Reads some or all partitions, in nobody's name or (from version 9 on) in a member's. */
    void read(Identity who) {
        if (!ready(reader)) {
            return;
        }
        boolean all = random.chance(0.3);
        short version = (short) random.between(all ? 2 : 1, ApiKeys.OFFSET_FETCH.latestVersion(false));
        OffsetFetchRequestData request = new OffsetFetchRequestData();
        if (version >= 8) {
            OffsetFetchRequestGroup asked = new OffsetFetchRequestGroup().setGroupId(group.id);
            if (version >= 9 && who != null && group.spec.kind() != SimGroup.Kind.CLASSIC && random.chance(0.5)) {
                asked.setMemberId(who.memberId()).setMemberEpoch(who.epoch());
            }
            asked.setTopics(all ? null : byGroup(version));
            request.setGroups(List.of(asked));
        } else {
            request.setGroupId(group.id).setTopics(all ? null : byTopic());
        }
        if (version >= 7) {
            request.setRequireStable(random.chance(0.5));
        }
        long begun = net.scheduler().now();
        open++;
        reader.link().send(ApiKeys.OFFSET_FETCH, version, request, PATIENCE_MILLIS, true, answer -> {
            open--;
            if (answer != null) {
                found((OffsetFetchResponseData) answer, version, all, begun);
            }
        });
    }

    private List<OffsetFetchRequestTopics> byGroup(short version) {
        List<OffsetFetchRequestTopics> asked = new ArrayList<>();
        for (String topic : group.topics()) {
            OffsetFetchRequestTopics each =
                    new OffsetFetchRequestTopics().setPartitionIndexes(group.partitionsOf(topic));
            asked.add(version >= TOPIC_IDS ? each.setTopicId(topics.id(topic)) : each.setName(topic));
        }
        return asked;
    }

    private List<OffsetFetchRequestTopic> byTopic() {
        List<OffsetFetchRequestTopic> asked = new ArrayList<>();
        for (String topic : group.topics()) {
            asked.add(new OffsetFetchRequestTopic().setName(topic).setPartitionIndexes(group.partitionsOf(topic)));
        }
        return asked;
    }

    private void found(OffsetFetchResponseData answer, short version, boolean all, long begun) {
        Map<String, String> values = new LinkedHashMap<>();
        Errors error = Errors.forCode(answer.errorCode());
        if (version >= 8) {
            OffsetFetchResponseGroup mine = answer.groups().get(0);
            error = Errors.forCode(mine.errorCode());
            for (var topic : mine.topics()) {
                String name = topics.name(topic.name(), topic.topicId());
                for (var each : topic.partitions()) {
                    error = error == Errors.NONE ? Errors.forCode(each.errorCode()) : error;
                    values.put(name + "-" + each.partitionIndex(), each.committedOffset() + " " + each.metadata());
                }
            }
        } else {
            for (var topic : answer.topics()) {
                for (var each : topic.partitions()) {
                    error = error == Errors.NONE ? Errors.forCode(each.errorCode()) : error;
                    values.put(
                            topic.name() + "-" + each.partitionIndex(), each.committedOffset() + " " + each.metadata());
                }
            }
        }
        net.count("read." + error);
        switch (error) {
            case NONE -> record(values, all, begun);
            case STALE_MEMBER_EPOCH, UNKNOWN_MEMBER_ID -> {
                // it asked as a member that it is no more
            }
            default -> {
                if (!reader.later(error)) {
                    throw new RuleBroken("V3 errors", error + " for a read of the offsets of " + group.id);
                }
            }
        }
    }

    private void record(Map<String, String> values, boolean all, long begun) {
        long now = net.scheduler().now();
        for (PartitionLedger each : group.partitions) {
            String value = values.get(each.name());
            if (value == null && !all) {
                throw new RuleBroken("V4 answers", "no offset of " + group.id + "/" + each.name());
            }
            String[] parts = value == null ? new String[] {"-1", ""} : value.split(" ", 2);
            group.offsets.of(each.name()).read(Long.parseLong(parts[0]), parts[1], begun, now);
        }
    }

    /** Partitions of those that are owned, one to three. */
    List<String> some(List<String> owned) {
        List<String> chosen = new ArrayList<>();
        int count = Math.min(owned.size(), random.between(1, 3));
        List<String> left = new ArrayList<>(owned);
        for (int i = 0; i < count; i++) {
            chosen.add(left.remove(random.below(left.size())));
        }
        return chosen;
    }
}
