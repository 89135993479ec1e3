package protocol;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** How much of open transactions a reader sees. A level that is none is refused: taken for the lower one, it would show what nobody may rely on. */
final class Isolation {
    private static final byte READ_UNCOMMITTED = 0;
    private static final byte READ_COMMITTED = 1;

    private Isolation() {}

    static boolean isCommitted(byte level) {
        return level == READ_COMMITTED;
    }

    /** The answer to a request with a level that there is not; null when there is. */
    static ApiMessage refusal(ApiKeys key, short version, ApiMessage request, byte level) {
        return level == READ_UNCOMMITTED || level == READ_COMMITTED
                ? null
                : ErrorResponses.of(key, version, request, Errors.INVALID_REQUEST, "no isolation level " + level);
    }
}
