package controller;

import common.Callback;
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

/**
 * The mailbox of the controller: how services call it, as {@code mailboxes.call(new OwnerId<>(Controller.class, 0), (c, done) -> c.createTopics(r, done), ...)}.
 * Implemented by node.ControllerNode.
 *
 * <p>Requests and answers are Kafka's generated messages (no twins of ours). Authorisation is the caller's work: pass only what the principal may do and
 * add the refused entries to the answer. The request object is handed over and not used by the caller afterwards. Errors with their messages stand in
 * the answer, per entry, as Apache Kafka 4.4.0 gives them; the top-level error is set where the message has one.
 *
 * <p>An answer comes after commit (R10). createTopics, createPartitions and deleteTopics answer only when every storage shard of this node has applied
 * the change, so a created partition takes records. A retry of a call whose answer was lost takes effect once (C9).
 *
 * <p>Failures (callback's failure): NOT_LEADER (not the active controller: NOT_CONTROLLER to the client), OVERLOADED (its bounded queue is full:
 * retriable), SHUTTING_DOWN, STORAGE_ERROR / SYNC_FAILED (the metadata log is offline). With any of them but OVERLOADED the outcome is unknown.
 */
public interface Controller {

    /** Partition count -1 and replication factor -1 mean the broker's defaults. Auto-creation is this same call. */
    void createTopics(CreateTopicsRequestData request, Callback<CreateTopicsResponseData> done);

    /** By {@code topics} (name or id, version 6 up) and by {@code topicNames} (older). */
    void deleteTopics(DeleteTopicsRequestData request, Callback<DeleteTopicsResponseData> done);

    void createPartitions(CreatePartitionsRequestData request, Callback<CreatePartitionsResponseData> done);

    void incrementalAlterConfigs(
            IncrementalAlterConfigsRequestData request, Callback<IncrementalAlterConfigsResponseData> done);

    /** The old form: replaces all configs of a resource. */
    void alterConfigs(AlterConfigsRequestData request, Callback<AlterConfigsResponseData> done);

    void alterClientQuotas(AlterClientQuotasRequestData request, Callback<AlterClientQuotasResponseData> done);

    /** A block of producer ids that nobody gets again (C7). */
    void allocateProducerIds(AllocateProducerIdsRequestData request, Callback<AllocateProducerIdsResponseData> done);

    void updateFeatures(UpdateFeaturesRequestData request, Callback<UpdateFeaturesResponseData> done);

    /** Without partitions: of all. */
    void electLeaders(ElectLeadersRequestData request, Callback<ElectLeadersResponseData> done);

    void reassign(
            AlterPartitionReassignmentsRequestData request, Callback<AlterPartitionReassignmentsResponseData> done);

    /** A broker tells where its replicas lie (KIP-858); at most so many as one batch of metadata takes. */
    void assignReplicasToDirs(AssignReplicasToDirsRequestData request, Callback<AssignReplicasToDirsResponseData> done);

    /** A leader proposes who is in the ISR of its partitions (rule C6). */
    void alterPartition(AlterPartitionRequestData request, Callback<AlterPartitionResponseData> done);

    /** A broker process is there (rules C1, C3); report null: it says nothing of its host's boot. */
    void registerBroker(
            BrokerRegistrationRequestData request, BootReport report, Callback<BrokerRegistrationResponseData> done);

    /** A broker is alive, and how far it is; it is told whether it takes part, and whether it may end (rule C2). */
    void heartbeat(BrokerHeartbeatRequestData request, Callback<BrokerHeartbeatResponseData> done);

    void unregisterBroker(UnregisterBrokerRequestData request, Callback<UnregisterBrokerResponseData> done);

    /** A node becomes a voter of the metadata quorum (KIP-853); answered as {@link MetadataQuorum#addRaftVoter}. */
    void addRaftVoter(AddRaftVoterRequestData request, Callback<AddRaftVoterResponseData> done);

    /** A voter is one no longer. */
    void removeRaftVoter(RemoveRaftVoterRequestData request, Callback<RemoveRaftVoterResponseData> done);

    /** Of the metadata log's partition. */
    void describeQuorum(DescribeQuorumRequestData request, Callback<DescribeQuorumResponseData> done);
}
