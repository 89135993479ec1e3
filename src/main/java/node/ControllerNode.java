package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Ports;
import config.BrokerConfig;
import controller.Controller;
import controller.ControllerMachine;
import controller.Decision;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import raft.RaftNode;
import storage.DiskExecutor;
import storage.LogContext;
import storage.LogStart;
import storage.PartitionLog;

/**
 * The controller's owner: lets the machine decide, the journal commit, the publications spread what was committed, and answers only then (rule R10). Confined
 * to loop 0.
 */
final class ControllerNode implements Controller {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerNode.class);
    /** Decisions that may wait for their commit. */
    private static final int MAX_PENDING = 1_000;

    private final Setup setup;
    private final ControllerMachine machine;
    private final PartitionLog log;
    private final RaftNode raft;
    private final MetadataJournal journal;
    private final Publications publications;
    private long snapshotEnd;
    private long snapshotLogBytes;
    private boolean snapshotting;

    /**
     * @param start what the directory and its checkpoints say of the metadata log
     * @param disk of the metadata log's directory
     * @param logDirs directory ids of all log directories, the metadata log's first
     * @param cleanStop false: records may have been lost (memory acks), so the leader epoch of every partition of this broker goes up by one with its
     *     registration; an offset must not come back with other content under the same epoch (rule I11, KIP-320)
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
            MetadataPublisher publisher) {}

    /** Loads the metadata log, becomes leader of the quorum, registers this broker; publishes nothing yet. */
    static void open(Setup setup, Callback<ControllerNode> done) {
        new ControllerOpening(setup, done).run();
    }

    ControllerNode(Setup setup, ControllerMachine machine, PartitionLog log, RaftNode raft, MetadataJournal journal) {
        this.setup = setup;
        this.machine = machine;
        this.log = log;
        this.raft = raft;
        this.journal = journal;
        this.publications = new Publications(setup.publisher());
        this.snapshotEnd = log.logStartOffset();
    }

    PartitionLog log() {
        return log;
    }

    /** With all that is committed. */
    MetadataImage image() {
        return journal.committed();
    }

    /** Publishes the image for the first time, and from then on each committed one. */
    void publish(Callback<Void> done) {
        publications.publish(journal.committed(), done);
    }

    /** A clean stop: nothing more is decided; the log is durable and closed when {@code done} succeeds. */
    void stop(Callback<Void> done) {
        raft.resign();
        log.close(done);
    }

    private <T> void decide(Supplier<Decision<T>> decision, Callback<T> done) {
        Failure notNow = journal.notNow();
        if (notNow == null && journal.pending() >= MAX_PENDING) {
            notNow = Failure.of(FailureCode.OVERLOADED, "too many metadata changes wait for their commit; try again");
        }
        if (notNow != null) {
            done.fail(notNow);
            return;
        }
        Decision<T> decided = decision.get();
        if (decided.records().isEmpty()) {
            done.succeed(decided.answer());
            return;
        }
        journal.append(decided.records(), (image, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            publications.publish(image, (applied, unused) -> done.succeed(decided.answer()));
            snapshotIfDue();
        });
    }

    /** Rule R12: only when the snapshot is durable may the log before it go. */
    private void snapshotIfDue() {
        long grown = log.sizeBytes() - snapshotLogBytes;
        if (snapshotting || grown < setup.config().controller().snapshotBytes()) {
            return;
        }
        snapshotting = true;
        MetadataImage image = journal.committed();
        long end = image.version();
        int epoch = raft.epoch();
        ByteBuffer content = SnapshotFiles.encode(image, epoch, setup.ports().clock().wallMillis());
        setup.disk()
                .run(
                        DiskExecutor.Lane.BLOCKING,
                        SnapshotFiles.write(LogDirectories.METADATA_DIRECTORY, end, epoch, content),
                        (written, failure) -> snapshotted(end, failure));
    }

    private void snapshotted(long end, Failure failure) {
        snapshotting = false;
        if (failure != null) {
            LOG.warn("metadata snapshot at offset {} was not written, the log stays: {}", end, failure.message());
            return;
        }
        // The log keeps what is behind the snapshot before this one, in case the newest cannot be read one day.
        long cut = snapshotEnd;
        snapshotEnd = end;
        snapshotLogBytes = log.sizeBytes();
        if (cut > log.logStartOffset()) {
            log.deleteBefore(cut, (start, kept) -> snapshotLogBytes = log.sizeBytes());
        }
    }

    @Override
    public void createTopics(CreateTopicsRequestData request, Callback<CreateTopicsResponseData> done) {
        decide(() -> machine.createTopics(request), done);
    }

    @Override
    public void deleteTopics(DeleteTopicsRequestData request, Callback<DeleteTopicsResponseData> done) {
        decide(() -> machine.deleteTopics(request), done);
    }

    @Override
    public void createPartitions(CreatePartitionsRequestData request, Callback<CreatePartitionsResponseData> done) {
        decide(() -> machine.createPartitions(request), done);
    }

    @Override
    public void incrementalAlterConfigs(
            IncrementalAlterConfigsRequestData request, Callback<IncrementalAlterConfigsResponseData> done) {
        decide(() -> machine.incrementalAlterConfigs(request), done);
    }

    @Override
    public void alterConfigs(AlterConfigsRequestData request, Callback<AlterConfigsResponseData> done) {
        decide(() -> machine.alterConfigs(request), done);
    }

    @Override
    public void alterClientQuotas(AlterClientQuotasRequestData request, Callback<AlterClientQuotasResponseData> done) {
        decide(() -> machine.alterClientQuotas(request), done);
    }

    @Override
    public void allocateProducerIds(
            AllocateProducerIdsRequestData request, Callback<AllocateProducerIdsResponseData> done) {
        decide(() -> machine.allocateProducerIds(request), done);
    }

    @Override
    public void updateFeatures(UpdateFeaturesRequestData request, Callback<UpdateFeaturesResponseData> done) {
        decide(() -> machine.updateFeatures(request), done);
    }

    @Override
    public void describeQuorum(DescribeQuorumRequestData request, Callback<DescribeQuorumResponseData> done) {
        QuorumDescription description = new QuorumDescription(setup.config(), setup.logDirs().get(0));
        done.succeed(description.answer(
                request, new QuorumDescription.Now(raft, log, journal.committed(), setup.ports().clock().wallMillis())));
    }
}
