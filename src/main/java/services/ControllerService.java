package services;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import controller.BootReport;
import controller.Controller;
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
 * This node's own controller, for who comes by a listener of controllers: it decides if it is the active one, and else says that it is not (NOT_CONTROLLER). Nothing is passed
 * on, so no request goes in circles. Confined to its caller's owner.
 */
public final class ControllerService {
    /** Whoever means the active controller, wherever it is, calls index 0. */
    public static final OwnerId<Controller> OWN = new OwnerId<>(Controller.class, 1);

    private final Mailboxes mailboxes;
    private final int timeoutMillis;

    /** @param timeoutMillis of requests that name none, > 0 */
    public ControllerService(Mailboxes mailboxes, int timeoutMillis) {
        this.mailboxes = mailboxes;
        this.timeoutMillis = timeoutMillis;
    }

    public void createTopics(CreateTopicsRequestData request, Callback<CreateTopicsResponseData> done) {
        ask((owner, reply) -> owner.createTopics(request, reply), request.timeoutMs(), done);
    }

    public void deleteTopics(DeleteTopicsRequestData request, Callback<DeleteTopicsResponseData> done) {
        ask((owner, reply) -> owner.deleteTopics(request, reply), request.timeoutMs(), done);
    }

    public void createPartitions(CreatePartitionsRequestData request, Callback<CreatePartitionsResponseData> done) {
        ask((owner, reply) -> owner.createPartitions(request, reply), request.timeoutMs(), done);
    }

    public void updateFeatures(UpdateFeaturesRequestData request, Callback<UpdateFeaturesResponseData> done) {
        ask((owner, reply) -> owner.updateFeatures(request, reply), request.timeoutMs(), done);
    }

    public void electLeaders(ElectLeadersRequestData request, Callback<ElectLeadersResponseData> done) {
        ask((owner, reply) -> owner.electLeaders(request, reply), request.timeoutMs(), done);
    }

    public void reassign(
            AlterPartitionReassignmentsRequestData request, Callback<AlterPartitionReassignmentsResponseData> done) {
        ask((owner, reply) -> owner.reassign(request, reply), request.timeoutMs(), done);
    }

    public void incrementalAlterConfigs(
            IncrementalAlterConfigsRequestData request, Callback<IncrementalAlterConfigsResponseData> done) {
        ask((owner, reply) -> owner.incrementalAlterConfigs(request, reply), timeoutMillis, done);
    }

    public void alterConfigs(AlterConfigsRequestData request, Callback<AlterConfigsResponseData> done) {
        ask((owner, reply) -> owner.alterConfigs(request, reply), timeoutMillis, done);
    }

    public void alterClientQuotas(AlterClientQuotasRequestData request, Callback<AlterClientQuotasResponseData> done) {
        ask((owner, reply) -> owner.alterClientQuotas(request, reply), timeoutMillis, done);
    }

    public void unregisterBroker(UnregisterBrokerRequestData request, Callback<UnregisterBrokerResponseData> done) {
        ask((owner, reply) -> owner.unregisterBroker(request, reply), timeoutMillis, done);
    }

    public void allocateProducerIds(
            AllocateProducerIdsRequestData request, Callback<AllocateProducerIdsResponseData> done) {
        ask((owner, reply) -> owner.allocateProducerIds(request, reply), timeoutMillis, done);
    }

    public void assignReplicasToDirs(
            AssignReplicasToDirsRequestData request, Callback<AssignReplicasToDirsResponseData> done) {
        ask((owner, reply) -> owner.assignReplicasToDirs(request, reply), timeoutMillis, done);
    }

    public void alterPartition(AlterPartitionRequestData request, Callback<AlterPartitionResponseData> done) {
        ask((owner, reply) -> owner.alterPartition(request, reply), timeoutMillis, done);
    }

    public void heartbeat(BrokerHeartbeatRequestData request, Callback<BrokerHeartbeatResponseData> done) {
        ask((owner, reply) -> owner.heartbeat(request, reply), timeoutMillis, done);
    }

    /** @param report null: the broker says nothing of it */
    public void registerBroker(
            BrokerRegistrationRequestData request, BootReport report, Callback<BrokerRegistrationResponseData> done) {
        ask((owner, reply) -> owner.registerBroker(request, report, reply), timeoutMillis, done);
    }

    private <T> void ask(OwnerCall<Controller, T> call, int millis, Callback<T> done) {
        mailboxes.<Controller, T>call(
                OWN, call, Math.max(1, millis), (answer, failure) -> done.done(answer, told(failure)));
    }

    /** What a controller that is about to end has not answered is asked of the next one, too. */
    private static Failure told(Failure failure) {
        boolean elsewhere = failure != null
                && (failure.code() == FailureCode.NOT_LEADER || failure.code() == FailureCode.SHUTTING_DOWN);
        return elsewhere ? Failure.of(FailureCode.NOT_CONTROLLER, failure.message()) : failure;
    }
}
