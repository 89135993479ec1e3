package group;

import config.GroupConfig;
import group.assign.Assignor;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;
import records.schemas.GroupRecord;

/** Computes what each member of a KIP-848 group shall have. Functions of their arguments. */
final class TargetAssignment {
    private final List<String> assignors;

    TargetAssignment(GroupConfig.Consumer config) {
        this.assignors = config.assignors();
    }

    /** A change of one member that is not replayed yet: {@code before} null for a new one; of another id when a static member is replaced. */
    record Change(ConsumerMember before, ConsumerMember after) {}

    /** The assignor that most members prefer, the one offered first among equals; the first of all when none has a preference. */
    String preferred(SortedMap<String, Integer> votes) {
        String best = assignors.get(0);
        for (String assignor : assignors) {
            if (votes.getOrDefault(assignor, 0) > votes.getOrDefault(best, 0)) {
                best = assignor;
            }
        }
        return best;
    }

    /** As it will be after {@code change}. */
    String preferred(ConsumerGroup group, Change change) {
        SortedMap<String, Integer> votes = new TreeMap<>(group.assignors());
        if (change.before() != null && change.before().metadata().serverAssignor() != null) {
            votes.merge(change.before().metadata().serverAssignor(), -1, Integer::sum);
        }
        if (change.after().metadata().serverAssignor() != null) {
            votes.merge(change.after().metadata().serverAssignor(), 1, Integer::sum);
        }
        return preferred(votes);
    }

    /**
     * Computes the whole assignment, adds the records of what differs from the last one, and of the assignment's epoch.
     *
     * @param nowMillis wall time
     * @return what the member of the change shall have
     */
    PartitionSet compute(
            ConsumerGroup group,
            int epoch,
            Change change,
            MetadataImage image,
            long nowMillis,
            List<GroupRecord> records) {
        ConsumerMember after = change.after();
        boolean replaced = change.before() != null && !change.before().id().equals(after.id());
        List<ConsumerMember> members = members(group, change);
        Topics topics = new Topics(group.subscriptions(), image);
        List<Assignor.Member> view = new ArrayList<>(members.size());
        List<Boolean> known = new ArrayList<>(members.size());
        for (ConsumerMember member : members) {
            boolean moved = replaced && member.id().equals(after.id());
            PartitionSet last = group.target(moved ? change.before().id() : member.id());
            known.add(moved || last != null);
            view.add(new Assignor.Member(
                    member.id(), member.instanceId(), topics.of(member), last == null ? PartitionSet.EMPTY : last));
        }
        List<PartitionSet> shares = Assignor.named(preferred(group, change)).assign(view, topics.partitionCounts);
        PartitionSet own = PartitionSet.EMPTY;
        for (int i = 0; i < shares.size(); i++) {
            Assignor.Member member = view.get(i);
            PartitionSet share = shares.get(i);
            own = member.id().equals(after.id()) ? share : own;
            if (!known.get(i) || !share.equals(member.current())) {
                records.add(ConsumerGroupRecords.target(group.id(), member.id(), share));
            }
        }
        records.add(ConsumerGroupRecords.targetEpoch(group.id(), epoch, nowMillis));
        return own;
    }

    /** By id, as they will be after the change. */
    private static List<ConsumerMember> members(ConsumerGroup group, Change change) {
        ConsumerMember after = change.after();
        String gone = change.before() == null ? null : change.before().id();
        List<ConsumerMember> members = new ArrayList<>(group.members().size() + 1);
        members.addAll(group.members().headMap(after.id()).values());
        members.add(after);
        for (ConsumerMember each : group.members().tailMap(after.id()).values()) {
            if (!each.id().equals(after.id())) {
                members.add(each);
            }
        }
        if (gone != null && !gone.equals(after.id())) {
            members.removeIf(each -> each.id().equals(gone));
        }
        return members;
    }

    /** The existing topics behind subscriptions; members with the same subscription get the same list. */
    static final class Topics {
        private record Subscription(List<String> names, String pattern) {}

        private final Subscriptions subscriptions;
        private final MetadataImage image;
        private final Map<Subscription, List<Uuid>> lists = new LinkedHashMap<>();
        private final Map<Uuid, Integer> partitionCounts = new TreeMap<>();
        private Subscription last;
        private List<Uuid> lastIds;

        Topics(Subscriptions subscriptions, MetadataImage image) {
            this.subscriptions = subscriptions;
            this.image = image;
        }

        /** In the order of ids. */
        List<Uuid> of(ConsumerMember member) {
            List<String> names = member.metadata().subscribedTopicNames();
            // Mostly all say the same.
            if (last == null || !last.names.equals(names) || !last.pattern.equals(member.pattern())) {
                last = new Subscription(names, member.pattern());
                lastIds = lists.computeIfAbsent(last, this::resolve);
            }
            return lastIds;
        }

        private List<Uuid> resolve(Subscription subscription) {
            SortedSet<Uuid> ids = new TreeSet<>();
            subscription.names.forEach(name -> add(name, ids));
            RegularExpressionValue matched = subscriptions.resolved(subscription.pattern);
            if (matched != null) {
                matched.topics().forEach(name -> add(name, ids));
            }
            return List.copyOf(ids);
        }

        private void add(String name, SortedSet<Uuid> ids) {
            TopicImage topic = image.topic(name);
            if (topic != null && ids.add(topic.id())) {
                partitionCounts.put(topic.id(), topic.partitions().size());
            }
        }
    }
}
