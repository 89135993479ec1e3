package group;

import java.util.List;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupRecord;

/** What offsets, listing and deletion need to know of a group, whatever its protocol. */
public interface Group {

    /** {@link #expiryBase} of an offset that must not expire now. */
    long NO_EXPIRY = Long.MAX_VALUE;

    String id();

    GroupType type();

    /** Kafka's name of the state, e.g. "PreparingRebalance" (classic), "Reconciling" (consumer). */
    String state();

    /** "consumer" for consumers; "" for a group that only commits offsets. */
    String protocolType();

    /** No member is in it. */
    boolean isEmpty();

    /** Whether a member reads {@code topic}: then its offsets are neither expired nor deletable (GROUP_SUBSCRIBED_TO_TOPIC). */
    boolean isSubscribedTo(String topic);

    CommitVerdict checkCommit(CommitClaim claim);

    /** For OffsetFetch of version 9 or later, which may name a member; NONE when it may read. memberId null or epoch below 0: anyone may. */
    Errors checkFetch(String memberId, int memberEpoch);

    /** A member's commit also counts as a sign of life in the classic protocol. */
    void committed(CommitClaim claim);

    /** KIP-211: the wall time (ms) from which the retention of an offset counts, or {@link #NO_EXPIRY}. */
    long expiryBase(String topic, long commitTimestampMillis);

    /**
     * What DescribeGroups tells of it, without the authorized operations. Only for classic groups: of others that request says that they do not exist, and they
     * return null.
     */
    default DescribedGroup describe() {
        return null;
    }

    /** That it takes on the heap, without its offsets; changes while it is in {@link Groups} are told there. */
    long bytes();

    /** Adds the tombstones that remove the group itself; its offsets are not part of it. */
    void tombstones(List<GroupRecord> records);
}
