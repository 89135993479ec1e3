package controller;

import common.Check;
import common.RandomSource;
import config.BrokerConfig;
import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.ConfigTarget;
import metadata.EffectiveConfigs;
import metadata.Features;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;

/**
 * Decides about the cluster. A request is answered against the <em>latest</em> image, which may hold records not yet committed; the host gives the answer
 * out only when those are (R10). State changes by {@link #replay} alone: of what the host has queued, and at start of what the log holds. When records
 * are lost before commit the host goes back with {@link #revertTo}.
 */
public final class ControllerMachine {

    private final TopicCreation topicCreation;
    private final TopicDeletion topicDeletion;
    private final PartitionCreation partitionCreation = new PartitionCreation();
    private final ConfigChanges configChanges;
    private final QuotaChanges quotaChanges = new QuotaChanges();
    private final FeatureChanges featureChanges;
    private final LeaderElections leaderElections = new LeaderElections();
    private final Reassignments reassignments = new Reassignments();
    private final String minInsyncReplicas;
    private final BrokerRegistrations registrations = new BrokerRegistrations();
    private final DirectoryAssignments directoryAssignments = new DirectoryAssignments();
    private final ProducerIdBlocks producerIdBlocks = new ProducerIdBlocks();
    private MetadataImage latest;

    public ControllerMachine(BrokerConfig config, RandomSource random, MetadataImage image) {
        int nodeId = config.node().nodeId();
        this.topicCreation = new TopicCreation(config.topics(), new EffectiveConfigs(config), new TopicIds(random));
        this.topicDeletion = new TopicDeletion(config.topics().deleteEnabled());
        this.configChanges = new ConfigChanges(new ResourceRules(nodeId, config.properties()));
        this.featureChanges = new FeatureChanges(nodeId);
        this.minInsyncReplicas = config.properties().getOrDefault(Features.MIN_ISR, "1");
        this.latest = image;
    }

    /** With all records replayed so far. */
    public MetadataImage latest() {
        return latest;
    }

    /** Applies records that stand in the log from {@code baseOffset} on. */
    public void replay(List<MetadataRecord> records, long baseOffset) {
        Check.invariant(
                baseOffset >= latest.version(), "metadata records replayed twice", baseOffset, latest.version());
        MetadataDelta delta = new MetadataDelta(latest);
        long offset = baseOffset;
        for (MetadataRecord record : records) {
            delta.apply(record, offset++);
        }
        latest = delta.image(offset);
    }

    /** Starts from a snapshot of the metadata as of {@code endOffset}. Before any replay. */
    public void load(List<MetadataRecord> records, long endOffset) {
        Check.invariant(latest.version() == 0, "a snapshot is loaded first");
        MetadataDelta delta = new MetadataDelta(latest);
        for (MetadataRecord record : records) {
            delta.apply(record, endOffset);
        }
        latest = delta.image(endOffset);
    }

    /** Passes offsets that hold nothing for this machine (control records). */
    public void skipTo(long version) {
        latest = new MetadataDelta(latest).image(version);
    }

    /** Forgets what was replayed after {@code committed} (R10). */
    public void revertTo(MetadataImage committed) {
        latest = committed;
    }

    /** Who is the active controller: shown to clients with the image. */
    public void controllerIs(int nodeId) {
        latest = latest.withController(nodeId);
    }

    /** What a new cluster starts with: the newest level of each feature, and what that entails. What is not new loses features that were never served. */
    public List<MetadataRecord> bootstrap() {
        List<MetadataRecord> records = new ArrayList<>();
        if (latest.features().finalized().isEmpty()) {
            Features.supported().forEach((name, range) -> records.add(MetadataRecords.feature(name, range.max())));
        }
        boolean eligibleLeaders = !records.isEmpty() || latest.features().level(Features.ELIGIBLE_LEADERS) > 0;
        if (eligibleLeaders && !latest.configs(ConfigTarget.broker(-1)).containsKey(Features.MIN_ISR)) {
            records.add(MetadataRecords.config(ConfigTarget.broker(-1), Features.MIN_ISR, minInsyncReplicas));
        }
        for (String withdrawn : Features.WITHDRAWN) {
            if (latest.features().level(withdrawn) > 0) {
                records.add(MetadataRecords.feature(withdrawn, (short) 0));
            }
        }
        return records;
    }

    /**
     * A broker process has started (C1: its epoch is the offset of its record, the last one). The records need not take effect together.
     *
     * @param cleanStop false: its directories may have lost records that they held (C3)
     */
    public List<MetadataRecord> register(BrokerImage broker, boolean cleanStop) {
        return registrations.register(latest, broker, cleanStop);
    }

    public Decision<CreateTopicsResponseData> createTopics(CreateTopicsRequestData request) {
        return topicCreation.decide(latest, request);
    }

    public Decision<DeleteTopicsResponseData> deleteTopics(DeleteTopicsRequestData request) {
        return topicDeletion.decide(latest, request);
    }

    public Decision<CreatePartitionsResponseData> createPartitions(CreatePartitionsRequestData request) {
        return partitionCreation.decide(latest, request);
    }

    public Decision<IncrementalAlterConfigsResponseData> incrementalAlterConfigs(
            IncrementalAlterConfigsRequestData request) {
        return configChanges.decide(latest, request);
    }

    public Decision<AlterConfigsResponseData> alterConfigs(AlterConfigsRequestData request) {
        return configChanges.decide(latest, request);
    }

    public Decision<AlterClientQuotasResponseData> alterClientQuotas(AlterClientQuotasRequestData request) {
        return quotaChanges.decide(latest, request);
    }

    public Decision<AllocateProducerIdsResponseData> allocateProducerIds(AllocateProducerIdsRequestData request) {
        return producerIdBlocks.decide(latest, request);
    }

    public Decision<UpdateFeaturesResponseData> updateFeatures(UpdateFeaturesRequestData request) {
        return featureChanges.decide(latest, request);
    }

    public Decision<ElectLeadersResponseData> electLeaders(ElectLeadersRequestData request) {
        return leaderElections.decide(latest, request);
    }

    public Decision<AlterPartitionReassignmentsResponseData> reassign(AlterPartitionReassignmentsRequestData request) {
        return reassignments.decide(latest, request);
    }

    public Decision<AssignReplicasToDirsResponseData> assignReplicasToDirs(AssignReplicasToDirsRequestData request) {
        return directoryAssignments.decide(latest, request);
    }

    public Decision<BrokerHeartbeatResponseData> offlineDirectories(BrokerHeartbeatRequestData heartbeat) {
        return registrations.offline(latest, heartbeat);
    }
}
