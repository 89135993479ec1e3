package group;

import java.util.List;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;

/** What a ConsumerGroupHeartbeat must look like, whatever the state of its group (KIP-848). Functions. */
public final class ConsumerHeartbeatRules {
    private static final short MEMBER_MAKES_ITS_ID = 1;

    private ConsumerHeartbeatRules() {}

    /**
     * null for a sound request, else its refusal.
     *
     * @param assignors that this broker offers
     */
    public static ConsumerGroupHeartbeatResponseData refusal(
            ConsumerGroupHeartbeatRequestData request, short version, List<String> assignors) {
        String problem = problem(request, version);
        if (problem != null) {
            return refused(Errors.INVALID_REQUEST, problem);
        }
        if (request.serverAssignor() != null && !assignors.contains(request.serverAssignor())) {
            return refused(
                    Errors.UNSUPPORTED_ASSIGNOR,
                    "There is no server assignor " + request.serverAssignor() + " here; these are offered: "
                            + String.join(", ", assignors) + ".");
        }
        return null;
    }

    static ConsumerGroupHeartbeatResponseData refused(Errors error, String message) {
        return new ConsumerGroupHeartbeatResponseData()
                .setErrorCode(error.code())
                .setErrorMessage(message);
    }

    private static String problem(ConsumerGroupHeartbeatRequestData request, short version) {
        int epoch = request.memberEpoch();
        boolean needsId = version >= MEMBER_MAKES_ITS_ID || epoch > 0 || epoch == ConsumerMember.LEFT;
        if (needsId && blank(request.memberId())) {
            return "A member id must be given.";
        }
        if (blank(request.groupId())) {
            return "A group id must be given.";
        }
        if (request.instanceId() != null && blank(request.instanceId())) {
            return "An instance id must not be empty.";
        }
        if (request.rackId() != null && blank(request.rackId())) {
            return "A rack id must not be empty.";
        }
        if (epoch < ConsumerMember.LEFT_FOR_NOW) {
            return "There is no member epoch " + epoch + ".";
        }
        if (epoch == ConsumerMember.LEFT_FOR_NOW && request.instanceId() == null) {
            return "Only a member with an instance id can leave for a time.";
        }
        return epoch == ConsumerMember.JOINING ? problemOfJoin(request) : null;
    }

    private static String problemOfJoin(ConsumerGroupHeartbeatRequestData request) {
        if (request.rebalanceTimeoutMs() == -1) {
            return "A member that joins must give its rebalance timeout.";
        }
        if (request.topicPartitions() == null || !request.topicPartitions().isEmpty()) {
            return "A member that joins must say that it has no partitions.";
        }
        if (request.subscribedTopicNames() == null && request.subscribedTopicRegex() == null) {
            return "A member that joins must subscribe to names or to a pattern.";
        }
        return null;
    }

    private static boolean blank(String text) {
        return text.isBlank();
    }
}
