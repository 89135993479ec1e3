package node;

import common.Failure;
import common.FailureCode;
import common.Metrics;
import common.PartitionId;
import common.Ports;
import config.ReplicationConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import replication.Admission;
import replication.FollowerReplica;
import replication.IsrState;
import replication.LeaderReplica;
import replication.LeaderSetup;
import replication.TransactionGate;
import replication.TransactionVerifier;
import storage.LogIdentity;
import storage.PartitionLog;

/**
 * What this node is to each open partition of one shard, by the newest metadata (rule C8): its leader, a follower of another node, or neither while nobody leads.
 * A role begins when nothing that a former one began is under way any more. Confined to the shard.
 *
 * <pre>
 *   none --leader is this node--> leads --another, or nobody--> none
 *   none --leader is another----> follows --another epoch, or this node, or nobody--> none
 * </pre>
 */
final class PartitionRoles implements FollowedPartitions {
    private final Ports ports;
    private final int nodeId;
    private final ShardSettings settings;
    private final TransactionVerifier verifier;
    private final ReplicationConfig config;
    private final LeaderSetup setup;
    private final Metrics.Counter lost;
    private final RecoveryEnds ends;
    private final Map<PartitionId, FollowedReplica> followed = new LinkedHashMap<>();
    private Listener listener;
    private MetadataImage image;
    /** The topic whose min.insync.replicas was asked for last, and that: partitions of one topic come together. */
    private Uuid askedLast;

    private long askedIn;
    private int minIsrLast;

    /**
     * @param verifier called and answering on this loop
     * @param soon runs a task on the shard, never inside the caller's stack
     * @param first image known when the node is assembled
     */
    PartitionRoles(
            Ports ports,
            int nodeId,
            ShardSettings settings,
            TransactionVerifier verifier,
            ReplicationConfig config,
            Consumer<Runnable> soon,
            MetadataImage first) {
        this.ports = ports;
        this.nodeId = nodeId;
        this.settings = settings;
        this.verifier = verifier;
        this.config = config;
        this.image = first;
        this.lost = ports.metrics()
                .counter(
                        "highwater_replication_lostrecords_total",
                        "Committed records that were cut because a leader elected uncleanly does not have them");
        this.ends = new RecoveryEnds(ports.mailboxes(), ports.timers(), nodeId, () -> image);
        IsrRequests requests =
                new IsrRequests(ports.mailboxes(), ports.metrics(), nodeId, () -> image, this::minIsr, soon);
        this.setup = new LeaderSetup(
                nodeId,
                new LeaderSetup.Brokers() {
                    @Override
                    public long eligibleEpoch(int id) {
                        return PartitionRoles.this.eligibleEpoch(id);
                    }

                    @Override
                    public String rack(int id) {
                        BrokerImage broker = image.broker(id);
                        return broker == null ? null : broker.rack();
                    }
                },
                requests,
                ports.clock(),
                ports.timers(),
                config.lagMillis() * 1_000_000,
                ports.mutations());
    }

    @Override
    public void listen(Listener fetchers) {
        listener = fetchers;
    }

    TransactionVerifier verifier() {
        return verifier;
    }

    /** How often {@link LeaderReplica#check} is due. */
    long lagCheckMillis() {
        return config.lagCheckMillis();
    }

    /** From now on this is the newest metadata. Whoever tells it calls {@link #assign} for the partitions that it changes. */
    void follow(MetadataImage newest) {
        image = newest;
    }

    MetadataImage image() {
        return image;
    }

    /** Null when the newest metadata has no such partition. */
    PartitionImage state(PartitionId id) {
        TopicImage topic = image.topic(id.topicId());
        return topic == null || id.partition() >= topic.partitions().size()
                ? null
                : topic.partitions().get(id.partition());
    }

    private long eligibleEpoch(int id) {
        BrokerImage broker = image.broker(id);
        return broker == null || broker.fenced() || broker.inControlledShutdown() ? -1 : broker.epoch();
    }

    private int minIsr(TopicImage topic) {
        if (!topic.id().equals(askedLast) || image.version() != askedIn) {
            askedLast = topic.id();
            askedIn = image.version();
            minIsrLast = settings.minIsr(image, topic);
        }
        return minIsrLast;
    }

    private IsrState isrState(OpenPartition open, PartitionImage state) {
        return new IsrState(
                state.leaderEpoch(),
                state.partitionEpoch(),
                state.replicas(),
                state.isr(),
                minIsr(image.topic(open.id().topicId())),
                state.eligible().recovering());
    }

    /** Gives the partition the role that the newest metadata has for it; a new one perhaps a little later. */
    void assign(OpenPartition open) {
        PartitionImage state = open.leaving ? null : state(open.id());
        ends.look(open, state);
        boolean here = state != null && state.replicas().contains(nodeId);
        boolean leads = here && state.leader() == nodeId;
        boolean follows =
                here && !leads && state.leader() >= 0 && open.directory().failure() == null;
        if (open.leader != null && !leads) {
            resign(open, open.leaving ? "the partition is being deleted" : "another node leads the partition");
        }
        if (open.followed != null && !(follows && isSame(open.followed, state))) {
            endFollowing(open);
        }
        if (leads && open.leader != null) {
            open.leader.lead(isrState(open, state), setup, (led, failure) -> {});
        } else if (follows && open.followed != null) {
            open.followed.inSync(state.isr().contains(nodeId));
        } else if ((leads || follows) && !open.waits && !open.busy) {
            open.waits = true;
            open.log().whenSettled(() -> {
                open.waits = false;
                begin(open);
            });
        }
    }

    private static boolean isSame(FollowedReplica role, PartitionImage state) {
        return role.leader() == state.leader() && role.leaderEpoch() == state.leaderEpoch();
    }

    /** Nothing of a former role is under way; the metadata may be newer than that which asked for this. */
    private void begin(OpenPartition open) {
        PartitionImage state = open.leaving ? null : state(open.id());
        if (state == null || !state.replicas().contains(nodeId) || open.leader != null || open.followed != null) {
            return;
        }
        if (state.leader() == nodeId) {
            open.leader = leader(open);
            open.leader.lead(isrState(open, state), setup, (led, failure) -> {});
        } else if (state.leader() >= 0 && open.directory().failure() == null) {
            FollowerReplica replica = new FollowerReplica(
                    open.log(), open.directory()::lower, (log, records) -> lost.add(records), ports.mutations());
            replica.follow(state.leaderEpoch(), state.isr().contains(nodeId));
            open.followed = new FollowedReplica(open, replica, state.leader(), state.leaderEpoch(), this::assign);
            followed.put(open.id(), open.followed);
            if (listener != null) {
                listener.began(open.followed);
            }
        }
    }

    private LeaderReplica leader(OpenPartition open) {
        PartitionLog log = open.log();
        ShardDirectory directory = open.directory();
        LogIdentity identity = log.identity();
        Admission admission =
                new Admission(directory.disk(), ports.clock(), directory.validators(), directory.queuedBytes());
        TransactionGate gate = new TransactionGate(
                log,
                verifier,
                new TopicPartition(identity.topic(), identity.partition()),
                ports.mutations(),
                directory.queuedBytes());
        return new LeaderReplica(log, admission, gate, nodeId);
    }

    private static void resign(OpenPartition open, String why) {
        LeaderReplica former = open.leader;
        open.leader = null;
        former.resign(Failure.of(FailureCode.NOT_LEADER, why));
    }

    private void endFollowing(OpenPartition open) {
        FollowedReplica former = open.followed;
        open.followed = null;
        followed.remove(open.id());
        former.end();
        if (listener != null) {
            listener.ended(former);
        }
    }

    /** The partition is to be deleted or closed. */
    void leave(OpenPartition open) {
        open.leaving = true;
        assign(open);
    }

    @Override
    public List<Followed> of(int leader) {
        List<Followed> all = new ArrayList<>();
        for (FollowedReplica each : followed.values()) {
            if (each.leader() == leader) {
                all.add(each);
            }
        }
        return all;
    }

    /** Rule I2: why a request of this epoch (-1: of any) for a partition that is not led here is refused. */
    Failure refusal(PartitionId id, int currentLeaderEpoch) {
        PartitionImage state = state(id);
        if (state == null) {
            return StorageShard.UNKNOWN;
        }
        if (state.replicas().contains(nodeId) && currentLeaderEpoch >= 0) {
            if (currentLeaderEpoch < state.leaderEpoch()) {
                return Failure.of(FailureCode.FENCED_LEADER_EPOCH, "the leader epoch here is " + state.leaderEpoch());
            }
            if (currentLeaderEpoch > state.leaderEpoch()) {
                return Failure.of(
                        FailureCode.UNKNOWN_LEADER_EPOCH, "the leader epoch here is still " + state.leaderEpoch());
            }
        }
        return Failure.of(
                FailureCode.NOT_LEADER,
                state.leader() < 0
                        ? "nobody leads the partition for now"
                        : state.leader() == nodeId
                                ? "this node is about to lead the partition"
                                : "node " + state.leader() + " leads the partition");
    }
}
