package group;

import java.util.List;
import records.schemas.ConsumerGroupRecord.CurrentMemberAssignmentValue;
import records.schemas.ConsumerGroupRecord.MemberMetadataValue;

/**
 * A member of a KIP-848 group, as its records say. Immutable.
 *
 * @param metadata what it told of itself; topic names sorted, each once; no pattern: ""
 * @param epoch it is at: 0 while joining, {@link #LEFT_FOR_NOW} for a static member that will be back
 * @param assigned what it may read; each partition since the epoch given
 * @param revoking what it still has and is asked to give up
 */
record ConsumerMember(
        String id,
        MemberMetadataValue metadata,
        int epoch,
        int previousEpoch,
        MemberState state,
        OwnedPartitions assigned,
        OwnedPartitions revoking) {

    static final int JOINING = 0;
    static final int LEFT = -1;
    static final int LEFT_FOR_NOW = -2;

    private static final MemberMetadataValue NOTHING_KNOWN =
            new MemberMetadataValue(null, null, "", "", List.of(), "", -1, null, null);

    static ConsumerMember unknown(String id) {
        return new ConsumerMember(
                id, NOTHING_KNOWN, JOINING, -1, MemberState.STABLE, OwnedPartitions.EMPTY, OwnedPartitions.EMPTY);
    }

    ConsumerMember with(MemberMetadataValue newer) {
        return new ConsumerMember(id, newer, epoch, previousEpoch, state, assigned, revoking);
    }

    /** The epoch it comes from becomes the previous one. */
    ConsumerMember moved(int to, MemberState next, OwnedPartitions has, OwnedPartitions givesUp) {
        return new ConsumerMember(id, metadata, to, epoch, next, has, givesUp);
    }

    /** Another process in its place, which joins. */
    ConsumerMember replacedBy(String newId) {
        return new ConsumerMember(newId, metadata, JOINING, JOINING, state, assigned, revoking);
    }

    /** A static member on leave: it keeps its place, and whoever has its id now may commit nothing. */
    ConsumerMember onLeave() {
        return new ConsumerMember(
                id, metadata, LEFT_FOR_NOW, previousEpoch, state, assigned.at(0), OwnedPartitions.EMPTY);
    }

    ConsumerMember with(CurrentMemberAssignmentValue current) {
        int at = current.memberEpoch();
        return new ConsumerMember(
                id,
                metadata,
                at,
                current.previousMemberEpoch(),
                MemberState.of(current.state()),
                OwnedPartitions.of(current.assignedPartitions(), at),
                OwnedPartitions.of(current.partitionsPendingRevocation(), at));
    }

    ConsumerMember withoutAssignment() {
        return new ConsumerMember(id, metadata, LEFT, LEFT, state, OwnedPartitions.EMPTY, OwnedPartitions.EMPTY);
    }

    String instanceId() {
        return metadata.instanceId();
    }

    /** "" for none. */
    String pattern() {
        return metadata.subscribedTopicRegex() == null ? "" : metadata.subscribedTopicRegex();
    }

    /** Whether it speaks the classic protocol. */
    boolean classic() {
        return metadata.classic() != null;
    }

    boolean reconciledTo(int targetEpoch) {
        return state == MemberState.STABLE && epoch == targetEpoch;
    }
}
