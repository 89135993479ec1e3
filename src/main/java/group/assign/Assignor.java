package group.assign;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/** Shares out partitions among the members of a group, once and completely. A pure function; its answer depends on nothing but its input. */
@FunctionalInterface
public interface Assignor {

    /** The assignor that clients and settings call {@code name}; null when there is none. */
    static Assignor named(String name) {
        return switch (name) {
            case "uniform" -> new UniformAssignor();
            case "range" -> new RangeAssignor();
            default -> null;
        };
    }

    /**
     * What each member shall have, in the order of the members: each partition of a subscribed topic goes to exactly one of its subscribers.
     *
     * @param members any number, in an order that stays the same while they do
     * @param partitionCounts of each topic that a member subscribes to
     */
    List<PartitionSet> assign(List<Member> members, Map<Uuid, Integer> partitionCounts);

    /**
     * @param instanceId of a static member; else null
     * @param topics that it subscribes to and that exist, each once, in the order of ids. Members with the same subscription may share one list: then it is
     *     cheap to see that they do
     * @param current what it was to have until now; may hold topics and partitions that are gone
     */
    record Member(String id, String instanceId, List<Uuid> topics, PartitionSet current) {}
}
