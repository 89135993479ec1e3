package records.schemas;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A group of the classic protocol, with all its members. Type 2.
 *
 * @param value null: the group is gone
 */
public record GroupMetadataRecord(String group, Value value) implements GroupRecord {

    static final short TYPE = 2;
    private static final short HIGHEST_VERSION = 4;
    /** The last version that is not flexible: what Kafka 4.4.0 writes, so that older brokers can read it. */
    private static final short WRITTEN_VERSION = 3;

    /**
     * @param protocolType "consumer" for consumers; "" for a group without members
     * @param protocol the assignor that was chosen; null without members
     * @param leader the member that assigns; null without members
     * @param currentStateTimestamp when the group came into its state; -1 when not known
     */
    public record Value(
            String protocolType,
            int generation,
            String protocol,
            String leader,
            long currentStateTimestamp,
            List<Member> members) {
        public Value {
            members = List.copyOf(members);
        }
    }

    /**
     * @param groupInstanceId of a static member; else null
     * @param rebalanceTimeout milliseconds; -1 when not known (Kafka then takes the session timeout)
     * @param sessionTimeout milliseconds
     * @param subscription what the member sent for the chosen protocol; not to be changed
     * @param assignment what the leader gave it; not to be changed
     */
    public record Member(
            String memberId,
            String groupInstanceId,
            String clientId,
            String clientHost,
            int rebalanceTimeout,
            int sessionTimeout,
            byte[] subscription,
            byte[] assignment) {

        @Override
        public boolean equals(Object other) {
            return other instanceof Member that
                    && names().equals(that.names())
                    && rebalanceTimeout == that.rebalanceTimeout
                    && sessionTimeout == that.sessionTimeout
                    && Arrays.equals(subscription, that.subscription)
                    && Arrays.equals(assignment, that.assignment);
        }

        @Override
        public int hashCode() {
            return Objects.hash(
                    names(),
                    rebalanceTimeout,
                    sessionTimeout,
                    Arrays.hashCode(subscription),
                    Arrays.hashCode(assignment));
        }

        private List<String> names() {
            return Arrays.asList(memberId, groupInstanceId, clientId, clientHost);
        }
    }

    @Override
    public short type() {
        return TYPE;
    }

    @Override
    public boolean tombstone() {
        return value == null;
    }

    void encodeKey(FieldWriter out) {
        out.string(false, group);
    }

    void encodeValue(FieldWriter out) {
        out.int16(WRITTEN_VERSION).string(false, value.protocolType).int32(value.generation);
        out.string(false, value.protocol).string(false, value.leader).int64(value.currentStateTimestamp);
        out.list(false, value.members, GroupMetadataRecord::encodeMember);
    }

    private static void encodeMember(FieldWriter out, Member member) {
        out.string(false, member.memberId).string(false, member.groupInstanceId);
        out.string(false, member.clientId).string(false, member.clientHost);
        out.int32(member.rebalanceTimeout).int32(member.sessionTimeout);
        out.bytes(false, member.subscription).bytes(false, member.assignment);
    }

    /** @param value null for a tombstone */
    static GroupRecord decode(FieldReader key, FieldReader value) {
        String group = key.stringNotNull(false);
        if (value == null) {
            return new GroupMetadataRecord(group, null);
        }
        short version = value.int16();
        if (version < 0 || version > HIGHEST_VERSION) {
            return new UnknownVersion(TYPE, version);
        }
        boolean flexible = version >= 4;
        String protocolType = value.stringNotNull(flexible);
        int generation = value.int32();
        String protocol = value.string(flexible);
        String leader = value.string(flexible);
        long currentStateTimestamp = version >= 2 ? value.int64() : -1;
        List<Member> members = value.list(flexible, in -> decodeMember(version, in));
        if (flexible) {
            value.noneTagged();
        }
        return new GroupMetadataRecord(
                group, new Value(protocolType, generation, protocol, leader, currentStateTimestamp, members));
    }

    private static Member decodeMember(short version, FieldReader in) {
        boolean flexible = version >= 4;
        Member member = new Member(
                in.stringNotNull(flexible),
                version >= 3 ? in.string(flexible) : null,
                in.stringNotNull(flexible),
                in.stringNotNull(flexible),
                version >= 1 ? in.int32() : -1,
                in.int32(),
                in.bytes(flexible),
                in.bytes(flexible));
        if (flexible) {
            in.noneTagged();
        }
        return member;
    }
}
