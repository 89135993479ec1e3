package protocol;

import config.GroupConfig;
import java.util.List;
import services.ClassicGroupService;
import services.ConsumerGroupService;
import services.GroupAdminService;
import services.GroupCoordinators;
import services.GroupOffsetService;
import services.InternalTopics;
import services.TransactionOffsetService;

/** The handlers about groups and committed offsets, for one server instance. */
public final class GroupHandlers {
    private GroupHandlers() {}

    /** @param coordinators, internalTopics of the same server instance */
    public record Parts(GroupCoordinators coordinators, InternalTopics internalTopics, GroupConfig config) {}

    public static List<ApiHandler> of(Parts parts) {
        ClassicGroupService classic =
                new ClassicGroupService(parts.coordinators(), parts.config().classic());
        GroupOffsetService offsets = new GroupOffsetService(
                parts.coordinators(), parts.config().offsets().commitTimeoutMillis());
        TransactionOffsetService inTransactions = new TransactionOffsetService(
                parts.coordinators(), parts.config().offsets().commitTimeoutMillis());
        GroupAdminService admin = new GroupAdminService(
                parts.coordinators(), parts.config().offsets().commitTimeoutMillis());
        ConsumerGroupService consumer = new ConsumerGroupService(parts.coordinators(), parts.config());
        return List.of(
                new FindCoordinatorHandler(parts.internalTopics()),
                new JoinGroupHandler(classic),
                new SyncGroupHandler(classic),
                new HeartbeatHandler(classic),
                new LeaveGroupHandler(classic),
                new OffsetCommitHandler(offsets),
                new OffsetFetchHandler(offsets),
                new OffsetDeleteHandler(offsets),
                new TxnOffsetCommitHandler(inTransactions),
                new ListGroupsHandler(admin),
                new DescribeGroupsHandler(admin),
                new DeleteGroupsHandler(admin),
                new ConsumerGroupHeartbeatHandler(consumer),
                new ConsumerGroupDescribeHandler(consumer));
    }
}
