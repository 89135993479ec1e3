package group;

import coordinator.InstantRuntime.Answer;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;

/** A consumer as KIP-848 wants it: gives up at once what is taken from it, and says what it has when that changed. */
final class FakeConsumer {
    private static final short VERSION = 1;

    final String id;
    private final ShardBench bench;
    private final String group;
    private String instanceId;
    private String rack;
    private List<String> topics = List.of();
    private String pattern;
    private String assignor;
    private int rebalanceTimeoutMillis = 30_000;
    private int epoch;
    private PartitionSet owned = PartitionSet.EMPTY;
    private boolean tellAll = true;

    FakeConsumer(ShardBench bench, String group, String id) {
        this.bench = bench;
        this.group = group;
        this.id = id;
    }

    FakeConsumer instance(String name) {
        instanceId = name;
        return this;
    }

    FakeConsumer topics(String... names) {
        topics = List.of(names);
        return this;
    }

    /** Instead of names; null for none. */
    FakeConsumer pattern(String regex) {
        pattern = regex;
        return this;
    }

    FakeConsumer assignor(String name) {
        assignor = name;
        return this;
    }

    FakeConsumer rebalanceTimeout(int millis) {
        rebalanceTimeoutMillis = millis;
        return this;
    }

    String instance() {
        return instanceId;
    }

    int epoch() {
        return epoch;
    }

    PartitionSet owned() {
        return owned;
    }

    /** What its next heartbeat would be. */
    ConsumerGroupHeartbeatRequestData request() {
        ConsumerGroupHeartbeatRequestData request = new ConsumerGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(id)
                .setMemberEpoch(epoch)
                .setInstanceId(instanceId)
                .setRackId(rack)
                .setServerAssignor(assignor)
                .setTopicPartitions(null);
        if (tellAll || epoch == 0) {
            request.setRebalanceTimeoutMs(rebalanceTimeoutMillis)
                    .setSubscribedTopicNames(topics)
                    .setSubscribedTopicRegex(pattern)
                    .setTopicPartitions(reported());
        }
        return request;
    }

    private List<ConsumerGroupHeartbeatRequestData.TopicPartitions> reported() {
        List<ConsumerGroupHeartbeatRequestData.TopicPartitions> all = new ArrayList<>();
        for (Uuid topic : owned.topics()) {
            all.add(new ConsumerGroupHeartbeatRequestData.TopicPartitions()
                    .setTopicId(topic)
                    .setPartitions(owned.of(topic)));
        }
        return all;
    }

    /** One heartbeat, and what follows from its answer. */
    ConsumerGroupHeartbeatResponseData beat() {
        ConsumerGroupHeartbeatResponseData response = send(request());
        take(response);
        return response;
    }

    /** A heartbeat whose answer is lost. */
    ConsumerGroupHeartbeatResponseData beatUnheard() {
        return send(request());
    }

    Errors error() {
        return Errors.forCode(beat().errorCode());
    }

    /** @param how -1 or -2 */
    ConsumerGroupHeartbeatResponseData leave(int how) {
        ConsumerGroupHeartbeatResponseData response = send(leaving(how));
        forget();
        return response;
    }

    ConsumerGroupHeartbeatRequestData leaving(int how) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(id)
                .setMemberEpoch(how)
                .setInstanceId(instanceId)
                .setTopicPartitions(null);
    }

    /** It lost track: it has nothing and joins again. */
    void forget() {
        epoch = 0;
        owned = PartitionSet.EMPTY;
        tellAll = true;
    }

    ConsumerGroupHeartbeatResponseData send(ConsumerGroupHeartbeatRequestData request) {
        ConsumerGroupHeartbeatResponseData refusal =
                ConsumerHeartbeatRules.refusal(request, VERSION, List.of("uniform", "range"));
        return refusal == null ? start(request).value() : refusal;
    }

    /** The request on its way: answered when it is committed. */
    Answer<ConsumerGroupHeartbeatResponseData> start(ConsumerGroupHeartbeatRequestData request) {
        ClientInfo client = new ClientInfo("client", "/127.0.0.1", VERSION);
        return bench.write(new ConsumerHeartbeat(client, request));
    }

    /** What follows from an answer. */
    void take(ConsumerGroupHeartbeatResponseData response) {
        if (response.errorCode() != 0) {
            if (response.errorCode() == Errors.FENCED_MEMBER_EPOCH.code()
                    || response.errorCode() == Errors.UNKNOWN_MEMBER_ID.code()) {
                forget();
            }
            return;
        }
        epoch = response.memberEpoch();
        tellAll = false;
        if (response.assignment() != null) {
            PartitionSet.Builder now = new PartitionSet.Builder();
            response.assignment()
                    .topicPartitions()
                    .forEach(topic -> topic.partitions().forEach(partition -> now.add(topic.topicId(), partition)));
            PartitionSet assigned = now.build();
            tellAll = !assigned.equals(owned);
            owned = assigned;
        }
    }

    /** The next heartbeat says everything, also without need. */
    FakeConsumer tellAll() {
        tellAll = true;
        return this;
    }
}
