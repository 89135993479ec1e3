package services;

import common.Callback;
import common.FailureCode;
import config.GroupConfig;
import group.ClassicJoin;
import group.ClientInfo;
import metadata.MetadataImage;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Members of classic groups at their coordinators. Answers never fail as a whole: a coordinator that cannot be asked is an error code. Confined to its caller's
 * owner.
 */
public final class ClassicGroupService {
    /** Until a heartbeat or a leave is answered; these wait for one write to the log at most. */
    private static final long TIMEOUT_MILLIS = 30_000;
    /** Beyond the rebalance timeout of the member itself: others of its group may have longer ones. */
    private static final long PARKED_MARGIN_MILLIS = 60 * 60 * 1000L;

    private final GroupCoordinators coordinators;
    private final GroupConfig.Classic config;

    public ClassicGroupService(GroupCoordinators coordinators, GroupConfig.Classic config) {
        this.coordinators = coordinators;
        this.config = config;
    }

    /** Answered when all members have joined, or their time is over. */
    public void join(
            MetadataImage image,
            JoinGroupRequestData request,
            ClientInfo client,
            Callback<JoinGroupResponseData> done) {
        int session = request.sessionTimeoutMs();
        if (request.groupId().isEmpty()) {
            done.succeed(joinError(request, Errors.INVALID_GROUP_ID));
        } else if (session < config.minSessionMillis() || session > config.maxSessionMillis()) {
            done.succeed(joinError(request, Errors.INVALID_SESSION_TIMEOUT));
        } else {
            coordinators.<JoinGroupResponseData>park(
                    image,
                    request.groupId(),
                    Math.max(0, request.rebalanceTimeoutMs()) + PARKED_MARGIN_MILLIS,
                    new ClassicJoin(client, request),
                    (answer, failure) -> done.succeed(
                            failure == null ? answer : joinError(request, ErrorMapping.ofCoordinator(failure))));
        }
    }

    private static JoinGroupResponseData joinError(JoinGroupRequestData request, Errors error) {
        return new JoinGroupResponseData()
                .setMemberId(request.memberId())
                .setErrorCode(error.code())
                .setProtocolName(null);
    }

    /** Answered when the leader's assignment is committed, or the group rebalances again. */
    public void sync(MetadataImage image, SyncGroupRequestData request, Callback<SyncGroupResponseData> done) {
        if (request.groupId().isEmpty()) {
            done.succeed(new SyncGroupResponseData().setErrorCode(Errors.INVALID_GROUP_ID.code()));
            return;
        }
        coordinators.<SyncGroupResponseData>park(
                image,
                request.groupId(),
                PARKED_MARGIN_MILLIS,
                (shard, answer) -> shard.classic().sync(request, answer),
                (answer, failure) -> done.succeed(
                        failure == null
                                ? answer
                                : new SyncGroupResponseData()
                                        .setErrorCode(ErrorMapping.ofCoordinator(failure)
                                                .code())));
    }

    public void heartbeat(MetadataImage image, HeartbeatRequestData request, Callback<HeartbeatResponseData> done) {
        if (request.groupId().isEmpty()) {
            done.succeed(beatError(Errors.INVALID_GROUP_ID));
            return;
        }
        coordinators.<HeartbeatResponseData>write(
                image,
                request.groupId(),
                TIMEOUT_MILLIS,
                shard -> shard.classic().heartbeat(request),
                (answer, failure) -> {
                    // While the group is loaded nobody can say no; its session begins in full afterwards (rule G9).
                    boolean loading = failure != null && failure.code() == FailureCode.COORDINATOR_LOADING;
                    Errors error = loading ? Errors.NONE : ErrorMapping.ofCoordinator(failure);
                    done.succeed(answer != null ? answer : beatError(error));
                });
    }

    private static HeartbeatResponseData beatError(Errors error) {
        return new HeartbeatResponseData().setErrorCode(error.code());
    }

    /** @param request with its members in the list, also when it came in a version with one member only */
    public void leave(MetadataImage image, LeaveGroupRequestData request, Callback<LeaveGroupResponseData> done) {
        if (request.groupId().isEmpty()) {
            done.succeed(new LeaveGroupResponseData().setErrorCode(Errors.INVALID_GROUP_ID.code()));
            return;
        }
        coordinators.<LeaveGroupResponseData>write(
                image,
                request.groupId(),
                TIMEOUT_MILLIS,
                shard -> shard.classic().leave(request),
                (answer, failure) -> {
                    Errors error = ErrorMapping.ofCoordinator(failure);
                    done.succeed(answer != null ? answer : new LeaveGroupResponseData().setErrorCode(error.code()));
                });
    }
}
