package group;

import common.Callback;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.Errors;

/** The members of a classic group: who they are, who leads, who waits in JoinGroup, and what assignor they would choose. Confined to its group. */
final class ClassicRoster {
    private final Map<String, ClassicMember> members = new LinkedHashMap<>();
    private final Map<String, String> memberByInstance = new LinkedHashMap<>();
    private final ProtocolVotes votes = new ProtocolVotes();
    private String leader;
    private int joined;
    private long recordBytes;
    private final LongConsumer resized;

    /** @param resized told by how many bytes the members change on the heap */
    ClassicRoster(LongConsumer resized) {
        this.resized = resized;
    }

    Collection<ClassicMember> all() {
        return Collections.unmodifiableCollection(members.values());
    }

    int size() {
        return members.size();
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    /** null for none. */
    ClassicMember get(String memberId) {
        return members.get(memberId);
    }

    /** The member id of a static member; null for none. */
    String memberOf(String instanceId) {
        return memberByInstance.get(instanceId);
    }

    /** null without members. */
    String leader() {
        return leader;
    }

    boolean isLeader(ClassicMember member) {
        return member.id().equals(leader);
    }

    /** No effect for one who is no member. */
    void lead(String memberId) {
        leader = members.containsKey(memberId) ? memberId : leader;
    }

    /** Members whose JoinGroup is parked. */
    int joined() {
        return joined;
    }

    boolean allJoined() {
        return joined == members.size();
    }

    /** The longest of all members. */
    int rebalanceTimeoutMillis() {
        int longest = 0;
        for (ClassicMember each : members.values()) {
            longest = Math.max(longest, each.rebalanceTimeoutMillis());
        }
        return longest;
    }

    /** The sum of {@link ClassicMember#recordBytes}. */
    long recordBytes() {
        return recordBytes;
    }

    /** Whether all members offer one of these assignors. */
    boolean allOfferOneOf(List<ClassicProtocol> protocols) {
        return votes.anyOfAll(protocols, members.size());
    }

    /** The assignor that would be chosen now. */
    String electedProtocol() {
        return votes.winner(members.values());
    }

    /** The first one leads. */
    void add(ClassicMember member) {
        members.put(member.id(), member);
        if (member.isStatic()) {
            memberByInstance.put(member.instanceId(), member.id());
        }
        votes.add(member);
        joined += member.awaitsJoin() ? 1 : 0;
        recordBytes += member.recordBytes();
        resized.accept(member.bytes());
        leader = leader == null ? member.id() : leader;
    }

    void remove(ClassicMember member) {
        members.remove(member.id());
        votes.remove(member);
        joined -= member.awaitsJoin() ? 1 : 0;
        recordBytes -= member.recordBytes();
        resized.accept(-member.bytes());
        if (member.isStatic()) {
            memberByInstance.remove(member.instanceId());
        }
        if (isLeader(member)) {
            Iterator<String> next = members.keySet().iterator();
            leader = next.hasNext() ? next.next() : null;
        }
    }

    /** A static member comes back under another member id; what it is given stays, also the lead. */
    void replace(ClassicMember old, ClassicMember replacement) {
        boolean leads = isLeader(old);
        remove(old);
        add(replacement);
        replacement.assign(old.assignment());
        if (leads) {
            leader = replacement.id();
        }
    }

    /** A known member joins again, with other offers perhaps. */
    void reoffer(ClassicMember member, int rebalanceMillis, int sessionMillis, List<ClassicProtocol> protocols) {
        votes.remove(member);
        recordBytes -= member.recordBytes();
        long before = member.bytes();
        member.offer(rebalanceMillis, sessionMillis, protocols);
        resized.accept(member.bytes() - before);
        recordBytes += member.recordBytes();
        votes.add(member);
    }

    /** {@link ClassicMember#park}, counted. */
    Callback<JoinGroupResponseData> park(ClassicMember member, Callback<JoinGroupResponseData> join) {
        joined -= member.awaitsJoin() ? 1 : 0;
        joined += join != null ? 1 : 0;
        return member.park(join);
    }

    /** Makes a member that has joined the leader, if the present one has not; false when nobody has joined. */
    boolean electJoinedLeader() {
        ClassicMember present = leader == null ? null : members.get(leader);
        if (present == null || present.awaitsJoin()) {
            return present != null;
        }
        for (ClassicMember each : members.values()) {
            if (each.awaitsJoin()) {
                leader = each.id();
                return true;
            }
        }
        return false;
    }

    /** Who says to be a member: NONE, UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID (rule G3). */
    Errors check(String memberId, String instanceId) {
        if (instanceId != null) {
            String current = memberByInstance.get(instanceId);
            if (current != null && !current.equals(memberId)) {
                return Errors.FENCED_INSTANCE_ID;
            }
            if (current == null) {
                return Errors.UNKNOWN_MEMBER_ID;
            }
        }
        return members.containsKey(memberId) ? Errors.NONE : Errors.UNKNOWN_MEMBER_ID;
    }
}
