package protocol;

import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;

/** Which versions both this node and a peer know (KIP-35). */
final class PeerVersions {
    /** None in common. */
    static final short NONE = -1;

    private final ApiVersionsResponseData offered;

    PeerVersions(ApiVersionsResponseData offered) {
        this.offered = offered;
    }

    /** The newest in common, {@link #NONE} when there is none. */
    short newest(ApiKeys key) {
        ApiVersion theirs = offered.apiKeys().find(key.id);
        if (theirs == null) {
            return NONE;
        }
        short newest = (short) Math.min(theirs.maxVersion(), key.latestVersion(false));
        return newest < Math.max(theirs.minVersion(), key.oldestVersion()) ? NONE : newest;
    }
}
