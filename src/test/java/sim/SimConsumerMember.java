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

/**
 * A member of a KIP-848 group: heartbeats, gives up what it is asked to after a while, commits and reads. It freezes past its session and comes back as if nothing
 * had been, leaves with or without a word, and loses answers. Reports what it is told to its group's judges.
 */
final class SimConsumerMember implements SimGroup.Member {
    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final SimGroup group;
    private final Spec spec;
    private final SimCoordination control;
    private final SimOffsets offsets;
    private final SimTopics topics = new SimTopics();
    private final TreeSet<String> owned = new TreeSet<>();
    private TreeSet<String> target = new TreeSet<>();
    private String memberId;
    private int epoch;
    private int incarnations;
    private boolean joined;
    /** It has told the coordinator all that it has to. */
    private boolean told;

    private boolean releasing;
    private boolean busy;
    private boolean sleeping;
    private boolean misbehaving = true;
    private boolean stopped;
    private long notBefore;

    /** @param instanceId null: a dynamic member */
    record Spec(String instanceId, short version) {}

    SimConsumerMember(SimNet net, SimRandom random, String name, SimGroup group, Spec spec) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.group = group;
        this.spec = spec;
        this.control = new SimCoordination(net, random, name, group.id, () -> busy = false);
        this.offsets = new SimOffsets(net, random, group, name + "/offsets");
        begin();
    }

    /** A new process. */
    private void begin() {
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
    public void start() {
        control.start();
        offsets.start();
        beat();
        work();
    }

    @Override
    public void quiesce() {
        misbehaving = false;
        sleeping = false;
    }

    @Override
    public String unfinished() {
        return offsets.open() > 0 ? name + " waits for an answer about offsets" : null;
    }

    @Override
    public void stop() {
        stopped = true;
        control.stop();
        offsets.stop();
    }

    @Override
    public int settledAt() {
        return joined && owned.equals(target) ? epoch : -1;
    }

    @Override
    public List<String> owned() {
        return new ArrayList<>(owned);
    }

    @Override
    public String memberId() {
        return memberId;
    }

    // ---- taking part

    private void beat() {
        if (stopped) {
            return;
        }
        long wait = 1L + random.below(2 * group.spec.heartbeatMillis());
        net.scheduler().after(wait * SimScheduler.MILLI, null, "member", () -> {
            if (!stopped && !sleeping && misbehaving && random.chance(0.03)) {
                misbehave();
            }
            if (!stopped
                    && !sleeping
                    && !busy
                    && control.ready()
                    && net.scheduler().now() >= notBefore) {
                if (group.topics().stream().allMatch(topics::knows)) {
                    heartbeat();
                } else {
                    topics.ask(control.link(), group.topics(), () -> {});
                }
            }
            beat();
        });
    }

    private void misbehave() {
        int session = group.spec.sessionMillis();
        switch (random.below(5)) {
            case 0, 1 -> {
                net.count("member.freezes");
                sleep(session / 2 + random.below(2 * session));
            }
            case 2 -> leave();
            case 3 -> {
                net.count("member.dies");
                control.link().disconnect();
                haunt();
                begin();
                sleep(random.below(2 * session));
            }
            default -> control.link().disconnect();
        }
    }

    private void sleep(int millis) {
        sleeping = true;
        net.scheduler().after(millis * SimScheduler.MILLI, null, "member-awakes", () -> sleeping = false);
    }

    /** What it was commits once more, later. */
    private void haunt() {
        if (!owned.isEmpty()) {
            haunt(owned());
        }
    }

    private void haunt(List<String> had) {
        SimOffsets.Identity was = who();
        long delay = random.below(3 * group.spec.sessionMillis()) * SimScheduler.MILLI;
        net.scheduler().after(delay, null, "zombie", () -> {
            if (!stopped) {
                net.count("member.zombie-commits");
                offsets.commit(was, offsets.some(had), this::forbidden, error -> {});
            }
        });
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
            case FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID -> {
                group.owners.releasedAll(memberId, net.scheduler().now());
                haunt();
                rejoin();
            }
            case UNRELEASED_INSTANCE_ID -> {
                if (spec.instanceId == null) {
                    throw new RuleBroken("V3 errors", error + " for " + name);
                }
                notBefore = net.scheduler().now() + random.below(300) * SimScheduler.MILLI;
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
            if (!as.equals(memberId) || stopped || epoch == 0) {
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

    private void leave() {
        if (!joined || busy || !control.ready()) {
            return;
        }
        net.count("member.leaves");
        int how = spec.instanceId != null && random.chance(0.7) ? -2 : -1;
        group.owners.releasedAll(memberId, net.scheduler().now());
        control.link().send(ApiKeys.CONSUMER_GROUP_HEARTBEAT, spec.version, request(how), 2_000, true, answer -> {});
        haunt();
        begin();
        sleep(random.below(2 * group.spec.sessionMillis()));
    }

    // ---- offsets

    private SimOffsets.Identity who() {
        return new SimOffsets.Identity(memberId, spec.instanceId, epoch);
    }

    private void work() {
        if (stopped) {
            return;
        }
        net.scheduler().after((10 + random.below(200)) * SimScheduler.MILLI, null, "member-works", () -> {
            if (!stopped && (!sleeping || random.chance(0.3))) {
                if (random.chance(0.3)) {
                    offsets.read(joined ? who() : null);
                } else if (joined) {
                    offsets.commit(who(), offsets.some(owned()), this::forbidden, error -> {});
                }
            }
            work();
        });
    }

    private String forbidden(SimOffsets.Identity who, String partition) {
        String newest = group.owners.newestOwner(partition);
        boolean current = who.memberId().equals(memberId) && who.epoch() == epoch;
        return newest == null || newest.equals(who.memberId()) || current ? null : "it had gone to " + newest;
    }
}
