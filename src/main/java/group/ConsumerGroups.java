package group;

import config.GroupConfig;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicChange;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.ConsumerGroupRecord;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;
import records.schemas.GroupRecord;

/** The consumer group protocol of KIP-848: members heartbeat, the coordinator assigns. Confined to the shard. */
public final class ConsumerGroups {
    private final ShardContext<GroupRecord> context;
    private final Groups groups;
    private final ConsumerGroupReplay replay;
    private final ConsumerRemovals removals;
    private final TopicPatterns patterns;
    private final TargetAssignment targets;
    private final ConsumerHeartbeats heartbeats;
    private final OnlineMigration migration;

    ConsumerGroups(ShardContext<GroupRecord> context, GroupConfig config, Groups groups, ClassicGroups classic) {
        this.context = context;
        GroupConfig.Consumer consumer = config.consumer();
        this.groups = groups;
        ConsumerGroupSettings settings = new ConsumerGroupSettings(consumer, context::image);
        this.replay = new ConsumerGroupReplay(groups, context);
        this.migration = new OnlineMigration(context, config, classic);
        ConsumerTimers timers = new ConsumerTimers(context.timers(), settings);
        this.removals = new ConsumerRemovals(groups, timers, migration);
        this.patterns = new TopicPatterns(context, consumer, this::resolved);
        this.targets = new TargetAssignment(consumer, context::maxRecordBytes);
        OffloadedAssignments offloaded = new OffloadedAssignments(context, groups, settings, targets);
        this.heartbeats = new ConsumerHeartbeats(context, consumer, settings, removals, patterns, targets, offloaded);
        classic.serveConsumerGroups(new ClassicMembers(context, heartbeats, removals, timers, patterns, migration));
    }

    Result<GroupRecord, ConsumerGroupHeartbeatResponseData> heartbeat(ConsumerHeartbeat beat) {
        ConsumerGroupHeartbeatRequestData request = beat.request();
        try {
            if (request.memberEpoch() < ConsumerMember.JOINING) {
                return leave(request);
            }
            List<GroupRecord> records = new ArrayList<>();
            if (beat.first() != null) {
                return heartbeats.beat(groupOf(beat), beat, records);
            }
            if (beat.joining() && groups.get(request.groupId()) instanceof ClassicGroup classic && !classic.isEmpty()) {
                return upgrade(classic, beat);
            }
            return heartbeats.beat(group(request.groupId(), beat.joining(), records), beat, records);
        } catch (Refusal refusal) {
            return Result.answer(ConsumerHeartbeatRules.refused(refusal.error(), refusal.getMessage()));
        }
    }

    /** Of one that has waited. */
    private ConsumerGroup groupOf(ConsumerHeartbeat beat) throws Refusal {
        String id = beat.request().groupId();
        if (!(groups.get(id) instanceof ConsumerGroup group)) {
            throw unknownGroup(id);
        }
        if (group.member(beat.first().memberId()) == null) {
            throw unknownMember(id, beat.first().memberId());
        }
        return group;
    }

    private ConsumerGroup group(String id, boolean joining, List<GroupRecord> records) throws Refusal {
        Group group = groups.get(id);
        if (group instanceof ConsumerGroup found) {
            return found;
        }
        if (!joining) {
            throw unknownGroup(id);
        }
        if (group == null && !context.memory().takesNew()) {
            throw noRoom();
        }
        if (group != null) {
            // Empty, and so of no protocol in particular.
            group.tombstones(records);
        }
        return new ConsumerGroup(id, context::image, context.mutations());
    }

    private Result<GroupRecord, ConsumerGroupHeartbeatResponseData> upgrade(
            ClassicGroup classic, ConsumerHeartbeat beat) throws Refusal {
        List<GroupRecord> records = new ArrayList<>();
        ConsumerGroup group = migration.upgrade(classic, records);
        Result<GroupRecord, ConsumerGroupHeartbeatResponseData> result = heartbeats.beat(group, beat, records);
        group.members().values().forEach(member -> {
            if (!member.id().equals(beat.request().memberId())) {
                removals.startTimers(group.id(), member);
            }
        });
        return result.settled((none, failure) -> migration.upgraded(classic, failure));
    }

    private Result<GroupRecord, ConsumerGroupHeartbeatResponseData> leave(ConsumerGroupHeartbeatRequestData request)
            throws Refusal {
        String id = request.groupId();
        String memberId = request.memberId();
        if (!(groups.get(id) instanceof ConsumerGroup group)) {
            throw unknownGroup(id);
        }
        ConsumerGroupHeartbeatResponseData response =
                new ConsumerGroupHeartbeatResponseData().setMemberId(memberId).setMemberEpoch(request.memberEpoch());
        if (request.instanceId() == null) {
            ConsumerMember member = group.member(memberId);
            if (member == null) {
                throw unknownMember(id, memberId);
            }
            return removals.remove(group, List.of(member), response);
        }
        ConsumerMember member = checkedStaticMember(group, request.instanceId(), memberId);
        return request.memberEpoch() == ConsumerMember.LEFT_FOR_NOW
                ? removals.leaveForNow(group, member, response)
                : removals.remove(group, List.of(member), response);
    }

    static ConsumerMember checkedStaticMember(ConsumerGroup group, String instanceId, String memberId) throws Refusal {
        ConsumerMember member = group.staticMember(instanceId);
        if (member == null) {
            throw new Refusal(
                    Errors.UNKNOWN_MEMBER_ID, "No member of the group has the instance id " + instanceId + ".");
        }
        if (!member.id().equals(memberId)) {
            throw new Refusal(
                    Errors.FENCED_INSTANCE_ID,
                    "The instance id " + instanceId + " now belongs to member " + member.id() + ".");
        }
        return member;
    }

    static Refusal unknownMember(String group, String member) {
        return new Refusal(Errors.UNKNOWN_MEMBER_ID, "Group " + group + " has no member " + member + ".");
    }

    static Refusal noRoom() {
        return new Refusal(
                Errors.COORDINATOR_NOT_AVAILABLE,
                "The broker keeps as much of groups in memory as it may; try again later, see its log.");
    }

    private static Refusal unknownGroup(String id) {
        return new Refusal(Errors.GROUP_ID_NOT_FOUND, "There is no consumer group " + id + ".");
    }

    /** One entry for each id, in their order. */
    public List<DescribedGroup> describe(List<String> ids) {
        List<DescribedGroup> all = new ArrayList<>();
        for (String id : ids) {
            if (id.isEmpty()) {
                all.add(ConsumerGroupDescription.refused(id, Errors.INVALID_GROUP_ID, null));
                continue;
            }
            all.add(
                    groups.get(id) instanceof ConsumerGroup group
                            ? ConsumerGroupDescription.of(group, targets.preferred(group.assignors()), context.image())
                            : ConsumerGroupDescription.refused(
                                    id,
                                    Errors.GROUP_ID_NOT_FOUND,
                                    unknownGroup(id).getMessage()));
        }
        return all;
    }

    /** What patterns mean now: a new group epoch when that changes what the group reads. */
    private Result<GroupRecord, Void> resolved(TopicPatterns.Resolved resolved) {
        if (!(groups.get(resolved.group()) instanceof ConsumerGroup group)) {
            return Result.nothing();
        }
        List<GroupRecord> patternRecords = new ArrayList<>();
        Subscriptions next = group.subscriptions().copy();
        boolean changed = false;
        for (Map.Entry<String, RegularExpressionValue> each :
                resolved.patterns().entrySet()) {
            String pattern = each.getKey();
            if (next.membersWith(pattern) == 0) {
                group.widePatterns().remove(pattern);
                continue;
            }
            RegularExpressionValue now = storable(group, pattern, each.getValue());
            RegularExpressionValue last = next.resolved(pattern);
            List<String> before = last == null ? List.of() : last.topics();
            boolean differs = !before.equals(now == null ? List.of() : now.topics());
            changed |= differs;
            if (now == null ? last != null : differs || last == null || resolved.whole()) {
                next.resolve(pattern, now);
                patternRecords.add(ConsumerGroupRecords.pattern(group.id(), pattern, now));
            }
        }
        List<GroupRecord> records = new ArrayList<>();
        if (!patternRecords.isEmpty()) {
            long hash = group.hashOf(next.topics());
            if (changed || hash != group.metadataHash()) {
                // First: with it the log may end behind any pattern, as those that are older are matched again.
                records.add(ConsumerGroupRecords.group(group.id(), group.epoch() + 1, hash));
            }
        }
        int first = records.size();
        records.addAll(patternRecords);
        return Result.<GroupRecord, Void>of(records, null).atomicOnly(first).settled((none, failure) -> {
            if (failure == null) {
                group.setMatchedVersion(resolved.version());
            }
        });
    }

    /** Null for more topics than a record can name: then the pattern's members are told so, and the others of the group go on. */
    private RegularExpressionValue storable(ConsumerGroup group, String pattern, RegularExpressionValue value) {
        if (context.fits(List.of(ConsumerGroupRecords.pattern(group.id(), pattern, value)))) {
            group.widePatterns().remove(pattern);
            return value;
        }
        group.widePatterns().put(pattern, value.timestamp());
        return null;
    }

    void replay(ConsumerGroupRecord record) {
        replay.replay(record);
    }

    void loaded() {
        patterns.newTopics().startAt(context.image().version());
        for (Group each : groups.all()) {
            if (each instanceof ConsumerGroup group) {
                // Also the topics may have changed since the last record.
                group.setTopicsChanged(true);
                group.members().values().forEach(member -> removals.startTimers(group.id(), member));
            }
        }
    }

    /** Nobody was here whom the changes up to {@code now} would have concerned. */
    void imageSkipped(MetadataImage now) {
        patterns.newTopics().startAt(now.version());
    }

    /** @param changes up to {@code now} */
    void imageChanged(List<TopicChange> changes, MetadataImage now) {
        for (TopicChange change : changes) {
            if (change.before() == null) {
                patterns.newTopics().add(change.after().name(), now.version());
            }
        }
        for (Group each : changes.isEmpty() ? List.<Group>of() : groups.all()) {
            if (each instanceof ConsumerGroup group && !group.topicsChanged()) {
                group.setTopicsChanged(concerns(group, changes));
            }
        }
    }

    private static boolean concerns(ConsumerGroup group, List<TopicChange> changes) {
        for (TopicChange change : changes) {
            String name = change.after() == null
                    ? change.before().name()
                    : change.after().name();
            if (group.isSubscribedTo(name)) {
                return true;
            }
        }
        return false;
    }
}
