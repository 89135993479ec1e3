package group;

import common.Mutations;
import group.assign.PartitionSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Supplier;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.ConsumerGroupRecord.PartitionMetadata;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;
import records.schemas.GroupRecord;

/**
 * A group of the consumer protocol (KIP-848). Changes only when records are replayed. What is not in the log: {@link #topicsChanged}, which so is true after each
 * load, until an epoch of this shard's own or a look at the topics; {@link #matchedVersion}, {@link #widePatterns} and {@link #isUnstorable}. Confined to the shard.
 */
final class ConsumerGroup implements Group {
    /** Kafka's groups begin with it, so that the first rebalance makes epoch 2. */
    private static final int FIRST_EPOCH = 1;

    private static final int NO_TARGET = -1;
    /** How long a target that no record can hold is not tried again: the limit may have been raised since. */
    private static final long UNSTORABLE_MILLIS = 60_000;
    /** From this version on, OffsetCommit says that a member epoch may be meant (KIP-848). */
    private static final short COMMIT_BY_MEMBER_EPOCH = 9;

    private final String id;
    private final Supplier<MetadataImage> image;
    private final Mutations mutations;
    private final SortedMap<String, ConsumerMember> members = new TreeMap<>();
    private final SortedMap<String, String> staticMembers = new TreeMap<>();
    private final Map<String, PartitionSet> targets = new LinkedHashMap<>();
    private final SortedMap<String, Integer> assignors = new TreeMap<>();
    private final Subscriptions subscriptions = new Subscriptions();
    private final PartitionOwners owners = new PartitionOwners();
    private int classicMembers;
    private long bytes;
    private int epoch = FIRST_EPOCH;
    private long metadataHash;
    private int assignmentEpoch = FIRST_EPOCH;
    private long assignedAtMillis;
    private boolean hasPartitionMetadata;
    private boolean topicsChanged = true;
    private long matchedVersion = -1;
    private final Map<String, Long> widePatterns = new TreeMap<>();
    private int unstorableEpoch = NO_TARGET;
    private long unstorableSinceMillis;
    private final MetadataHash.Memo hashes = new MetadataHash.Memo();

    ConsumerGroup(String id, Supplier<MetadataImage> image, Mutations mutations) {
        this.id = id;
        this.image = image;
        this.mutations = mutations;
        this.bytes = Footprint.ofGroup(id);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public GroupType type() {
        return GroupType.CONSUMER;
    }

    @Override
    public String protocolType() {
        return "consumer";
    }

    @Override
    public String state() {
        if (members.isEmpty()) {
            return "Empty";
        }
        if (epoch > assignmentEpoch) {
            return "Assigning";
        }
        for (ConsumerMember member : members.values()) {
            if (!member.reconciledTo(assignmentEpoch)) {
                return "Reconciling";
            }
        }
        return "Stable";
    }

    @Override
    public boolean isEmpty() {
        return members.isEmpty();
    }

    @Override
    public boolean isSubscribedTo(String topic) {
        return subscriptions.contains(topic);
    }

    int epoch() {
        return epoch;
    }

    int assignmentEpoch() {
        return assignmentEpoch;
    }

    /** Wall time of the newest target assignment; 0 when the next one need not wait. */
    long assignedAtMillis() {
        return assignedAtMillis;
    }

    long metadataHash() {
        return metadataHash;
    }

    /** By id. */
    SortedMap<String, ConsumerMember> members() {
        return Collections.unmodifiableSortedMap(members);
    }

    /** null when there is none. */
    ConsumerMember member(String memberId) {
        return members.get(memberId);
    }

    /** null when no member has that instance id. */
    ConsumerMember staticMember(String instanceId) {
        String memberId = instanceId == null ? null : staticMembers.get(instanceId);
        return memberId == null ? null : members.get(memberId);
    }

    int classicMembers() {
        return classicMembers;
    }

    /** null when none was computed yet. */
    PartitionSet target(String memberId) {
        return targets.get(memberId);
    }

    Subscriptions subscriptions() {
        return subscriptions;
    }

    /** How many members prefer which server-side assignor. */
    SortedMap<String, Integer> assignors() {
        return Collections.unmodifiableSortedMap(assignors);
    }

    /** null when nobody has it or still has to give it up. */
    String owner(Uuid topic, int partition) {
        return owners.owner(topic, partition);
    }

    /** Kafka 4.0 kept the topics that a group saw in a record, which is removed when met. */
    boolean hasPartitionMetadata() {
        return hasPartitionMetadata;
    }

    /** Whether the topics that it reads are to be looked at again. */
    boolean topicsChanged() {
        return topicsChanged;
    }

    void setTopicsChanged(boolean changed) {
        topicsChanged = changed;
    }

    /** {@link MetadataHash} of topics. */
    long hashOf(SortedSet<String> topics) {
        return hashes.of(topics, image.get());
    }

    /** Metadata up to this version had no new topics for the patterns of this group, beyond what their records say; -1 when not known. */
    long matchedVersion() {
        return matchedVersion;
    }

    void setMatchedVersion(long version) {
        matchedVersion = version;
    }

    /** Patterns that mean more topics than a record can name, and so are not resolved, with the wall time when that was found out; again after each load. */
    Map<String, Long> widePatterns() {
        return widePatterns;
    }

    /** The target for this epoch cannot be stored. */
    void setUnstorable(int ofEpoch, long nowMillis) {
        unstorableEpoch = ofEpoch;
        unstorableSinceMillis = nowMillis;
    }

    /** Whether it is known that no record can hold a target for epoch {@code wanted}, as one member would get too much; for a while. */
    boolean isUnstorable(int wanted, long nowMillis) {
        long age = nowMillis - unstorableSinceMillis;
        return wanted <= unstorableEpoch && age >= 0 && age < UNSTORABLE_MILLIS;
    }

    @Override
    public CommitVerdict checkCommit(CommitClaim claim) {
        boolean unclaimed = claim.epoch() == -1 && claim.memberId().isEmpty() && claim.instanceId() == null;
        if ((claim.epoch() < 0 && members.isEmpty()) || (claim.transactional() && unclaimed)) {
            return CommitVerdict.ACCEPTED;
        }
        ConsumerMember member = members.get(claim.memberId());
        if (member == null) {
            return CommitVerdict.of(Errors.UNKNOWN_MEMBER_ID);
        }
        if (!claim.transactional() && !member.classic() && claim.apiVersion() < COMMIT_BY_MEMBER_EPOCH) {
            return CommitVerdict.of(Errors.UNSUPPORTED_VERSION);
        }
        Errors stale = staleEpoch(member);
        if (claim.epoch() > member.epoch()) {
            return CommitVerdict.of(stale);
        }
        return new CommitVerdict(Errors.NONE, (topic, topicId, partition) -> {
            Uuid id = topicId.equals(Uuid.ZERO_UUID) ? idOf(topic) : topicId;
            boolean holds = claim.epoch() == member.epoch()
                    ? !givenLater(member, claim.epoch(), id, partition)
                    : committableAt(claim.epoch(), member, id, partition);
            return holds ? Errors.NONE : stale;
        });
    }

    private Uuid idOf(String topic) {
        TopicImage known = image.get().topic(topic);
        return known == null ? Uuid.ZERO_UUID : known.id();
    }

    /** Rules G6 and G7: an older epoch speaks for partitions that the member has had ever since. */
    private boolean committableAt(int claimed, ConsumerMember member, Uuid topic, int partition) {
        if (mutations.active("group-commit-with-any-older-epoch")) {
            return true;
        }
        int since = since(member, topic, partition);
        return since != OwnedPartitions.NOT_OWNED && claimed >= since;
    }

    /** Since which epoch a member has a partition, or still has to give it up. */
    private static int since(ConsumerMember member, Uuid topic, int partition) {
        int since = member.assigned().epoch(topic, partition);
        return since == OwnedPartitions.NOT_OWNED ? member.revoking().epoch(topic, partition) : since;
    }

    /** Rule G7, where a member gave a partition up without a new epoch: whether somebody else got it after the epoch that is claimed. */
    private boolean givenLater(ConsumerMember member, int claimed, Uuid topic, int partition) {
        String owner = owners.owner(topic, partition);
        return owner != null && !owner.equals(member.id()) && since(members.get(owner), topic, partition) > claimed;
    }

    private static Errors staleEpoch(ConsumerMember member) {
        return member.classic() ? Errors.ILLEGAL_GENERATION : Errors.STALE_MEMBER_EPOCH;
    }

    @Override
    public Errors checkFetch(String memberId, int memberEpoch) {
        if (memberId == null && memberEpoch < 0) {
            return Errors.NONE;
        }
        ConsumerMember member = memberId == null ? null : members.get(memberId);
        if (member == null) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        return memberEpoch == member.epoch() ? Errors.NONE : staleEpoch(member);
    }

    /** A member lives by its heartbeats alone. */
    @Override
    public void committed(CommitClaim claim) {}

    @Override
    public long expiryBase(String topic, long commitTimestampMillis) {
        return isSubscribedTo(topic) ? NO_EXPIRY : commitTimestampMillis;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void tombstones(List<GroupRecord> records) {
        members.keySet().forEach(member -> ConsumerGroupRecords.removal(id, member, records));
        records.add(ConsumerGroupRecords.noTargetEpoch(id));
        subscriptions
                .resolved()
                .keySet()
                .forEach(pattern -> records.add(ConsumerGroupRecords.pattern(id, pattern, null)));
        records.add(new PartitionMetadata(id, null));
        records.add(ConsumerGroupRecords.noGroup(id));
    }

    // What follows is for replay.

    void replayEpoch(int newEpoch, long newHash) {
        epoch = newEpoch;
        metadataHash = newHash;
        topicsChanged = false;
    }

    /** A tombstone is epoch {@value #NO_TARGET}. */
    void replayTargetEpoch(int newEpoch, long atMillis) {
        assignmentEpoch = newEpoch;
        assignedAtMillis = atMillis;
    }

    void replayNoTarget() {
        replayTargetEpoch(NO_TARGET, 0);
    }

    /** @param target null: removed */
    void replayTarget(String memberId, PartitionSet target) {
        PartitionSet before = target == null ? targets.remove(memberId) : targets.put(memberId, target);
        bytes += Footprint.of(target) - Footprint.of(before);
    }

    void replayPartitionMetadata(boolean exists) {
        hasPartitionMetadata = exists;
    }

    /** @param topics null: removed */
    void replayPattern(String pattern, RegularExpressionValue topics) {
        bytes += Footprint.of(pattern, topics) - Footprint.of(pattern, subscriptions.resolved(pattern));
        subscriptions.resolve(pattern, topics);
    }

    /** The member as it is now; new or in place of what was known of it. */
    void replayMember(ConsumerMember now) {
        ConsumerMember before = members.put(now.id(), now);
        bytes += Footprint.of(now) - Footprint.of(before);
        if (before == null || !before.metadata().equals(now.metadata())) {
            forgetMetadata(before);
            noteMetadata(now);
        }
        owners.replace(before, now);
    }

    void replayRemoval(String memberId) {
        ConsumerMember before = members.remove(memberId);
        bytes -= Footprint.of(before);
        if (before != null) {
            forgetMetadata(before);
            owners.replace(before, null);
        }
    }

    private void noteMetadata(ConsumerMember member) {
        subscriptions.add(member);
        if (member.instanceId() != null) {
            staticMembers.put(member.instanceId(), member.id());
        }
        if (member.metadata().serverAssignor() != null) {
            assignors.merge(member.metadata().serverAssignor(), 1, Integer::sum);
        }
        classicMembers += member.classic() ? 1 : 0;
    }

    private void forgetMetadata(ConsumerMember member) {
        if (member == null) {
            return;
        }
        subscriptions.remove(member);
        if (member.instanceId() != null) {
            staticMembers.remove(member.instanceId(), member.id());
        }
        if (member.metadata().serverAssignor() != null) {
            assignors.computeIfPresent(
                    member.metadata().serverAssignor(), (same, count) -> count == 1 ? null : count - 1);
        }
        classicMembers -= member.classic() ? 1 : 0;
    }
}
