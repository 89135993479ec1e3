package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;

/**
 * What must hold between the nodes of a cluster, whatever each of them says: judged by what clients are told (leaders of partitions) and by the files on the
 * machines' disks (leaders of the quorum, copies of records).
 */
final class SimClusterJudge {
    static final String METADATA = "__cluster_metadata-0";
    private static final long LOOK = 50 * SimScheduler.MILLI;
    /** Each copy of a record that was acked is looked for in one of so many cases. */
    private static final int SAMPLE = 3;

    private final SimWorld world;
    private final Map<Integer, Integer> controllers = new TreeMap<>();
    private final Map<String, Leadership> leaders = new LinkedHashMap<>();
    private int acks;

    /** Of a partition, by leader epoch who leads; and the largest known ISR of the newest epoch. */
    private static final class Leadership {
        private final TreeMap<Integer, Integer> byEpoch = new TreeMap<>();
        private int inSync;
    }

    SimClusterJudge(SimWorld world) {
        this.world = world;
    }

    /** Looks at the quorum's logs from now on. */
    void begin() {
        world.scheduler().after(LOOK, null, "judge-looks", () -> {
            world.machines().forEach(this::controllers);
            begin();
        });
    }

    /** Rule R2: of each epoch there is one leader, who writes so as its first record. */
    private void controllers(SimMachine machine) {
        for (SimDiskLog.Batch each : SimDiskLog.read(machine.disks(), METADATA, false)) {
            if (each.leader() >= 0) {
                Integer before = controllers.put(each.epoch(), each.leader());
                if (before == null) {
                    world.count("controller.elections");
                } else if (before != each.leader()) {
                    throw new RuleBroken(
                            "R2 one leader per epoch",
                            machine.name() + " has leader " + each.leader() + " of epoch " + each.epoch()
                                    + " in its metadata log, another node has " + before);
                }
            }
        }
    }

    /** A node has said who leads. */
    void told(MetadataResponseData answer) {
        for (MetadataResponseTopic topic : answer.topics()) {
            for (MetadataResponsePartition each : topic.partitions()) {
                if (each.leaderId() >= 0) {
                    told(topic.name() + "-" + each.partitionIndex() + " " + topic.topicId(), each);
                }
            }
        }
    }

    private void told(String partition, MetadataResponsePartition said) {
        Leadership known = leaders.computeIfAbsent(partition, none -> new Leadership());
        boolean newer = known.byEpoch.isEmpty() || known.byEpoch.lastKey() < said.leaderEpoch();
        Integer before = known.byEpoch.put(said.leaderEpoch(), said.leaderId());
        if (before != null && before != said.leaderId()) {
            throw new RuleBroken(
                    "C4 one leader per epoch",
                    partition + " epoch " + said.leaderEpoch() + ": " + before + ", then " + said.leaderId());
        }
        if (newer && known.byEpoch.size() > 1) {
            world.count("leader.changes");
        }
        if (newer || known.byEpoch.lastKey() == said.leaderEpoch()) {
            if (said.isrNodes().size() < known.inSync) {
                world.count("isr.shrinks");
            } else if (said.isrNodes().size() > known.inSync) {
                world.count("isr.expands");
            }
            known.inSync = said.isrNodes().size();
        }
    }

    /** Rules I6, I7, R8: so many nodes have what was answered to a producer that wants all in-sync replicas to have it. */
    void acked(PartitionLedger ledger, long offset, boolean lossless) {
        if (acks++ % SAMPLE != 0 || ledger.trimmed || !(ledger.durable || lossless)) {
            return;
        }
        List<String> have = new ArrayList<>();
        for (SimMachine each : world.machines()) {
            if (SimDiskLog.read(each.disks(), ledger.name(), ledger.durable).stream()
                    .anyMatch(batch -> batch.base() <= offset && offset <= batch.last())) {
                have.add(each.name());
            }
        }
        if (have.size() < world.profile().minInSync()) {
            throw new RuleBroken(
                    ledger.durable ? "I7 acked is durable on enough nodes" : "I6 acked is on enough nodes",
                    ledger.name() + "@" + offset + " was acked, only " + have + " have it");
        }
        world.count("judged.acks");
    }

    /**
     * Rules I10 and R11, once all is quiet: the same batches at the same offsets on all nodes that run.
     *
     * @param partitions names of directories
     */
    void agree(List<String> partitions) {
        for (String partition : partitions) {
            SimMachine first = null;
            TreeMap<Long, SimDiskLog.Batch> expected = new TreeMap<>();
            for (SimMachine each : world.machines()) {
                TreeMap<Long, SimDiskLog.Batch> found = new TreeMap<>();
                if (each.node().serving()) {
                    SimDiskLog.read(each.disks(), partition, false).forEach(batch -> found.put(batch.base(), batch));
                }
                if (found.isEmpty()) {
                    continue;
                }
                if (first != null) {
                    agree(partition, first.name(), expected, each.name(), found);
                }
                first = each;
                expected = found;
            }
        }
    }

    private void agree(
            String partition,
            String one,
            TreeMap<Long, SimDiskLog.Batch> ones,
            String other,
            TreeMap<Long, SimDiskLog.Batch> others) {
        long from = Math.max(ones.firstKey(), others.firstKey());
        long to = Math.min(
                ones.lastEntry().getValue().last(),
                others.lastEntry().getValue().last());
        Map<Long, SimDiskLog.Batch> left = ones.subMap(Math.min(from, to), true, to, true);
        Map<Long, SimDiskLog.Batch> right = others.subMap(Math.min(from, to), true, to, true);
        if (!left.equals(right)) {
            for (SimDiskLog.Batch each : left.values()) {
                if (!each.equals(right.get(each.base()))) {
                    throw new RuleBroken(
                            "I10 committed prefixes agree",
                            partition + ": " + one + " has " + each + ", " + other + " has " + right.get(each.base()));
                }
            }
            throw new RuleBroken("I10 committed prefixes agree", partition + ": " + other + " has more than " + one);
        }
        world.count("judged.copies");
    }
}
