package protocol;

import java.util.List;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ControllerService;

/** What brokers and operators ask of the active controller, for listeners of controllers (KIP-500, KIP-590, KIP-919). */
public final class ControllerHandlers {

    private ControllerHandlers() {}

    public static List<ApiHandler> of(ControllerService controller) {
        return List.of(
                handler(ApiKeys.CREATE_TOPICS, CreateTopicsRequestData.class, controller::createTopics),
                handler(ApiKeys.DELETE_TOPICS, DeleteTopicsRequestData.class, controller::deleteTopics),
                handler(ApiKeys.CREATE_PARTITIONS, CreatePartitionsRequestData.class, controller::createPartitions),
                handler(ApiKeys.UPDATE_FEATURES, UpdateFeaturesRequestData.class, controller::updateFeatures),
                handler(ApiKeys.ELECT_LEADERS, ElectLeadersRequestData.class, controller::electLeaders),
                handler(
                        ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
                        AlterPartitionReassignmentsRequestData.class,
                        controller::reassign),
                handler(
                        ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                        IncrementalAlterConfigsRequestData.class,
                        controller::incrementalAlterConfigs),
                handler(ApiKeys.ALTER_CONFIGS, AlterConfigsRequestData.class, controller::alterConfigs),
                handler(ApiKeys.ALTER_CLIENT_QUOTAS, AlterClientQuotasRequestData.class, controller::alterClientQuotas),
                handler(ApiKeys.UNREGISTER_BROKER, UnregisterBrokerRequestData.class, controller::unregisterBroker),
                handler(
                        ApiKeys.ALLOCATE_PRODUCER_IDS,
                        AllocateProducerIdsRequestData.class,
                        controller::allocateProducerIds),
                handler(
                        ApiKeys.ASSIGN_REPLICAS_TO_DIRS,
                        AssignReplicasToDirsRequestData.class,
                        controller::assignReplicasToDirs),
                handler(ApiKeys.ALTER_PARTITION, AlterPartitionRequestData.class, controller::alterPartition),
                handler(ApiKeys.BROKER_HEARTBEAT, BrokerHeartbeatRequestData.class, controller::heartbeat),
                handler(
                        ApiKeys.BROKER_REGISTRATION,
                        BrokerRegistrationRequestData.class,
                        (request, done) ->
                                controller.registerBroker(request, PeerTags.bootReport(request), done::done)));
    }

    private static <Q extends ApiMessage, A extends ApiMessage> ApiHandler handler(
            ApiKeys key, Class<Q> request, QuorumHandler.UseCase<Q, A> useCase) {
        return new QuorumHandler<>(key, request, useCase, (answer, version) -> {});
    }
}
