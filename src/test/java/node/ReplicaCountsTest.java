package node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Metrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import metadata.DirectoryId;
import metadata.MetadataImage.Eligible;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import org.junit.jupiter.api.Test;
import sim.SimHost;
import sim.SimRandom;

/** What Kafka's ReplicaManager would say of a node's partitions, as they change. */
class ReplicaCountsTest {
    private static final int SELF = 1;
    private static final String PREFIX = "kafka_server_replicamanager_";

    private final Map<String, DoubleSupplier> gauges = new TreeMap<>();
    private final ReplicaCounts counts = new ReplicaCounts(SELF);

    ReplicaCountsTest() {
        Metrics real = new SimHost(1).ports().metrics();
        Metrics kept = new Metrics() {
            @Override
            public Counter counter(String name, String help, String... tags) {
                return real.counter(name, help, tags);
            }

            @Override
            public void gauge(String name, String help, DoubleSupplier value, String... tags) {
                gauges.put(name, value);
            }

            @Override
            public Histogram histogram(String name, String help, String... tags) {
                return real.histogram(name, help, tags);
            }
        };
        ReplicaCounts.report(kept, List.of(counts));
    }

    private static PartitionImage partition(int leader, List<Integer> isr, Reassignment moves) {
        return new PartitionImage(
                0,
                leader,
                3,
                4,
                List.of(1, 2, 3),
                isr,
                Eligible.ISR_ONLY,
                moves,
                List.of(DirectoryId.UNASSIGNED, DirectoryId.UNASSIGNED, DirectoryId.UNASSIGNED));
    }

    private void are(String name, int expected) {
        assertEquals(expected, (int) gauges.get(PREFIX + name).getAsDouble(), name);
    }

    @Test
    void aLeaderCountsWhoIsMissing() {
        counts.count(partition(SELF, List.of(1, 2, 3), Reassignment.NONE), 2, 1);
        counts.count(partition(SELF, List.of(1, 2), Reassignment.NONE), 2, 1);
        counts.count(partition(SELF, List.of(1), Reassignment.NONE), 2, 1);
        counts.count(partition(SELF, List.of(1, 2), new Reassignment(List.of(3), List.of())), 5, 1);
        counts.count(partition(2, List.of(2), Reassignment.NONE), 2, 1);
        counts.offline(7);
        are("partitioncount", 5);
        are("leadercount", 4);
        are("underreplicatedpartitions", 3);
        are("underminisrpartitioncount", 2);
        are("atminisrpartitioncount", 1);
        are("reassigningpartitions", 1);
        are("offlinereplicacount", 7);
        counts.forget();
        are("leadercount", 0);
        are("offlinereplicacount", 7);
    }

    /** Each change takes back what was counted before: after all are gone there is nothing. */
    @Test
    void whatGoesLeavesNothing() {
        SimRandom random = new SimRandom(5);
        List<PartitionImage> there = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            PartitionImage next = partition(
                    1 + random.below(3),
                    List.of(1, 2, 3).subList(0, 1 + random.below(3)),
                    random.chance(0.5) ? Reassignment.NONE : new Reassignment(List.of(2), List.of(3)));
            if (there.size() > 5) {
                counts.count(there.remove(random.below(there.size())), 2, -1);
            }
            counts.count(next, 2, 1);
            there.add(next);
        }
        are("partitioncount", there.size());
        there.forEach(each -> counts.count(each, 2, -1));
        gauges.forEach((name, value) -> assertEquals(0, (int) value.getAsDouble(), name));
    }
}
