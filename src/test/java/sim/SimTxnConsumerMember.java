package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * A job's process in a KIP-848 group. It gives partitions up in the midst of its transactions, and commits with the epoch at which it began to read: whether that still
 * counts is for the coordinator to know (rules G6, G7, T10).
 */
final class SimTxnConsumerMember implements SimTxnMember {
    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final Spec spec;
    private final SimCoordination coordination;
    private final SimTopics topics = new SimTopics();
    private final TreeSet<Integer> owned = new TreeSet<>();
    private TreeSet<Integer> target = new TreeSet<>();
    private int epoch;
    /** The coordinator knows what it owns. */
    private boolean told;

    private boolean busy;
    private boolean stopped;

    SimTxnConsumerMember(SimNet net, SimRandom random, String name, Spec spec) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.spec = spec;
        this.coordination = new SimCoordination(net, random, name + "/group", spec.group(), () -> busy = false);
    }

    @Override
    public void start() {
        coordination.start();
        beat();
    }

    @Override
    public void stop() {
        stopped = true;
        coordination.stop();
    }

    @Override
    public SimCoordination coordination() {
        return coordination;
    }

    @Override
    public boolean stable() {
        return epoch > 0;
    }

    @Override
    public List<Integer> partitions() {
        return new ArrayList<>(owned);
    }

    @Override
    public SimTxnClient.Member identity() {
        return new SimTxnClient.Member(spec.group(), name, epoch);
    }

    private void beat() {
        long wait = 1L + random.below(Math.max(1, Math.min(spec.sessionMillis(), spec.rebalanceMillis()) / 4));
        net.scheduler().after(wait * SimScheduler.MILLI, null, "txn-member", () -> {
            if (stopped) {
                return;
            }
            if (!busy && coordination.ready()) {
                if (topics.knows(spec.topic())) {
                    heartbeat();
                } else {
                    topics.ask(coordination.link(), List.of(spec.topic()), () -> {});
                }
            }
            beat();
        });
    }

    private void heartbeat() {
        ConsumerGroupHeartbeatRequestData request = new ConsumerGroupHeartbeatRequestData()
                .setGroupId(spec.group())
                .setMemberId(name)
                .setMemberEpoch(epoch);
        boolean full = epoch == 0 || !told;
        if (full) {
            TopicPartitions mine = new TopicPartitions().setTopicId(topics.id(spec.topic()));
            mine.setPartitions(partitions());
            request.setRebalanceTimeoutMs(spec.rebalanceMillis())
                    .setSubscribedTopicNames(List.of(spec.topic()))
                    .setTopicPartitions(owned.isEmpty() ? List.of() : List.of(mine));
        }
        busy = true;
        told = full;
        coordination.link().send(ApiKeys.CONSUMER_GROUP_HEARTBEAT, (short) 1, request, 2_000, true, answer -> {
            busy = false;
            if (answer == null) {
                told = false;
            } else if (!stopped) {
                answered((ConsumerGroupHeartbeatResponseData) answer);
            }
        });
    }

    private void answered(ConsumerGroupHeartbeatResponseData answer) {
        Errors error = Errors.forCode(answer.errorCode());
        net.count("txn-beat." + error);
        switch (error) {
            case NONE -> accepted(answer);
            case FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID -> {
                epoch = 0;
                owned.clear();
                target.clear();
            }
            default -> {
                if (!coordination.later(error)) {
                    throw new RuleBroken("V3 errors", error + " for a heartbeat of " + name);
                }
                told = false;
            }
        }
    }

    private void accepted(ConsumerGroupHeartbeatResponseData answer) {
        epoch = answer.memberEpoch();
        if (answer.assignment() == null) {
            return;
        }
        target = new TreeSet<>();
        answer.assignment().topicPartitions().forEach(each -> target.addAll(each.partitions()));
        told &= !owned.addAll(target);
        net.count("txn.assignments");
        if (!target.containsAll(owned)) {
            long delay = random.below(spec.rebalanceMillis() / 4);
            net.scheduler()
                    .after(delay * SimScheduler.MILLI, null, "txn-revoke", () -> told &= !owned.retainAll(target));
        }
    }
}
