package group;

import group.assign.Assignor;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;

/**
 * All that a target assignment depends on, as it was at one moment. Nothing in it changes, so that another thread may compute.
 *
 * @param members by id
 * @param last what each was to have until now; null when nothing was computed for it yet
 * @param resolved what the group's patterns stand for
 */
record AssignmentInput(
        List<ConsumerMember> members,
        List<PartitionSet> last,
        Map<String, RegularExpressionValue> resolved,
        MetadataImage image,
        String assignor) {

    /** What each member shall have, in their order. Takes long for large groups. */
    List<PartitionSet> shares() {
        Topics topics = new Topics(resolved, image);
        List<Assignor.Member> view = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            ConsumerMember member = members.get(i);
            PartitionSet current = last.get(i) == null ? PartitionSet.EMPTY : last.get(i);
            view.add(new Assignor.Member(member.id(), member.instanceId(), topics.of(member), current));
        }
        return Assignor.named(assignor).assign(view, topics.partitionCounts);
    }

    /** The existing topics behind subscriptions; members with the same subscription get the same list. */
    static final class Topics {
        private record Subscription(List<String> names, String pattern) {}

        private final Map<String, RegularExpressionValue> resolved;
        private final MetadataImage image;
        private final Map<Subscription, List<Uuid>> lists = new LinkedHashMap<>();
        private final Map<Uuid, Integer> partitionCounts = new TreeMap<>();
        private Subscription last;
        private List<Uuid> lastIds;

        /** @param resolved what patterns stand for */
        Topics(Map<String, RegularExpressionValue> resolved, MetadataImage image) {
            this.resolved = resolved;
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
            RegularExpressionValue matched = resolved.get(subscription.pattern);
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
