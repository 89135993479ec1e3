package compat;

import java.util.List;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.protocol.ApiKeys;

/** What is asked about who leads partitions and where they lie, of one broker: nothing can change, and each way to ask has its answer. */
final class PlacementQuestions {
    private static final byte PREFERRED = 0;
    private static final byte UNCLEAN = 1;
    private static final int TIMEOUT_MILLIS = 120_000;

    private PlacementQuestions() {}

    static void ask(Conversation talk) {
        talk.askLatest(
                "create a topic to elect for",
                ApiKeys.CREATE_TOPICS,
                AdminQuestions.topics(AdminQuestions.topic("placed", 2, 1)));
        elections(talk);
        reassignments(talk);
    }

    private static void elections(Conversation talk) {
        for (byte type : new byte[] {PREFERRED, UNCLEAN, 7}) {
            elect(talk, "election of some, " + type, type, topic("placed", 0, 1), topic("nobody", 0));
            elect(talk, "election of missing ones, " + type, type, topic("placed", 2, -1, 0));
            elect(talk, "election of one twice, " + type, type, topic("placed", 0, 0));
            elect(talk, "election of none, " + type, type);
            elect(talk, "election of no partitions, " + type, type, topic("placed"), topic("nobody"));
            talk.ask(
                    "election of all, " + type,
                    ApiKeys.ELECT_LEADERS,
                    (v, s) -> election(type, v).setTopicPartitions(null));
        }
    }

    private static void elect(Conversation talk, String label, byte type, TopicPartitions... topics) {
        talk.ask(label, ApiKeys.ELECT_LEADERS, (v, s) -> {
            ElectLeadersRequestData request = election(type, v);
            for (TopicPartitions each : topics) {
                request.topicPartitions().add(each.duplicate());
            }
            return request;
        });
    }

    private static ElectLeadersRequestData election(byte type, short version) {
        return new ElectLeadersRequestData()
                .setElectionType(version == 0 ? 0 : type)
                .setTimeoutMs(TIMEOUT_MILLIS);
    }

    private static TopicPartitions topic(String name, Integer... partitions) {
        return new TopicPartitions().setTopic(name).setPartitions(List.of(partitions));
    }

    private static void reassignments(Conversation talk) {
        reassign(talk, "to where it is", "placed", 0, List.of(1));
        reassign(talk, "to nobody", "placed", 0, List.of());
        reassign(talk, "to an unknown broker", "placed", 0, List.of(9));
        reassign(talk, "twice to one", "placed", 0, List.of(1, 1));
        reassign(talk, "to both", "placed", 0, List.of(1, 9));
        reassign(talk, "back", "placed", 0, null);
        reassign(talk, "of a missing partition", "placed", 2, List.of(1));
        reassign(talk, "of a negative partition", "placed", -1, null);
        reassign(talk, "of an unknown topic", "nobody", 0, List.of(1));
        ApiKeys key = ApiKeys.ALTER_PARTITION_REASSIGNMENTS;
        talk.ask("reassign nothing", key, (v, s) -> reassignment());
        talk.ask("reassign no partition", key, (v, s) -> reassignment(new ReassignableTopic().setName("placed")));
        talk.ask("reassign several", key, (v, s) -> {
            ReassignableTopic topic = new ReassignableTopic().setName("placed");
            topic.partitions().add(partition(0, List.of(1)));
            topic.partitions().add(partition(1, null));
            topic.partitions().add(partition(1, List.of(2)));
            return reassignment(topic);
        });
    }

    private static void reassign(Conversation talk, String label, String name, int partition, List<Integer> replicas) {
        for (boolean otherFactor : new boolean[] {true, false}) {
            talk.ask("reassign " + label + ", " + otherFactor, ApiKeys.ALTER_PARTITION_REASSIGNMENTS, (v, s) -> {
                ReassignableTopic topic = new ReassignableTopic().setName(name);
                topic.partitions().add(partition(partition, replicas));
                return reassignment(topic).setAllowReplicationFactorChange(v == 0 || otherFactor);
            });
        }
    }

    private static ReassignablePartition partition(int partition, List<Integer> replicas) {
        return new ReassignablePartition().setPartitionIndex(partition).setReplicas(replicas);
    }

    private static AlterPartitionReassignmentsRequestData reassignment(ReassignableTopic... topics) {
        return new AlterPartitionReassignmentsRequestData()
                .setTimeoutMs(TIMEOUT_MILLIS)
                .setTopics(List.of(topics));
    }
}
