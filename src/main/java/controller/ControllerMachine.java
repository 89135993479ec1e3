package controller;

import common.Check;
import common.RandomSource;
import config.BrokerConfig;
import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.EffectiveConfigs;
import metadata.Features;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import metadata.MetadataRecords;
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
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
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
    private final PartitionCreation partitionCreation;
    private final ConfigChanges configChanges;
    private final QuotaChanges quotaChanges = new QuotaChanges();
    private final FeatureChanges featureChanges;
    private final LeaderElections leaderElections = new LeaderElections();
    private final Reassignments reassignments = new Reassignments();
    private final IsrAlterations isrAlterations = new IsrAlterations();
    private final Recoveries recoveries = new Recoveries();
    private final BrokerSessions sessions;
    private final RegistrationRequests registrationRequests;
    private final BrokerLifecycle lifecycle;
    private final EffectiveConfigs configs;
    private final SettingConsequences consequences;
    private final MinIsrRules minIsrRules;
    private final DirectoryAssignments directoryAssignments = new DirectoryAssignments();
    private final ProducerIdBlocks producerIdBlocks = new ProducerIdBlocks();
    private final TopicIds ids;
    private MetadataImage latest;
    private boolean unfinished;

    public ControllerMachine(BrokerConfig config, RandomSource random, MetadataImage image) {
        int nodeId = config.node().nodeId();
        this.configs = new EffectiveConfigs(config);
        this.topicCreation = new TopicCreation(config.topics(), configs, random);
        this.partitionCreation = new PartitionCreation(random);
        this.topicDeletion = new TopicDeletion(config.topics().deleteEnabled());
        this.configChanges = new ConfigChanges(new ResourceRules(nodeId, config.properties()));
        this.minIsrRules = new MinIsrRules(config.properties().getOrDefault(Features.MIN_ISR, "1"));
        this.featureChanges = new FeatureChanges(nodeId, minIsrRules);
        this.sessions = new BrokerSessions(config.controller().sessionMillis() * 1_000_000L);
        this.registrationRequests = new RegistrationRequests(sessions);
        this.lifecycle = new BrokerLifecycle(sessions);
        this.consequences = new SettingConsequences(configs, sessions);
        this.ids = new TopicIds(random);
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

    /** Forgets what was replayed after {@code committed} (R10). Of a decision in parts a first one may be committed: {@link #fenceStale} finishes it. */
    public void revertTo(MetadataImage committed) {
        latest = committed;
        unfinished = true;
    }

    /** What a new cluster starts with: its id, the newest level of each feature, and what that entails. What is not new loses features that were never served. */
    public List<MetadataRecord> bootstrap() {
        List<MetadataRecord> records = new ArrayList<>();
        if (latest.features().finalized().isEmpty()) {
            Features.supported().forEach((name, range) -> records.add(MetadataRecords.feature(name, range.max())));
        }
        if (!records.isEmpty() || latest.features().level(Features.ELIGIBLE_LEADERS) > 0) {
            records.addAll(minIsrRules.oneForAll(latest));
        }
        for (String withdrawn : Features.WITHDRAWN) {
            if (latest.features().level(withdrawn) > 0) {
                records.add(MetadataRecords.feature(withdrawn, (short) 0));
            }
        }
        if (!latest.isClusterRecorded()) {
            String known = latest.clusterId();
            records.add(MetadataRecords.cluster(
                    known != null ? known : ids.next(latest).toString()));
        }
        return records;
    }

    /**
     * This process is a broker's, too, which registers with that incarnation: it is never fenced for silence, and an earlier process of the id does not count as alive. Once,
     * before {@link #activate}.
     */
    public void ownProcess(int brokerId, Uuid incarnation) {
        sessions.ownProcess(brokerId, incarnation);
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
        return consequences.of(latest, configChanges.decide(latest, request));
    }

    public Decision<AlterConfigsResponseData> alterConfigs(AlterConfigsRequestData request) {
        return consequences.of(latest, configChanges.decide(latest, request));
    }

    public Decision<AlterClientQuotasResponseData> alterClientQuotas(AlterClientQuotasRequestData request) {
        return quotaChanges.decide(latest, request);
    }

    public Decision<AllocateProducerIdsResponseData> allocateProducerIds(AllocateProducerIdsRequestData request) {
        return producerIdBlocks.decide(latest, request);
    }

    public Decision<UpdateFeaturesResponseData> updateFeatures(UpdateFeaturesRequestData request) {
        return consequences.of(latest, featureChanges.decide(latest, request));
    }

    public Decision<ElectLeadersResponseData> electLeaders(ElectLeadersRequestData request) {
        return leaderElections.decide(changes(), request);
    }

    public Decision<AlterPartitionReassignmentsResponseData> reassign(AlterPartitionReassignmentsRequestData request) {
        return reassignments.decide(changes(), request);
    }

    public Decision<AlterPartitionResponseData> alterPartition(AlterPartitionRequestData request) {
        return isrAlterations.decide(changes(), request);
    }

    /**
     * @param report null: the broker says nothing of it
     * @param nowNanos monotonic, as everywhere here
     */
    public Decision<BrokerRegistrationResponseData> registerBroker(
            BrokerRegistrationRequestData request, BootReport report, long nowNanos) {
        return registrationRequests.decide(changes(), request, report, nowNanos);
    }

    public Decision<BrokerHeartbeatResponseData> heartbeat(BrokerHeartbeatRequestData request, long nowNanos) {
        return lifecycle.heartbeat(changes(), request, nowNanos);
    }

    public Decision<UnregisterBrokerResponseData> unregisterBroker(UnregisterBrokerRequestData request) {
        return lifecycle.unregister(changes(), request);
    }

    /**
     * This node has become the active controller: each broker gets a whole session (C2), and what an earlier one began and did not finish is finished: partitions
     * with a leader or ISR member that takes no part, or without a leader though somebody may lead.
     */
    public Decision<Boolean> activate(long nowNanos) {
        sessions.begin(latest, nowNanos);
        return finish();
    }

    private Decision<Boolean> finish() {
        unfinished = false;
        PartitionChanges changes = changes();
        List<MetadataRecord> records = changes.all(each -> each.leader() < 0 || !changes.areActive(each.isr()));
        return Decision.inParts(records, !records.isEmpty());
    }

    /**
     * Fences a broker whose session has ended (C2); the answer is true when something was to do, and there may be more. To be asked at least three times in a session (of
     * a longer silence it is supposed that this process stood still), and only after {@link #activate}: who has no session then counts as gone.
     */
    public Decision<Boolean> fenceStale(long nowNanos) {
        if (unfinished) {
            Decision<Boolean> rest = finish();
            if (rest.answer()) {
                return rest;
            }
        }
        return lifecycle.fenceStale(changes(), nowNanos);
    }

    /** The broker's process is known to be gone (L1): no session is waited for. The answer is true when that fenced it. */
    public Decision<Boolean> fence(int brokerId, long brokerEpoch) {
        return lifecycle.fence(changes(), brokerId, brokerEpoch);
    }

    /** Leaderships go back to the preferred replicas (auto.leader.rebalance.enable); the answer is true when there may be more. */
    public Decision<Boolean> balanceLeaders() {
        return leaderElections.balance(changes());
    }

    /** A broker tells where its replicas end in partitions that wait for recovery (C4). The answer is how many got a leader by it. */
    public Decision<Integer> recover(int brokerId, long brokerEpoch, List<ReplicaEnd> ends) {
        return recoveries.decide(changes(), brokerId, brokerEpoch, ends);
    }

    private PartitionChanges changes() {
        return new PartitionChanges(latest, configs, sessions::isFresh);
    }

    public Decision<AssignReplicasToDirsResponseData> assignReplicasToDirs(AssignReplicasToDirsRequestData request) {
        return directoryAssignments.decide(changes(), request);
    }
}
