package services;

import common.Callback;
import config.GroupConfig;
import group.ClientInfo;
import group.ConsumerHeartbeat;
import group.ConsumerHeartbeatRules;
import java.util.List;
import metadata.MetadataImage;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Membership in groups of the consumer protocol (KIP-848). Needs the feature group.version, and consumer among the protocols that the broker offers; else
 * UNSUPPORTED_VERSION, upon which clients say so. Answers never fail. Confined to its caller's owner.
 */
public final class ConsumerGroupService {
    private static final String FEATURE = "group.version";
    private static final String NOT_OFFERED =
            "The consumer group protocol is not offered: group.coordinator.rebalance.protocols must name consumer, and the feature"
                    + " group.version must be at least 1.";

    private final GroupCoordinators coordinators;
    private final GroupConfig config;

    public ConsumerGroupService(GroupCoordinators coordinators, GroupConfig config) {
        this.coordinators = coordinators;
        this.config = config;
    }

    public void heartbeat(
            MetadataImage image,
            ClientInfo client,
            ConsumerGroupHeartbeatRequestData request,
            Callback<ConsumerGroupHeartbeatResponseData> done) {
        if (!offered(image)) {
            done.succeed(refused(Errors.UNSUPPORTED_VERSION, NOT_OFFERED));
            return;
        }
        ConsumerGroupHeartbeatResponseData refusal = ConsumerHeartbeatRules.refusal(
                request, client.apiVersion(), config.consumer().assignors());
        if (refusal != null) {
            done.succeed(refusal);
            return;
        }
        coordinators.write(
                image,
                request.groupId(),
                config.offsets().commitTimeoutMillis(),
                new ConsumerHeartbeat(client, request),
                (response, failure) -> done.succeed(
                        failure == null ? response : refused(ErrorMapping.ofCoordinator(failure), failure.message())));
    }

    private static ConsumerGroupHeartbeatResponseData refused(Errors error, String message) {
        return new ConsumerGroupHeartbeatResponseData()
                .setErrorCode(error.code())
                .setErrorMessage(message);
    }

    /** @param done in the order of the ids */
    public void describe(MetadataImage image, List<String> ids, Callback<List<DescribedGroup>> done) {
        if (!offered(image)) {
            done.succeed(ids.stream()
                    .map(id -> described(id, Errors.UNSUPPORTED_VERSION, NOT_OFFERED))
                    .toList());
            return;
        }
        GroupSpread<String, DescribedGroup> spread = new GroupSpread<>(
                ids,
                (id, failure) -> described(
                        id, id.isEmpty() ? Errors.INVALID_GROUP_ID : ErrorMapping.ofCoordinator(failure), null),
                done);
        spread.send(
                image,
                id -> id,
                (part, gather) -> coordinators.read(
                        image,
                        part.get(0),
                        config.offsets().commitTimeoutMillis(),
                        shard -> shard.consumer().describe(part),
                        gather));
    }

    private static DescribedGroup described(String id, Errors error, String message) {
        return new DescribedGroup().setGroupId(id).setErrorCode(error.code()).setErrorMessage(message);
    }

    private boolean offered(MetadataImage image) {
        return config.consumerProtocol() && image.features().level(FEATURE) > 0;
    }
}
