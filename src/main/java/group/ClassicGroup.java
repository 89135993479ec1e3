package group;

import common.Clock;
import common.Failure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
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
    private final ClassicRoster roster = new ClassicRoster(this::resize);
    private final PendingMembers pending = new PendingMembers(this::resize);
    private final Set<String> unsynced = new LinkedHashSet<>();
    private ClassicState state = ClassicState.EMPTY;
    private ClassicState before = ClassicState.EMPTY;
    private long stateSinceMillis;
    private String protocolType = "";
    private String protocol;
    private int generation;
    private boolean grew;
    private int toldTooLarge = -1;
    private Object assigning;
    private GroupMetadataRecord stored;
    private long bytes;
    private Group replaces;
    private SubscribedTopics subscribed = SubscribedTopics.unknown();

    /** @param refused told when records of a group were not taken: the group is ahead of its log then */
    record Surroundings(
            Clock clock, Groups groups, ClassicSessions sessions, BiConsumer<ClassicGroup, Failure> refused) {}

    ClassicGroup(String id, Surroundings around) {
        this.id = id;
        this.around = around;
        this.bytes = Footprint.ofGroup(id);
        this.stateSinceMillis = around.clock().wallMillis();
    }

    /** The group that a record tells of: Stable, or Empty. */
    void restore(GroupMetadataRecord record, List<ClassicMember> restored) {
        GroupMetadataRecord.Value value = record.value();
        stored(record);
        generation = value.generation();
        protocolType = value.protocolType();
        protocol = value.protocol();
        for (ClassicMember each : restored) {
            enroll(each);
        }
        roster.lead(value.leader());
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

    ClassicRoster roster() {
        return roster;
    }

    /** null without members. */
    String leader() {
        return roster.leader();
    }

    Collection<ClassicMember> members() {
        return roster.all();
    }

    /** null for none. */
    ClassicMember member(String memberId) {
        return roster.get(memberId);
    }

    PendingMembers pending() {
        return pending;
    }

    /** Members of this generation whose SyncGroup has not come. */
    Set<String> unsynced() {
        return unsynced;
    }

    boolean allJoined() {
        return roster.allJoined() && pending.isEmpty();
    }

    /** Whether a member that offers these could be in the group: rule G3, INCONSISTENT_GROUP_PROTOCOL. */
    boolean supports(String type, List<ClassicProtocol> protocols) {
        if (state == ClassicState.EMPTY) {
            return !type.isEmpty() && !protocols.isEmpty();
        }
        return protocolType.equals(type) && roster.allOfferOneOf(protocols);
    }

    /** A new member; the first one of a group makes its protocol type and leads. */
    void add(ClassicMember member, String type) {
        if (roster.isEmpty()) {
            protocolType = type;
        }
        grew |= isInitialRebalance();
        enroll(member);
    }

    private void enroll(ClassicMember member) {
        roster.add(member);
        pending.remove(member.id());
    }

    /** Its parked requests must have been answered. */
    void remove(ClassicMember member) {
        roster.remove(member);
        unsynced.remove(member.id());
    }

    /** A static member comes back under another member id; what it is given stays. */
    void replace(ClassicMember old, ClassicMember replacement) {
        roster.replace(old, replacement);
        pending.remove(replacement.id());
        if (unsynced.remove(old.id())) {
            unsynced.add(replacement.id());
        }
    }

    /** Whether members came since the last call, during an initial rebalance. */
    boolean takeGrew() {
        boolean did = grew;
        grew = false;
        return did;
    }

    /** Whether this is the first time in this generation that a member is turned away because no record could hold the group. */
    boolean firstTooLarge() {
        boolean first = toldTooLarge != generation;
        toldTooLarge = generation;
        return first;
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

    /** The join phase is over: the next generation, of those who are members now (rule G3: rises by one). */
    void nextGeneration() {
        generation++;
        unsynced.clear();
        protocol = roster.electedProtocol();
        noteSubscriptions();
        goTo(roster.isEmpty() ? ClassicState.EMPTY : ClassicState.COMPLETING_REBALANCE);
    }

    private void noteSubscriptions() {
        if (!isOfConsumers() || (protocol == null && !roster.isEmpty())) {
            subscribed = SubscribedTopics.unknown();
            return;
        }
        List<byte[]> subscriptions = new ArrayList<>(roster.size());
        members().forEach(each -> subscriptions.add(each.metadata(protocol)));
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

    /** As {@link ClassicRoster#check}, also ILLEGAL_GENERATION. */
    Errors checkMember(String memberId, String instanceId, int ofGeneration) {
        Errors error = roster.check(memberId, instanceId);
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
        ClassicMember member = roster.get(claim.memberId());
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

    /** The empty group of another protocol in whose place it is, as long as no record says that that one is gone; null: none. */
    Group replaces() {
        return replaces;
    }

    void replaces(Group group) {
        replaces = group;
    }

    /** Its newest record; null before the first. */
    GroupMetadataRecord stored() {
        return stored;
    }

    void stored(GroupMetadataRecord record) {
        resize(Footprint.of(record) - Footprint.of(stored));
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
        for (ClassicMember each : members()) {
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

    private void resize(long change) {
        bytes += change;
        around.groups().resized(this, change);
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void tombstones(List<GroupRecord> records) {
        records.add(new GroupMetadataRecord(id, null));
    }
}
