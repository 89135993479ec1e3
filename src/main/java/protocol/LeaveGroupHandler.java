package protocol;

import common.Callback;
import java.util.List;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.ClassicGroupService;

/** Takes members out of classic groups. */
public final class LeaveGroupHandler implements ApiHandler {
    private static final short FIRST_WITH_MEMBERS = 3;

    private final ClassicGroupService groups;

    public LeaveGroupHandler(ClassicGroupService groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LEAVE_GROUP;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        LeaveGroupRequestData request = (LeaveGroupRequestData) message;
        if (context.apiVersion() >= FIRST_WITH_MEMBERS) {
            groups.leave(context.image(), request, respond::done);
            return;
        }
        LeaveGroupRequestData single = new LeaveGroupRequestData()
                .setGroupId(request.groupId())
                .setMembers(List.of(new MemberIdentity().setMemberId(request.memberId())));
        groups.leave(
                context.image(),
                single,
                (response, failure) -> respond.done(failure == null ? ofOne(response) : null, failure));
    }

    /** Old clients leave alone; their member's error is the answer's. */
    private static LeaveGroupResponseData ofOne(LeaveGroupResponseData response) {
        short error = response.errorCode();
        if (error == Errors.NONE.code() && !response.members().isEmpty()) {
            error = response.members().get(0).errorCode();
        }
        return new LeaveGroupResponseData().setErrorCode(error);
    }
}
