package group;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import records.schemas.GroupMetadataRecord;

/** Classic groups as records of Kafka's GroupMetadata schema, and back. */
final class GroupMetadataRecords {
    /** In place of the time since when a group is in its state, which Kafka reads as "not known": whoever loads it begins a rebalance. */
    static final long TO_BE_REBALANCED = -1;

    private GroupMetadataRecords() {}

    /** @param assignments what each member is given; empty when the leader has not said yet */
    static GroupMetadataRecord of(ClassicGroup group, Function<ClassicMember, byte[]> assignments) {
        List<GroupMetadataRecord.Member> members =
                new ArrayList<>(group.members().size());
        for (ClassicMember each : group.members()) {
            members.add(new GroupMetadataRecord.Member(
                    each.id(),
                    each.instanceId(),
                    each.identity().clientId(),
                    each.identity().clientHost(),
                    each.rebalanceTimeoutMillis(),
                    each.sessionTimeoutMillis(),
                    each.metadata(group.protocol()),
                    assignments.apply(each)));
        }
        return new GroupMetadataRecord(
                group.id(),
                new GroupMetadataRecord.Value(
                        group.protocolType(),
                        group.generation(),
                        group.protocol(),
                        group.leader(),
                        group.stateSinceMillis(),
                        members));
    }

    /** The members of a loaded group: each offers the chosen assignor only, until it joins again. */
    static List<ClassicMember> members(GroupMetadataRecord.Value value) {
        List<ClassicMember> members = new ArrayList<>(value.members().size());
        String protocol = value.protocol() == null ? "" : value.protocol();
        for (GroupMetadataRecord.Member each : value.members()) {
            ClassicMember member = new ClassicMember(
                    new ClassicMember.Identity(
                            each.memberId(), each.groupInstanceId(), each.clientId(), each.clientHost()),
                    each.rebalanceTimeout() < 0 ? each.sessionTimeout() : each.rebalanceTimeout(),
                    each.sessionTimeout(),
                    List.of(new ClassicProtocol(protocol, each.subscription())));
            member.assign(each.assignment());
            members.add(member);
        }
        return members;
    }
}
