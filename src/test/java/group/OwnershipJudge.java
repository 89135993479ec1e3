package group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import records.schemas.ConsumerGroupRecord.CurrentMemberAssignment;
import records.schemas.ConsumerGroupRecord.CurrentPartitions;
import records.schemas.ConsumerGroupRecord.MemberMetadata;
import records.schemas.ConsumerGroupRecord.Metadata;
import records.schemas.GroupRecord;

/** Reads the log of one group by itself and knows who has which partition, since when: rule G5, and that epochs rise. */
final class OwnershipJudge {
    private final Map<String, Map<String, Integer>> partitions = new TreeMap<>();
    private final Map<String, Integer> memberEpochs = new TreeMap<>();
    private int groupEpoch;
    private int read;
    private GroupRecord last;

    /** Goes on where it stopped; from the beginning when the log lost its end. */
    void read(List<GroupRecord> log) {
        if (log.size() < read || (read > 0 && log.get(read - 1) != last)) {
            partitions.clear();
            memberEpochs.clear();
            groupEpoch = 0;
            read = 0;
        }
        for (GroupRecord record : log.subList(read, log.size())) {
            if (record instanceof CurrentMemberAssignment it) {
                take(it);
            } else if (record instanceof MemberMetadata it && it.value() == null) {
                memberEpochs.remove(it.memberId());
            } else if (record instanceof Metadata it && it.value() == null) {
                groupEpoch = 0;
            } else if (record instanceof Metadata it) {
                assertTrue(it.value().epoch() > groupEpoch, "the group's epoch does not rise: " + it);
                groupEpoch = it.value().epoch();
            }
        }
        read = log.size();
        last = read == 0 ? null : log.get(read - 1);
    }

    private void take(CurrentMemberAssignment record) {
        if (record.value() == null) {
            partitions.remove(record.memberId());
            memberEpochs.remove(record.memberId());
            return;
        }
        int epoch = record.value().memberEpoch();
        Integer before = memberEpochs.put(record.memberId(), epoch);
        assertTrue(
                before == null || epoch >= before || epoch == ConsumerMember.LEFT_FOR_NOW,
                "a member's epoch falls: " + record);
        Map<String, Integer> had = partitions.getOrDefault(record.memberId(), Map.of());
        Map<String, Integer> has = new LinkedHashMap<>();
        note(record.value().assignedPartitions(), had, epoch, has);
        note(record.value().partitionsPendingRevocation(), had, epoch, has);
        partitions.put(record.memberId(), has);
        for (String partition : has.keySet()) {
            partitions.forEach((member, others) -> assertTrue(
                    member.equals(record.memberId()) || !others.containsKey(partition),
                    () -> "G5: " + partition + " of " + member + " also went to " + record));
        }
    }

    private static void note(
            List<CurrentPartitions> some, Map<String, Integer> had, int epoch, Map<String, Integer> has) {
        for (CurrentPartitions topic : some) {
            for (int partition : topic.partitions()) {
                String name = name(topic.topicId(), partition);
                has.put(name, had.getOrDefault(name, epoch));
            }
        }
    }

    private static String name(Uuid topic, int partition) {
        return topic + "-" + partition;
    }

    boolean has(String member, Uuid topic, int partition) {
        return partitions.getOrDefault(member, Map.of()).containsKey(name(topic, partition));
    }

    /** Rule G7: nobody else got it since the epoch that is claimed. */
    void judgeCommit(String member, int claimed, Uuid topic, int partition) {
        String name = name(topic, partition);
        partitions.forEach((owner, has) -> assertTrue(
                owner.equals(member) || has.getOrDefault(name, -1) <= claimed,
                () -> "G7: " + member + " at " + claimed + " committed " + name + ", which went to " + owner));
        Integer own = partitions.getOrDefault(member, Map.of()).get(name);
        assertTrue(
                own == null || claimed >= own || memberEpochs.get(member) == claimed,
                () -> "G7: " + member + " at " + claimed + " committed " + name + ", which it got at " + own);
    }
}
