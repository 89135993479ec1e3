package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Metrics;
import common.Ports;
import common.Timers;
import config.BrokerConfig;
import controller.BootReport;
import controller.Controller;
import controller.ControllerMachine;
import controller.Decision;
import controller.MetadataQuorum;
import controller.ReplicaEnd;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import protocol.PeerTags;
import raft.RaftNode;
import raft.RaftOutput;
import replication.FollowerReplica.RecoveryPoints;
import storage.DiskExecutor;
import storage.LogContext;
import storage.LogStart;
import storage.PartitionLog;

/**
 * The controller's owner: this node's replica of the metadata log, what is committed of it, and, while this node leads the quorum, the machine that decides. All
 * methods on its owner.
 */
final class ControllerNode implements Controller, MetadataReplica.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerNode.class);

    /** How often time-based duties are looked at. */
    private static final long DUTY_MILLIS = 10_000;

    /** How long a stop waits for what is not committed yet, and for others to hear that this node leads no more. */
    private static final long STOP_MILLIS = 1_000;

    private final Setup setup;
    private final PartitionLog log;
    private final ControllerMachine machine;
    private final MetadataReplica replica;
    private final CommittedMetadata committed;
    private final MetadataJournal journal;
    private final MetadataSnapshots snapshots;
    private final Publications publications;
    private final MetadataQuorumNode quorum;
    private final ControllerDuties activeDuties;
    private final VoterJoin joining;
    private final ActiveController active = new ActiveController();
    private boolean published;
    private SuspectedBrokers suspected;
    private boolean stopping;
    private Timers.Handle duty;
    private Callback<Void> firstActivation;
    private Consumer<String> whenClusterKnown;

    /**
     * What it is made of.
     *
     * @param start of the metadata log
     * @param foundPartitions partition directories found, the metadata log's not counted: without a metadata log nobody can say whose they are
     * @param recoveryPoints of the metadata log
     * @param incarnation of the broker that this process is, too; null: it is none
     */
    record Setup(
            Ports ports,
            LogContext context,
            LogStart start,
            DiskExecutor disk,
            BrokerConfig config,
            String clusterId,
            Uuid incarnation,
            int foundPartitions,
            MetadataPublisher publisher,
            RecoveryPoints recoveryPoints,
            QuorumPlace quorum) {}

    /**
     * What its opening found.
     *
     * @param raft not started
     * @param image of the newest snapshot
     * @param tail what the log holds behind it, as far as it was kept
     */
    record Found(
            PartitionLog log,
            LogWork work,
            MetadataRaftLog raftLog,
            RaftNode raft,
            SnapshotFiles snapshots,
            VoteFile votes,
            MetadataImage image,
            List<MetadataBatch> tail) {}

    ControllerNode(Setup setup, Found found) {
        this.setup = setup;
        this.log = found.log;
        this.publications = new Publications(setup.publisher);
        MetadataReader reader = new MetadataReader(log, setup.disk);
        this.committed = new CommittedMetadata(found.image, reader, publications, setup.ports.timers(), this::advanced);
        committed.appended(found.tail);
        QuorumTasks tasks = new QuorumTasks(new QuorumTasks.Parts(
                setup.ports,
                setup.disk,
                log,
                found.work,
                reader,
                committed,
                found.snapshots,
                found.raftLog,
                setup.recoveryPoints,
                MetadataImage.empty(setup.clusterId)));
        this.replica = new MetadataReplica(
                new MetadataReplica.Parts(setup.ports, found.raft, log, tasks, found.votes, setup.quorum.wire()), this);
        this.machine = new ControllerMachine(setup.config, setup.ports.random(), MetadataImage.empty(setup.clusterId));
        if (setup.incarnation != null) {
            machine.ownProcess(setup.config.node().nodeId(), setup.incarnation);
        }
        this.journal = new MetadataJournal(
                machine,
                log,
                found.work,
                committed,
                replica,
                setup.ports.clock(),
                setup.config.controller().maxBatchBytes());
        this.snapshots = new MetadataSnapshots(
                new MetadataSnapshots.Place(
                        setup.ports,
                        setup.context,
                        setup.disk,
                        setup.config.controller(),
                        log,
                        found.snapshots,
                        found.raftLog),
                committed,
                found.raft::votersBefore);
        this.quorum = new MetadataQuorumNode(
                replica,
                new QuorumDescription(setup.quorum.self(), setup.quorum.endpoints()),
                setup.quorum.listener(),
                setup.ports.clock());
        this.activeDuties = new ControllerDuties(
                setup.ports.timers(),
                setup.ports.clock(),
                setup.config.controller(),
                (decision, done) -> decide(decision, false, done));
        this.joining = new VoterJoin(setup.ports.timers(), replica, setup.quorum);
    }

    /** Opens the metadata log and takes part in the quorum. One that decides alone also becomes the active controller. Publishes nothing yet. */
    static void open(Setup setup, Callback<ControllerNode> done) {
        new MetadataOpening(setup, done).run();
    }

    /** Takes part in the quorum from now on. */
    void start(long damagedFrom) {
        replica.start(damagedFrom);
        joining.start();
    }

    /** As {@link #start}; {@code done} comes when this node is the active controller for the first time, and what that entails is committed. */
    void startAlone(Callback<Void> done) {
        firstActivation = done;
        replica.start(-1);
    }

    PartitionLog log() {
        return log;
    }

    /** What is committed, and known here to be. */
    MetadataImage image() {
        return committed.image();
    }

    /** Runs {@code then} once the record at {@code offset} is committed, for all that is known here, and in the image; now if so. */
    void whenCommitted(long offset, Runnable then) {
        committed.whenCommitted(offset, then);
    }

    /** The broker's process is known to be gone (L1); the answer is true when it is fenced by that. */
    void fence(int brokerId, long brokerEpoch, Callback<Boolean> done) {
        decide(machine -> machine.fence(brokerId, brokerEpoch), false, done);
    }

    /** What others ask of this node's replica. */
    MetadataQuorum quorum() {
        return quorum;
    }

    ActiveController active() {
        return active;
    }

    // What consensus tells.

    @Override
    public void committed(long highWatermark) {
        if (journal.isActive()) {
            journal.commit(highWatermark);
        } else {
            committed.advance(highWatermark);
        }
    }

    @Override
    public void stands(RaftOutput.Standing standing) {
        boolean leads = standing.role() == RaftOutput.Role.LEADER && standing.epoch() == journal.epoch();
        if (journal.isActive() && !leads) {
            LOG.info("this node is the active controller no more; epoch {}", standing.epoch());
            activeDuties.end();
            journal.end(Failure.of(FailureCode.NOT_LEADER, "this node is the active controller no more"));
        }
        committed.controllerIs(standing.leaderId());
    }

    @Override
    public void settled() {
        activate();
        active.update(setup.quorum.self().id(), replica.raft(), journal.isActive());
    }

    @Override
    public void failed(Failure failure) {
        if (firstActivation != null) {
            Callback<Void> done = firstActivation;
            firstActivation = null;
            done.fail(failure);
        }
    }

    /** Runs {@code then} with the id of the cluster once a committed record says it, now or later. For a node that did not know it. */
    void whenClusterKnown(Consumer<String> then) {
        whenClusterKnown = then;
        learnCluster();
    }

    private void learnCluster() {
        String id = image().clusterId();
        if (whenClusterKnown != null && id != null) {
            LOG.info("this node is of cluster {}", id);
            replica.raft().clusterId(id);
            Consumer<String> then = whenClusterKnown;
            whenClusterKnown = null;
            then.accept(id);
        }
    }

    private void advanced() {
        learnCluster();
        if (published) {
            snapshots.maybeTake();
        }
        if (replica.isSettled()) {
            settled();
        }
    }

    /** Once a record of its own epoch is committed, and so all before it are known (rules R6, R10), a leader of the quorum is the active controller. */
    private void activate() {
        RaftOutput.Standing standing = replica.standing();
        long end = replica.highWatermark();
        boolean established = standing.role() == RaftOutput.Role.LEADER
                && end > log.logStartOffset()
                && log.epochFor(end - 1) == standing.epoch();
        if (journal.isActive() || !established || committed.image().version() < end) {
            return;
        }
        LOG.info("this node is the active controller; epoch {}", standing.epoch());
        journal.begin(standing.epoch());
        activeDuties.begin();
        Callback<Void> first = firstActivation;
        firstActivation = null;
        Countdown rest = new Countdown(2, (written, failure) -> {
            if (failure != null) {
                LOG.warn("what a new active controller begins with is not done: {}", failure.message());
            }
            if (first != null) {
                first.done(null, failure);
            }
        });
        decide(unused -> new Decision<>(machine.bootstrap(), true), false, (done, failure) -> rest.one(failure));
        decide(
                unused -> machine.activate(setup.ports.clock().monotonicNanos()),
                false,
                (done, failure) -> rest.one(failure));
    }

    /** Publishes the image for the first time, and from then on each committed one. */
    void publish(Callback<Void> done) {
        report(setup.ports.metrics());
        published = true;
        publications.publish(image(), done);
        publications.start();
        duty = setup.ports.timers().after(DUTY_MILLIS, this::duties);
    }

    void stop(Callback<Void> done) {
        stopping = true;
        if (duty != null) {
            duty.cancel();
        }
        activeDuties.end();
        snapshots.close();
        joining.stop();
        Ending ending = new Ending(done);
        ending.limits = List.of(
                setup.ports.timers().after(STOP_MILLIS, () -> replica.halt(ending)),
                setup.ports.timers().after(2 * STOP_MILLIS, ending));
        Failure reason = Failure.of(FailureCode.SHUTTING_DOWN, "this node is stopping");
        journal.close(reason, () -> replica.halt(ending));
    }

    /** The last step of a stop. */
    private final class Ending implements Runnable {
        private final Callback<Void> done;
        private List<Timers.Handle> limits;
        private boolean ended;

        Ending(Callback<Void> done) {
            this.done = done;
        }

        @Override
        public void run() {
            if (!ended) {
                ended = true;
                limits.forEach(Timers.Handle::cancel);
                replica.close();
                committed.close();
                log.close(done);
            }
        }
    }

    /** The scraping thread reads whole, immutable images; a slightly old one does no harm. */
    private void report(Metrics metrics) {
        String prefix = "kafka_controller_kafkacontroller_";
        metrics.gauge(
                prefix + "activecontrollercount",
                "1 while this node is the active controller",
                () -> active.local() ? 1 : 0);
        metrics.gauge(
                prefix + "globaltopiccount",
                "Topics of the cluster",
                () -> image().topics().size());
        metrics.gauge(prefix + "globalpartitioncount", "Partitions of the cluster", () -> partitions(image()));
    }

    private static long partitions(MetadataImage image) {
        long count = 0;
        for (MetadataImage.TopicImage topic : image.topics()) {
            count += topic.partitions().size();
        }
        return count;
    }

    private void duties() {
        if (stopping) {
            return;
        }
        log.housekeep(setup.ports.clock().wallMillis());
        snapshots.maybeTake();
        duty = setup.ports.timers().after(DUTY_MILLIS, this::duties);
    }

    /** One that stood still for too long is the active controller no more, whatever its timers have not told yet (rule R5). */
    private <T> void decide(Function<ControllerMachine, Decision<T>> decision, boolean awaitShards, Callback<T> done) {
        replica.tick();
        journal.submit(new MetadataJournal.Request<>(decision, awaitShards, done));
    }

    @Override
    public void createTopics(CreateTopicsRequestData request, Callback<CreateTopicsResponseData> done) {
        decide(machine -> machine.createTopics(request), true, done);
    }

    @Override
    public void deleteTopics(DeleteTopicsRequestData request, Callback<DeleteTopicsResponseData> done) {
        decide(machine -> machine.deleteTopics(request), true, done);
    }

    @Override
    public void createPartitions(CreatePartitionsRequestData request, Callback<CreatePartitionsResponseData> done) {
        decide(machine -> machine.createPartitions(request), true, done);
    }

    @Override
    public void incrementalAlterConfigs(
            IncrementalAlterConfigsRequestData request, Callback<IncrementalAlterConfigsResponseData> done) {
        decide(machine -> machine.incrementalAlterConfigs(request), true, done);
    }

    @Override
    public void alterConfigs(AlterConfigsRequestData request, Callback<AlterConfigsResponseData> done) {
        decide(machine -> machine.alterConfigs(request), true, done);
    }

    @Override
    public void alterClientQuotas(AlterClientQuotasRequestData request, Callback<AlterClientQuotasResponseData> done) {
        decide(machine -> machine.alterClientQuotas(request), true, done);
    }

    @Override
    public void allocateProducerIds(
            AllocateProducerIdsRequestData request, Callback<AllocateProducerIdsResponseData> done) {
        decide(machine -> machine.allocateProducerIds(request), false, done);
    }

    @Override
    public void updateFeatures(UpdateFeaturesRequestData request, Callback<UpdateFeaturesResponseData> done) {
        decide(machine -> machine.updateFeatures(request), true, done);
    }

    @Override
    public void electLeaders(ElectLeadersRequestData request, Callback<ElectLeadersResponseData> done) {
        decide(machine -> machine.electLeaders(request), true, done);
    }

    @Override
    public void reassign(
            AlterPartitionReassignmentsRequestData request, Callback<AlterPartitionReassignmentsResponseData> done) {
        decide(machine -> machine.reassign(request), true, done);
    }

    @Override
    public void assignReplicasToDirs(
            AssignReplicasToDirsRequestData request, Callback<AssignReplicasToDirsResponseData> done) {
        decide(machine -> machine.assignReplicasToDirs(request), false, done);
    }

    @Override
    public void alterPartition(AlterPartitionRequestData request, Callback<AlterPartitionResponseData> done) {
        decide(machine -> machine.alterPartition(request), false, done);
    }

    @Override
    public void registerBroker(
            BrokerRegistrationRequestData request, BootReport report, Callback<BrokerRegistrationResponseData> done) {
        decide(
                machine -> machine.registerBroker(
                        request, report, setup.ports.clock().monotonicNanos()),
                false,
                done);
    }

    @Override
    public void heartbeat(BrokerHeartbeatRequestData request, Callback<BrokerHeartbeatResponseData> done) {
        PeerTags.suspects(request).forEach(this::look);
        decide(machine -> machine.heartbeat(request, setup.ports.clock().monotonicNanos()), false, done);
        List<ReplicaEnd> ends = PeerTags.ends(request);
        if (!ends.isEmpty()) {
            // What fails is told again.
            decide(
                    machine -> machine.recover(request.brokerId(), request.brokerEpoch(), ends),
                    false,
                    (led, failure) -> {});
        }
    }

    /** Somebody believes that the broker's process is gone: the active controller looks itself. */
    void look(int brokerId) {
        if (active.local() && suspected != null) {
            suspected.look(brokerId);
        }
    }

    /** Who looks for suspected brokers. */
    void lookWith(SuspectedBrokers looking) {
        suspected = looking;
    }

    @Override
    public void unregisterBroker(UnregisterBrokerRequestData request, Callback<UnregisterBrokerResponseData> done) {
        decide(machine -> machine.unregisterBroker(request), true, done);
    }

    @Override
    public void addRaftVoter(AddRaftVoterRequestData request, Callback<AddRaftVoterResponseData> done) {
        quorum.addRaftVoter(request, done);
    }

    @Override
    public void removeRaftVoter(RemoveRaftVoterRequestData request, Callback<RemoveRaftVoterResponseData> done) {
        quorum.removeRaftVoter(request, done);
    }

    @Override
    public void describeQuorum(DescribeQuorumRequestData request, Callback<DescribeQuorumResponseData> done) {
        quorum.describeQuorum(request, done);
    }
}
