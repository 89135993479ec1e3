package sim;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What happened in the runs of a swarm, summed up; what never happened was never tested. */
final class SimCounters {
    /** Of these something must happen in a swarm of a hundred runs or more. */
    static final List<String> NEEDED = List.of(
            "node.powercuts",
            "node.powercuts-in-job",
            "node.kills",
            "node.kills-in-job",
            "node.clean-stops",
            "disk.failed-WRITE",
            "disk.failed-SYNC",
            "disk.was-full",
            "disk.broken-directories",
            "ghosts",
            "network.cuts",
            "run.PACKET_LOSS",
            "run.LONG_LATENCY",
            "run.CLOCK_JUMP",
            "run.CONNECTION_KILL",
            "run.SLOW_DISK",
            "run.disks",
            "run.preallocated",
            "run.scrubBytes",
            "run.trimmedTopics",
            "run.buggify",
            "compacted.passes",
            "compacted.cleaned-passes",
            "compacted.tombstones-gone",
            "consumer.passes",
            "consumer.records",
            "member.freezes",
            "member.zombie-commits",
            "heartbeat.REBALANCE_IN_PROGRESS",
            "beat.UNKNOWN_MEMBER_ID",
            "commit.STALE_MEMBER_EPOCH",
            "commit.unknown",
            "group-delete.NONE",
            "txn.zombies",
            "txn.fenced",
            "txn.long",
            "txn.commits",
            "txn.aborts",
            "txn.copied",
            "txn.given-up",
            "txn.aborted-records",
            "txn.committed-passes",
            "txn.late-markers",
            "txn-beat.NONE",
            "run.SLOW_BUS",
            "join.by-coordinator",
            "join.by-leader",
            "PRODUCE.CONCURRENT_TRANSACTIONS",
            "ADD_PARTITIONS_TO_TXN.NONE",
            "TXN_OFFSET_COMMIT.NONE",
            "txn-offsets.UNSTABLE_OFFSET_COMMIT");

    /** The same for a swarm of clusters. */
    static final List<String> NEEDED_OF_CLUSTERS = List.of(
            "node.kills",
            "node.powercuts",
            "node.pauses",
            "network.cuts",
            "controller.elections",
            "leader.changes",
            "isr.shrinks",
            "isr.expands",
            "judged.acks",
            "judged.copies",
            "txn.commits");

    private final List<String> needed;
    private final TreeMap<String, Long> totals = new TreeMap<>();
    private long runs;
    private long virtualMillis;
    private long events;

    SimCounters() {
        this(NEEDED);
    }

    /** @param needed of these something must happen */
    SimCounters(List<String> needed) {
        this.needed = needed;
    }

    void add(SimRun.Report report) {
        runs++;
        virtualMillis += report.virtualMillis();
        events += report.events();
        report.counts().forEach((name, count) -> totals.merge(name, (long) count, Long::sum));
    }

    long runs() {
        return runs;
    }

    Map<String, Long> totals() {
        return totals;
    }

    /** Those that are needed of which nothing happened. */
    List<String> missing() {
        return needed.stream().filter(each -> !totals.containsKey(each)).toList();
    }

    /** Sums and means of a run, one counter a line; then what is missing. */
    @Override
    public String toString() {
        double all = Math.max(1, runs);
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                "%.0f virtual s (%.1f a run), %d events (%.0f a run)%n",
                virtualMillis / 1e3, virtualMillis / 1e3 / all, events, events / all));
        totals.forEach(
                (name, count) -> text.append(String.format("  %-45s %10d %10.2f a run%n", name, count, count / all)));
        text.append("of these nothing happened: ").append(missing()).append(System.lineSeparator());
        return text.toString();
    }
}
