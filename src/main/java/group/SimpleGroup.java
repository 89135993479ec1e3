package group;

import java.util.List;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupMetadataRecord;
import records.schemas.GroupRecord;

/** A group that only keeps offsets: nobody ever joined it. */
final class SimpleGroup implements Group {
    private final String id;

    SimpleGroup(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public GroupType type() {
        return GroupType.CLASSIC;
    }

    @Override
    public String state() {
        return "Empty";
    }

    @Override
    public String protocolType() {
        return "";
    }

    @Override
    public boolean isEmpty() {
        return true;
    }

    @Override
    public boolean isSubscribedTo(String topic) {
        return false;
    }

    @Override
    public CommitVerdict checkCommit(CommitClaim claim) {
        return claim.epoch() < 0 ? CommitVerdict.ACCEPTED : CommitVerdict.of(Errors.UNKNOWN_MEMBER_ID);
    }

    @Override
    public Errors checkFetch(String memberId, int memberEpoch) {
        return Errors.NONE;
    }

    @Override
    public void committed(CommitClaim claim) {}

    @Override
    public long expiryBase(String topic, long commitTimestampMillis) {
        return commitTimestampMillis;
    }

    @Override
    public DescribedGroup describe() {
        return new DescribedGroup().setGroupId(id).setGroupState(state());
    }

    @Override
    public long bytes() {
        return Footprint.ofSimpleGroup(id);
    }

    @Override
    public void tombstones(List<GroupRecord> records) {
        records.add(new GroupMetadataRecord(id, null));
    }
}
