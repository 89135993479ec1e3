package node;

import common.Metrics;
import java.util.List;
import java.util.function.ToIntFunction;
import metadata.MetadataImage.PartitionImage;

/**
 * How the partitions of one shard are, by the metadata: what Apache Kafka's ReplicaManager reports. Kept up to date with each change, so that nobody need look at
 * thousands of partitions. Confined to the shard; the gauges read slightly old numbers from the scraping thread.
 */
final class ReplicaCounts {
    private final int nodeId;
    private int partitions;
    private int leaders;
    private int underReplicated;
    private int underMinIsr;
    private int atMinIsr;
    private int reassigning;
    private int offline;

    ReplicaCounts(int nodeId) {
        this.nodeId = nodeId;
    }

    /** Gauges over all shards of a node, under Kafka's names. */
    static void report(Metrics metrics, List<ReplicaCounts> all) {
        gauge(metrics, all, "partitioncount", "Partitions with a replica on this broker", each -> each.partitions);
        gauge(metrics, all, "leadercount", "Partitions that this broker leads", each -> each.leaders);
        gauge(
                metrics,
                all,
                "underreplicatedpartitions",
                "Partitions led here of which some replica is not in sync",
                each -> each.underReplicated);
        gauge(
                metrics,
                all,
                "underminisrpartitioncount",
                "Partitions led here with fewer in-sync replicas than min.insync.replicas: they refuse acks=all",
                each -> each.underMinIsr);
        gauge(
                metrics,
                all,
                "atminisrpartitioncount",
                "Partitions led here with just as many in-sync replicas as min.insync.replicas",
                each -> each.atMinIsr);
        gauge(
                metrics,
                all,
                "reassigningpartitions",
                "Partitions led here that move to other brokers",
                each -> each.reassigning);
        gauge(
                metrics,
                all,
                "offlinereplicacount",
                "Replicas of this broker in log directories that do not work",
                each -> each.offline);
    }

    private static void gauge(
            Metrics metrics, List<ReplicaCounts> all, String name, String help, ToIntFunction<ReplicaCounts> count) {
        List<ReplicaCounts> each = List.copyOf(all);
        metrics.gauge(
                "kafka_server_replicamanager_" + name,
                help,
                () -> each.stream().mapToInt(count).sum());
    }

    /** A partition with a replica here is there (times 1) or is there no more (times -1). */
    void count(PartitionImage partition, int minIsr, int times) {
        partitions += times;
        if (partition.leader() != nodeId) {
            return;
        }
        int inSync = partition.isr().size();
        int replicas = partition.replicas().size();
        int enough = Math.min(minIsr, replicas);
        leaders += times;
        underReplicated += inSync < replicas ? times : 0;
        underMinIsr += inSync < enough ? times : 0;
        atMinIsr += inSync == enough ? times : 0;
        boolean moves = !partition.reassignment().adding().isEmpty()
                || !partition.reassignment().removing().isEmpty();
        reassigning += moves ? times : 0;
    }

    /** Everything but what is offline is counted anew from here. */
    void forget() {
        partitions = 0;
        leaders = 0;
        underReplicated = 0;
        underMinIsr = 0;
        atMinIsr = 0;
        reassigning = 0;
    }

    /** So many replicas lie in directories that do not work. */
    void offline(int replicas) {
        offline = replicas;
    }
}
