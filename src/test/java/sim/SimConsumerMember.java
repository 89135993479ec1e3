package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** A member of a KIP-848 group: heartbeats, gives up what it is asked to after a while. Loses answers. Reports what it is told to its group's judges. */
final class SimConsumerMember extends SimMember {
    private final Spec spec;
    private final SimTopics topics = new SimTopics();
    private final TreeSet<String> owned = new TreeSet<>();
    private TreeSet<String> target = new TreeSet<>();
    private int epoch;
    /** The newest epoch of a heartbeat that may still arrive; -1 for none. */
    private int lateFrom = -1;

    private int incarnations;
    private boolean joined;
    /** It has told the coordinator all that it has to. */
    private boolean told;

    private boolean releasing;

    /** @param instanceId null: a dynamic member */
    record Spec(String instanceId, short version) {}

    SimConsumerMember(SimNet net, SimRandom random, String name, SimGroup group, Spec spec) {
        super(net, random, name, group);
        this.spec = spec;
        beginAnew();
    }

    @Override
    void beginAnew() {
        memberId = name + "." + incarnations++;
        rejoin();
    }

    private void rejoin() {
        epoch = 0;
        joined = false;
        owned.clear();
        target.clear();
    }

    @Override
    public int settledAt() {
        return joined && owned.equals(target) ? epoch : -1;
    }

    @Override
    public List<String> owned() {
        return new ArrayList<>(owned);
    }

    // ---- taking part

    @Override
    void takePart() {
        if (group.topics().stream().allMatch(topics::knows)) {
            heartbeat();
        } else {
            topics.ask(control.link(), group.topics(), () -> {});
        }
    }

    private void heartbeat() {
        boolean joining = epoch == 0;
        boolean full = joining || !told || random.chance(0.1);
        ConsumerGroupHeartbeatRequestData request = request(epoch);
        if (full) {
            request.setRebalanceTimeoutMs(group.spec.rebalanceMillis())
                    .setSubscribedTopicNames(group.topics())
                    .setTopicPartitions(named(owned));
        }
        String as = memberId;
        TreeSet<String> said = new TreeSet<>(owned);
        long begun = net.scheduler().now();
        if (joining) {
            group.owners.releasedAll(memberId, begun);
        }
        int sentAt = joining ? Integer.MAX_VALUE : epoch;
        busy = true;
        told = full;
        control.link().send(ApiKeys.CONSUMER_GROUP_HEARTBEAT, spec.version, request, 2_000, true, answer -> {
            busy = false;
            if (!as.equals(memberId)) {
                return;
            }
            if (answer == null) {
                told = false;
                net.count("beat.unknown");
                if (full) {
                    lateFrom = Math.max(lateFrom, sentAt);
                    group.owners.unanswered(memberId, said);
                }
            } else {
                answered((ConsumerGroupHeartbeatResponseData) answer, begun, said);
            }
        });
    }

    private ConsumerGroupHeartbeatRequestData request(int atEpoch) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(group.id)
                .setMemberId(memberId)
                .setInstanceId(spec.instanceId)
                .setMemberEpoch(atEpoch);
    }

    private List<TopicPartitions> named(TreeSet<String> partitions) {
        Map<String, TopicPartitions> byTopic = new TreeMap<>();
        for (String each : partitions) {
            int dash = each.lastIndexOf('-');
            byTopic.computeIfAbsent(
                            each.substring(0, dash), topic -> new TopicPartitions().setTopicId(topics.id(topic)))
                    .partitions()
                    .add(Integer.parseInt(each.substring(dash + 1)));
        }
        return new ArrayList<>(byTopic.values());
    }

    private void answered(ConsumerGroupHeartbeatResponseData answer, long begun, TreeSet<String> said) {
        Errors error = Errors.forCode(answer.errorCode());
        net.count("beat." + error);
        switch (error) {
            case NONE -> accepted(answer, begun, said);
            case FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID, GROUP_ID_NOT_FOUND -> {
                if (error == Errors.GROUP_ID_NOT_FOUND && group.spec.kind() != SimGroup.Kind.MIXED) {
                    throw new RuleBroken("V3 errors", error + " for a heartbeat of " + name);
                }
                group.owners.releasedAll(memberId, net.scheduler().now());
                haunt(owned());
                rejoin();
            }
            case UNRELEASED_INSTANCE_ID -> {
                if (spec.instanceId == null) {
                    throw new RuleBroken("V3 errors", error + " for " + name);
                }
                pause();
            }
            default -> {
                if (!control.later(error)) {
                    throw new RuleBroken(
                            "V3 errors", error + " for a heartbeat of " + name + ": " + answer.errorMessage());
                }
                told = false;
            }
        }
    }

    /** @param said what it had when it asked */
    private void accepted(ConsumerGroupHeartbeatResponseData answer, long begun, TreeSet<String> said) {
        if (answer.memberEpoch() < epoch) {
            throw new RuleBroken(
                    "G6 member epochs rise", name + " was at " + epoch + " and is told " + answer.memberEpoch());
        }
        if (epoch > lateFrom && answer.memberEpoch() > epoch) {
            // Whatever is still under way is of an epoch before the last one, and refused.
            group.owners.settled(memberId);
            lateFrom = -1;
        }
        epoch = answer.memberEpoch();
        joined = true;
        if (answer.assignment() != null) {
            target = new TreeSet<>();
            for (var topic : answer.assignment().topicPartitions()) {
                String topicName = topics.name(null, topic.topicId());
                topic.partitions().forEach(partition -> target.add(topicName + "-" + partition));
            }
        }
        for (String each : target) {
            if (owned.add(each)) {
                told = false;
            }
        }
        boolean asked = !target.containsAll(said);
        group.owners.holds(memberId, target, asked, begun, net.scheduler().now());
        if (!target.containsAll(owned) && !releasing) {
            release();
        }
    }

    /** It needs a while to give partitions up: work under way, a last commit. */
    private void release() {
        releasing = true;
        String as = memberId;
        long delay = random.below(random.chance(0.9) ? 300 : 2 * group.spec.rebalanceMillis()) * SimScheduler.MILLI;
        net.scheduler().after(delay, null, "revoke", () -> {
            releasing = false;
            if (!as.equals(memberId) || stopped() || epoch == 0) {
                return;
            }
            for (String each : List.copyOf(owned)) {
                if (!target.contains(each)) {
                    haunt(List.of(each));
                    owned.remove(each);
                    told = false;
                    group.owners.released(memberId, each, net.scheduler().now());
                }
            }
        });
    }

    @Override
    boolean mayLeave() {
        return joined;
    }

    @Override
    void sayGoodbye() {
        int how = spec.instanceId != null && random.chance(0.7) ? -2 : -1;
        group.owners.releasedAll(memberId, net.scheduler().now());
        control.link().send(ApiKeys.CONSUMER_GROUP_HEARTBEAT, spec.version, request(how), 2_000, true, answer -> {});
    }

    // ---- offsets

    @Override
    SimOffsets.Identity who() {
        return new SimOffsets.Identity(memberId, spec.instanceId, epoch);
    }

    @Override
    boolean mayCommit() {
        return joined;
    }

    @Override
    SimOffsets.Identity reader() {
        return joined ? who() : null;
    }

    @Override
    String forbidden(SimOffsets.Identity who, String partition) {
        String newest = group.owners.newestOwner(partition);
        boolean current = who.memberId().equals(memberId) && who.epoch() == epoch;
        return newest == null || newest.equals(who.memberId()) || current ? null : "it had gone to " + newest;
    }
}
