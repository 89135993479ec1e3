package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Metrics;
import common.Ports;
import common.Timers;
import config.BrokerConfig;
import config.ControllerConfig;
import controller.BootReport;
import controller.Controller;
import controller.ControllerMachine;
import controller.Decision;
import java.util.List;
import java.util.function.Function;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
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
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import raft.RaftNode;
import storage.DiskExecutor;
import storage.DiskExecutor.Lane;
import storage.LogContext;
import storage.LogStart;
import storage.PartitionLog;

/**
 * The controller's owner: hosts the controller machine and this node's voter over the metadata log, publishes what is committed, takes snapshots. All
 * methods on its owner.
 */
final class ControllerNode implements Controller {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerNode.class);

    /** How often time-based duties are looked at. */
    private static final long DUTY_MILLIS = 10_000;

    private final Setup setup;
    private final PartitionLog log;
    private final RaftNode raft;
    private final MetadataJournal journal;
    private final Publications publications;
    private long snapshotEnd;
    private long snapshotAtBytes;
    private long snapshotAtNanos;
    private long balancedAtNanos;
    private boolean snapshotting;
    private boolean stopping;
    private Timers.Handle duty;

    /**
     * What it is made of.
     *
     * @param start of the metadata log
     * @param logDirs directory ids of all log directories that work, the metadata log's first
     * @param foundPartitions partition directories found, the metadata log's not counted: without a metadata log nobody can say whose they are
     * @param cleanStop false: all partitions get new leader epochs, as their logs' ends may be lost (I11)
     */
    record Setup(
            Ports ports,
            LogContext context,
            LogStart start,
            DiskExecutor disk,
            BrokerConfig config,
            String clusterId,
            List<Uuid> logDirs,
            boolean cleanStop,
            int foundPartitions,
            MetadataPublisher publisher) {}

    /** @param snapshotEnd of the newest snapshot, 0 for none */
    ControllerNode(
            Setup setup,
            PartitionLog log,
            RaftNode raft,
            MetadataJournal journal,
            Publications publications,
            long snapshotEnd) {
        this.setup = setup;
        this.log = log;
        this.raft = raft;
        this.journal = journal;
        this.publications = publications;
        this.snapshotEnd = snapshotEnd;
        this.snapshotAtNanos = setup.ports.clock().monotonicNanos();
        this.balancedAtNanos = snapshotAtNanos;
    }

    /** Loads the metadata log, becomes leader of the quorum, registers this broker; publishes nothing yet. */
    static void open(Setup setup, Callback<ControllerNode> done) {
        new ControllerOpening(setup, done).run();
    }

    PartitionLog log() {
        return log;
    }

    /** What is committed. */
    MetadataImage image() {
        return journal.committed();
    }

    /** Publishes the image for the first time, and from then on each committed one. */
    void publish(Callback<Void> done) {
        report(setup.ports.metrics());
        publications.start();
        publications.publish(image(), done);
        journal.afterCommit(this::maybeSnapshot);
        duty = setup.ports.timers().after(DUTY_MILLIS, this::duties);
    }

    void stop(Callback<Void> done) {
        stopping = true;
        if (duty != null) {
            duty.cancel();
        }
        Failure reason = Failure.of(FailureCode.SHUTTING_DOWN, "this node is stopping");
        journal.close(reason, () -> log.close(done));
    }

    /** The scraping thread reads whole, immutable images; a slightly old one does no harm. */
    private void report(Metrics metrics) {
        String prefix = "kafka_controller_kafkacontroller_";
        metrics.gauge(
                prefix + "activecontrollercount",
                "1 while this node is the active controller",
                () -> raft.leads() ? 1 : 0);
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
        maybeSnapshot();
        maybeBalance();
        duty = setup.ports.timers().after(DUTY_MILLIS, this::duties);
    }

    private void maybeBalance() {
        ControllerConfig.Balance balance = setup.config.controller().balance();
        long now = setup.ports.clock().monotonicNanos();
        boolean due = now - balancedAtNanos >= balance.checkSeconds() * 1_000_000_000L;
        if (!balance.enabled() || !due || !raft.leads()) {
            return;
        }
        balancedAtNanos = now;
        decide(ControllerMachine::balanceLeaders, false, (more, failure) -> {
            if (failure != null) {
                LOG.info("leaderships stay where they are until the next check: {}", failure.message());
            }
        });
    }

    private void maybeSnapshot() {
        ControllerConfig config = setup.config.controller();
        long newBytes = journal.bytesWritten() - snapshotAtBytes;
        long age = (setup.ports.clock().monotonicNanos() - snapshotAtNanos) / 1_000_000;
        boolean due = newBytes >= config.snapshotBytes()
                || (config.snapshotMillis() > 0 && age >= config.snapshotMillis() && newBytes > 0)
                || (newBytes > 0 && setup.ports.chance().rarely("controller.snapshot"));
        if (!due || snapshotting || stopping) {
            return;
        }
        MetadataImage image = image();
        if (image.version() == snapshotEnd) {
            return;
        }
        snapshotting = true;
        long bytes = journal.bytesWritten();
        long wallMillis = setup.ports.clock().wallMillis();
        setup.disk.run(
                Lane.BLOCKING,
                SnapshotFiles.write(LogDirectories.METADATA_DIRECTORY, image, raft.epoch(), wallMillis),
                (older, failure) -> {
                    snapshotting = false;
                    snapshotAtNanos = setup.ports.clock().monotonicNanos();
                    if (failure != null) {
                        if (failure.code() == FailureCode.SYNC_FAILED) {
                            setup.context.goOffline(failure);
                        }
                        LOG.warn("no metadata snapshot could be written, the log is kept: {}", failure.message());
                        return;
                    }
                    snapshotEnd = image.version();
                    snapshotAtBytes = bytes;
                    if (!stopping && older != null) {
                        shorten(older);
                    }
                });
    }

    /** R12: the log may lose what two durable snapshots stand for; it does when it is larger or older than its retention allows. */
    private void shorten(SnapshotFiles.Older older) {
        ControllerConfig config = setup.config.controller();
        boolean tooLarge = config.retentionBytes() >= 0 && log.sizeBytes() > config.retentionBytes();
        boolean tooOld = config.retentionMillis() >= 0 && older.ageMillis() > config.retentionMillis();
        if (older.endOffset() <= log.logStartOffset() || !(tooLarge || tooOld)) {
            return;
        }
        log.deleteBefore(older.endOffset(), (start, failure) -> {
            if (failure != null) {
                LOG.warn(
                        "the metadata log could not be shortened to offset {}: {}",
                        older.endOffset(),
                        failure.message());
            }
        });
    }

    private <T> void decide(Function<ControllerMachine, Decision<T>> decision, boolean awaitShards, Callback<T> done) {
        if (!raft.leads()) {
            done.fail(FailureCode.NOT_LEADER, "this node is not the active controller");
            return;
        }
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
    public void offlineDirectories(BrokerHeartbeatRequestData heartbeat, Callback<BrokerHeartbeatResponseData> done) {
        decide(machine -> machine.offlineDirectories(heartbeat), false, done);
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
        decide(machine -> machine.heartbeat(request, setup.ports.clock().monotonicNanos()), false, done);
    }

    @Override
    public void unregisterBroker(UnregisterBrokerRequestData request, Callback<UnregisterBrokerResponseData> done) {
        decide(machine -> machine.unregisterBroker(request), true, done);
    }

    @Override
    public void describeQuorum(DescribeQuorumRequestData request, Callback<DescribeQuorumResponseData> done) {
        QuorumDescription description = new QuorumDescription(setup.config, setup.logDirs.get(0));
        done.succeed(description.answer(
                request,
                new QuorumDescription.Now(
                        raft, log, image(), setup.ports.clock().wallMillis())));
    }
}
