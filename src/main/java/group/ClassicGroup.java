package group;

import common.Callback;
import common.Clock;
import common.Failure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupMetadataRecord;
import records.schemas.GroupRecord;

/**
 * A group of the classic protocol, also the one that only keeps offsets ("simple": no protocol type). What its records say survives ({@link GroupMetadataRecords});
 * a rebalance under way and the pending members die with the shard. Decides nothing about time: {@link JoinPhase} and {@link SyncPhase} do. Confined to its
 * shard.
 */
final class ClassicGroup implements Group {
    private final String id;
    private final Surroundings around;
    private final Map<String, ClassicMember> members = new LinkedHashMap<>();
    private final Map<String, String> memberByInstance = new LinkedHashMap<>();
    private final PendingMembers pending = new PendingMembers();
    private final Set<String> unsynced = new LinkedHashSet<>();
    private final ProtocolVotes votes = new ProtocolVotes();
    private ClassicState state = ClassicState.EMPTY;
    private ClassicState before = ClassicState.EMPTY;
    private long stateSinceMillis;
    private String protocolType = "";
    private String protocol;
    private String leader;
    private int generation;
    private int joined;
    private boolean grew;
    private Object assigning;
    private GroupMetadataRecord stored;
    private SubscribedTopics subscribed = SubscribedTopics.unknown();

    /** @param refused told when records of a group were not taken: the group is ahead of its log then */
    record Surroundings(
            Clock clock, Groups groups, ClassicSessions sessions, BiConsumer<ClassicGroup, Failure> refused) {}

    ClassicGroup(String id, Surroundings around) {
        this.id = id;
        this.around = around;
        this.stateSinceMillis = around.clock().wallMillis();
    }

    /** The group that a record tells of: Stable, or Empty. */
    void restore(GroupMetadataRecord record, List<ClassicMember> restored) {
        GroupMetadataRecord.Value value = record.value();
        stored = record;
        generation = value.generation();
        protocolType = value.protocolType();
        protocol = value.protocol();
        for (ClassicMember each : restored) {
            add(each);
        }
        leader = members.containsKey(value.leader()) ? value.leader() : leader;
        stateSinceMillis = value.currentStateTimestamp();
        enter(restored.isEmpty() ? ClassicState.EMPTY : ClassicState.STABLE);
        noteSubscriptions();
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
        return state.toString();
    }

    ClassicState stateNow() {
        return state;
    }

    boolean in(ClassicState other) {
        return state == other;
    }

    /** The first rebalance of a group that had no members: it waits a little for more of them. */
    boolean isInitialRebalance() {
        return state == ClassicState.PREPARING_REBALANCE && before == ClassicState.EMPTY;
    }

    /** When it came into its state, wall milliseconds; -1 when not known. */
    long stateSinceMillis() {
        return stateSinceMillis;
    }

    @Override
    public String protocolType() {
        return protocolType;
    }

    /** The assignor chosen for this generation; null before the first and while the group is empty. */
    String protocol() {
        return protocol;
    }

    int generation() {
        return generation;
    }

    /** null without members. */
    String leader() {
        return leader;
    }

    boolean isLeader(ClassicMember member) {
        return member.id().equals(leader);
    }

    Collection<ClassicMember> members() {
        return Collections.unmodifiableCollection(members.values());
    }

    /** null for none. */
    ClassicMember member(String memberId) {
        return members.get(memberId);
    }

    /** The member id of a static member; null for none. */
    String memberOf(String instanceId) {
        return memberByInstance.get(instanceId);
    }

    PendingMembers pending() {
        return pending;
    }

    /** Members of this generation whose SyncGroup has not come. */
    Set<String> unsynced() {
        return unsynced;
    }

    /** Members whose JoinGroup is parked. */
    int joined() {
        return joined;
    }

    boolean allJoined() {
        return joined == members.size() && pending.isEmpty();
    }

    /** The longest of all members. */
    int rebalanceTimeoutMillis() {
        int longest = 0;
        for (ClassicMember each : members.values()) {
            longest = Math.max(longest, each.rebalanceTimeoutMillis());
        }
        return longest;
    }

    /** Whether a member that offers these could be in the group: rule G3, INCONSISTENT_GROUP_PROTOCOL. */
    boolean supports(String type, List<ClassicProtocol> protocols) {
        if (state == ClassicState.EMPTY) {
            return !type.isEmpty() && !protocols.isEmpty();
        }
        return protocolType.equals(type) && votes.anyOfAll(protocols, members.size());
    }

    /** The assignor that would be chosen now. */
    String electedProtocol() {
        return votes.winner(members.values());
    }

    /** A new member; the first one of a group makes its protocol type and leads. */
    void add(ClassicMember member, String type) {
        if (members.isEmpty()) {
            protocolType = type;
        }
        grew |= isInitialRebalance();
        add(member);
    }

    private void add(ClassicMember member) {
        members.put(member.id(), member);
        if (member.isStatic()) {
            memberByInstance.put(member.instanceId(), member.id());
        }
        votes.add(member);
        joined += member.awaitsJoin() ? 1 : 0;
        leader = leader == null ? member.id() : leader;
        pending.remove(member.id());
    }

    /** Its parked requests must have been answered. */
    void remove(ClassicMember member) {
        members.remove(member.id());
        votes.remove(member);
        joined -= member.awaitsJoin() ? 1 : 0;
        if (member.isStatic()) {
            memberByInstance.remove(member.instanceId());
        }
        if (isLeader(member)) {
            Iterator<String> next = members.keySet().iterator();
            leader = next.hasNext() ? next.next() : null;
        }
        unsynced.remove(member.id());
    }

    /** A static member comes back under another member id; what it is given stays. */
    void replace(ClassicMember old, ClassicMember replacement) {
        boolean leads = isLeader(old);
        boolean missing = unsynced.contains(old.id());
        remove(old);
        add(replacement);
        replacement.assign(old.assignment());
        if (leads) {
            leader = replacement.id();
        }
        if (missing) {
            unsynced.add(replacement.id());
        }
    }

    void reoffer(ClassicMember member, int rebalanceMillis, int sessionMillis, List<ClassicProtocol> protocols) {
        votes.remove(member);
        member.offer(rebalanceMillis, sessionMillis, protocols);
        votes.add(member);
    }

    /** {@link ClassicMember#park}, counted. */
    Callback<JoinGroupResponseData> park(ClassicMember member, Callback<JoinGroupResponseData> join) {
        joined -= member.awaitsJoin() ? 1 : 0;
        joined += join != null ? 1 : 0;
        return member.park(join);
    }

    /** Whether members came since the last call, during an initial rebalance. */
    boolean takeGrew() {
        boolean did = grew;
        grew = false;
        return did;
    }

    /** Names the assignment of this generation that is being written; null: none is. */
    Object assigning() {
        return assigning;
    }

    void assigning(Object round) {
        assigning = round;
    }

    void goTo(ClassicState next) {
        before = state;
        enter(next);
        stateSinceMillis = around.clock().wallMillis();
    }

    private void enter(ClassicState next) {
        around.groups().moved(this, state, next);
        state = next;
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

    /** The join phase is over: the next generation, of those who are members now (rule G3: rises by one). */
    void nextGeneration() {
        generation++;
        unsynced.clear();
        protocol = electedProtocol();
        noteSubscriptions();
        goTo(members.isEmpty() ? ClassicState.EMPTY : ClassicState.COMPLETING_REBALANCE);
    }

    private void noteSubscriptions() {
        if (!isOfConsumers() || (protocol == null && !members.isEmpty())) {
            subscribed = SubscribedTopics.unknown();
            return;
        }
        List<byte[]> subscriptions = new ArrayList<>(members.size());
        members.values().forEach(each -> subscriptions.add(each.metadata(protocol)));
        subscribed = new SubscribedTopics(subscriptions);
    }

    private boolean isOfConsumers() {
        return protocolType.equals("consumer");
    }

    @Override
    public boolean isEmpty() {
        return state == ClassicState.EMPTY;
    }

    @Override
    public boolean isSubscribedTo(String topic) {
        Set<String> topics = subscribed.topics();
        return topics == null ? isOfConsumers() : topics.contains(topic);
    }

    /** Who says to be a member: NONE, UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID (rule G3). */
    Errors checkMember(String memberId, String instanceId) {
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

    /** As {@link #checkMember}, also ILLEGAL_GENERATION. */
    Errors checkMember(String memberId, String instanceId, int ofGeneration) {
        Errors error = checkMember(memberId, instanceId);
        return error == Errors.NONE && ofGeneration != generation ? Errors.ILLEGAL_GENERATION : error;
    }

    @Override
    public CommitVerdict checkCommit(CommitClaim claim) {
        return CommitVerdict.of(commitError(claim));
    }

    private Errors commitError(CommitClaim claim) {
        if (claim.epoch() < 0 && isEmpty()) {
            return Errors.NONE;
        }
        if (claim.epoch() >= 0 || !claim.memberId().isEmpty() || claim.instanceId() != null) {
            Errors error = checkMember(claim.memberId(), claim.instanceId(), claim.epoch());
            if (error != Errors.NONE) {
                return error;
            }
        } else if (!claim.transactional()) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        // It knows the new generation, but not yet what it owns in it.
        return !claim.transactional() && state == ClassicState.COMPLETING_REBALANCE
                ? Errors.REBALANCE_IN_PROGRESS
                : Errors.NONE;
    }

    @Override
    public Errors checkFetch(String memberId, int memberEpoch) {
        return Errors.NONE;
    }

    @Override
    public void committed(CommitClaim claim) {
        ClassicMember member = members.get(claim.memberId());
        if (member != null && (state == ClassicState.STABLE || state == ClassicState.PREPARING_REBALANCE)) {
            around.sessions().restart(member);
        }
    }

    @Override
    public long expiryBase(String topic, long commitTimestampMillis) {
        if (protocolType.isEmpty()) {
            return commitTimestampMillis;
        }
        if (state == ClassicState.EMPTY) {
            return stateSinceMillis >= 0 ? stateSinceMillis : commitTimestampMillis;
        }
        boolean known = state == ClassicState.STABLE && isOfConsumers() && subscribed.topics() != null;
        return known && !isSubscribedTo(topic) ? commitTimestampMillis : NO_EXPIRY;
    }

    /** Its newest record; null before the first. */
    GroupMetadataRecord stored() {
        return stored;
    }

    void stored(GroupMetadataRecord record) {
        stored = record;
    }

    void refused(Failure why) {
        around.refused().accept(this, why);
    }

    /** Nothing was ever done with it that somebody could miss. */
    boolean isPristine() {
        return stored == null && generation == 0 && isEmpty() && pending.isEmpty();
    }

    @Override
    public DescribedGroup describe() {
        boolean stable = state == ClassicState.STABLE;
        DescribedGroup described = new DescribedGroup()
                .setGroupId(id)
                .setGroupState(state())
                .setProtocolType(protocolType)
                .setProtocolData(stable ? protocol : "");
        for (ClassicMember each : members.values()) {
            DescribedGroupMember member = new DescribedGroupMember()
                    .setMemberId(each.id())
                    .setGroupInstanceId(each.instanceId())
                    .setClientId(each.identity().clientId())
                    .setClientHost(each.identity().clientHost())
                    .setMemberAssignment(each.assignment());
            described.members().add(stable ? member.setMemberMetadata(each.metadata(protocol)) : member);
        }
        return described;
    }

    @Override
    public void tombstones(List<GroupRecord> records) {
        records.add(new GroupMetadataRecord(id, null));
    }
}
