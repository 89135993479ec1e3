package sim;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;

/** What members of a classic group say to each other, in the consumers' own format; each assignment names the proposal that it is part of. */
final class SimAssignments {
    private SimAssignments() {}

    static byte[] subscription(List<String> topics) {
        return GenerationJudge.bytes(ConsumerProtocol.serializeSubscription(new Subscription(topics)));
    }

    /**
     * Deals the partitions out in turn, beginning at a random member.
     *
     * @param proposal null: what it is part of is not in an assignment
     */
    static Map<String, byte[]> deal(
            String proposal, List<String> places, List<PartitionLedger> partitions, SimRandom random) {
        Map<String, List<TopicPartition>> dealt = new LinkedHashMap<>();
        places.forEach(place -> dealt.put(place, new ArrayList<>()));
        int next = random.below(places.size());
        for (PartitionLedger each : partitions) {
            dealt.get(places.get(next++ % places.size())).add(new TopicPartition(each.topic, each.partition));
        }
        ByteBuffer name = ByteBuffer.wrap(proposal == null ? new byte[0] : proposal.getBytes(StandardCharsets.UTF_8));
        Map<String, byte[]> assignments = new LinkedHashMap<>();
        dealt.forEach((place, some) -> assignments.put(
                place,
                GenerationJudge.bytes(ConsumerProtocol.serializeAssignment(new Assignment(some, name.duplicate())))));
        return assignments;
    }

    static String proposal(byte[] assignment) {
        ByteBuffer name = ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(assignment))
                .userData();
        return StandardCharsets.UTF_8.decode(name.duplicate()).toString();
    }

    static List<String> partitions(byte[] assignment) {
        return ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(assignment)).partitions().stream()
                .map(TopicPartition::toString)
                .sorted()
                .toList();
    }
}
