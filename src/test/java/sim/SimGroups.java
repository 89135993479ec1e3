package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.protocol.ApiKeys;

/** The groups of a world: their settings, their members, and what must hold of them once faults have stopped (rules L5, G2, G9). */
final class SimGroups {
    private final SimNet net;
    private final SimProfile profile;
    private final SimRandom random;
    private final List<SimGroup> groups = new ArrayList<>();
    private final List<SimCommitter> committers = new ArrayList<>();

    SimGroups(SimNet net, SimProfile profile, SimRandom random) {
        this.net = net;
        this.profile = profile;
        this.random = random;
    }

    List<SimGroup> all() {
        return groups;
    }

    List<SimCommitter> committers() {
        return committers;
    }

    static void configure(SimProfile profile, Map<String, String> properties) {
        int session = profile.get("sessionMillis");
        properties.put("group.min.session.timeout.ms", "100");
        properties.put("group.initial.rebalance.delay.ms", "100");
        properties.put("group.consumer.session.timeout.ms", Integer.toString(session));
        properties.put("group.consumer.min.session.timeout.ms", "100");
        properties.put("group.consumer.heartbeat.interval.ms", Integer.toString(heartbeat(profile)));
        properties.put("group.consumer.min.heartbeat.interval.ms", "1");
        properties.put("group.consumer.assignment.interval.ms", Integer.toString(profile.get("assignmentMillis")));
        properties.put("offsets.topic.num.partitions", Integer.toString(profile.get("offsetsPartitions")));
        properties.put("group.coordinator.append.linger.ms", Integer.toString(profile.get("offsetsLinger")));
        properties.put("log.cleaner.backoff.ms", "300");
    }

    private static int heartbeat(SimProfile profile) {
        return Math.min(profile.get("sessionMillis"), profile.get("rebalanceMillis")) / 8;
    }

    /** The offsets topic with segments so small that they are closed and compacted in a run; null when the broker shall make it itself. */
    static CreatableTopic offsetsTopic(SimProfile profile) {
        boolean used = profile.get("groups") + profile.get("committers") + profile.get("transactions") > 0;
        if (!used || profile.get("offsetsSegment") == 0) {
            return null;
        }
        CreatableTopic topic = new CreatableTopic()
                .setName(Topic.GROUP_METADATA_TOPIC_NAME)
                .setNumPartitions(profile.get("offsetsPartitions"))
                .setReplicationFactor((short) -1);
        SimWorkload.configure(topic, "cleanup.policy", "compact");
        SimWorkload.configure(topic, "internal.segment.bytes", Integer.toString(profile.get("offsetsSegment")));
        SimWorkload.configure(topic, "min.cleanable.dirty.ratio", "0.01");
        SimWorkload.configure(topic, "delete.retention.ms", "500");
        SimWorkload.configure(topic, "file.delete.delay.ms", "200");
        return topic;
    }

    List<SimClient> make(List<PartitionLedger> partitions) {
        List<SimClient> clients = new ArrayList<>();
        for (int i = 0; i < profile.get("groups"); i++) {
            SimGroup.Spec spec = new SimGroup.Spec(
                    kind(i), profile.get("sessionMillis"), profile.get("rebalanceMillis"), heartbeat(profile));
            SimGroup group = new SimGroup("g" + i, spec, partitions);
            groups.add(group);
            for (int k = 0; k < profile.get("members"); k++) {
                group.add(member(group, k));
            }
            clients.addAll(group.members());
        }
        for (int i = 0; i < profile.get("committers"); i++) {
            SimRandom own = random.split("committer" + i);
            String topic = partitions.get(own.below(partitions.size())).topic;
            List<Integer> some = partitions.stream()
                    .filter(each -> each.topic.equals(topic))
                    .map(each -> each.partition)
                    .toList();
            committers.add(new SimCommitter(net, own, "s" + i, topic, some));
        }
        clients.addAll(committers);
        return clients;
    }

    private SimGroup.Kind kind(int group) {
        if (!profile.consumerGroup(group)) {
            return SimGroup.Kind.CLASSIC;
        }
        // Nothing in a JoinGroup tells a copy of it from a new one, so nobody could say what a classic member still
        // has.
        boolean mixed = profile.get("classicMembers") != 0 && !profile.faults.contains(SimProfile.Fault.GHOST);
        return mixed ? SimGroup.Kind.MIXED : SimGroup.Kind.CONSUMER;
    }

    private SimGroup.Member member(SimGroup group, int index) {
        String name = group.id + "m" + index;
        SimRandom own = random.split(name);
        String instance = profile.staticMember(index) ? "i" + index : null;
        boolean classic = group.spec.kind() == SimGroup.Kind.CLASSIC
                || (group.spec.kind() == SimGroup.Kind.MIXED && profile.classicMember(index));
        if (!classic) {
            short version = (short) own.between(0, ApiKeys.CONSUMER_GROUP_HEARTBEAT.latestVersion(false));
            return new SimConsumerMember(net, own, name, group, new SimConsumerMember.Spec(instance, version));
        }
        // Who leads must be told which members are static, if any are.
        boolean names = profile.get("staticMembers") != 0;
        SimClassicMember.Spec spec = new SimClassicMember.Spec(
                instance,
                version(own, ApiKeys.JOIN_GROUP, names ? 5 : 0),
                version(own, ApiKeys.SYNC_GROUP, names ? 3 : 0),
                version(own, ApiKeys.HEARTBEAT, names ? 3 : 0),
                version(own, ApiKeys.LEAVE_GROUP, names ? 3 : 0));
        return new SimClassicMember(net, own, name, group, spec);
    }

    private static short version(SimRandom random, ApiKeys key, int lowest) {
        short latest = key.latestVersion(false);
        return random.chance(0.5) ? latest : (short) random.between(lowest, latest);
    }

    /** Rule L5: with members that live and want nothing new, each group settles. */
    void settle() {
        if (profile.faults.contains(SimProfile.Fault.GHOST)) {
            net.scheduler().runFor(6_000 * SimScheduler.MILLI);
        }
        long patience = profile.get("sessionMillis") + 2L * profile.get("rebalanceMillis") + 5_000;
        long quietMillis = (long) profile.get("sessionMillis") + profile.get("assignmentMillis") + 500;
        for (SimGroup group : groups) {
            long limit = net.scheduler().now() + patience * SimScheduler.MILLI;
            List<String> before;
            do {
                if (!net.scheduler().runUntil(group::stable, limit)) {
                    throw new RuleBroken("L5 groups settle", group.id + ": " + group.describe());
                }
                before = group.describe();
                // What died in silence is gone, and what its going made due is done.
                net.scheduler().runFor(quietMillis * SimScheduler.MILLI);
            } while (profile.get("reread") > 0 && !group.describe().equals(before));
        }
    }

    List<List<String>> describe() {
        return groups.stream().map(SimGroup::describe).toList();
    }

    /** Rules G2 and G9: the coordinator was away, its members were not. */
    void unmoved(List<List<String>> before) {
        net.scheduler().runFor(3L * profile.get("sessionMillis") * SimScheduler.MILLI);
        if (!describe().equals(before)) {
            throw new RuleBroken("G9 failover moves nobody", before + " before, after: " + describe());
        }
    }
}
