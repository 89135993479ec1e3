package replication;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mutations;
import config.BrokerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import records.BatchValidator;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produced;
import sim.SimHost;
import storage.DiskExecutor.Lane;
import storage.LogContext;
import storage.LogDirectory;
import storage.LogHost;
import storage.LogIdentity;
import storage.LogLimits;
import storage.LogStart;
import storage.PartitionLog;
import storage.ReadResult;

/** Partitions that node 1 leads and node 2 follows, both in sync, on real logs of one process. */
public final class LedLogs implements LogHost {
    public static final long FOLLOWERS_EPOCH = 12;
    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";

    private static final Failure OVER = Failure.of(FailureCode.NOT_LEADER, "its time is over");

    /** Partitions whose ISR was to be changed. */
    public final List<String> proposals = new ArrayList<>();
    /** Of node 2, as the metadata has it. */
    public long followersEpoch = FOLLOWERS_EPOCH;

    private final SimHost host;
    private final List<PartitionLog> logs = new ArrayList<>();
    private final List<LeaderReplica> leaders = new ArrayList<>();

    public LedLogs(SimHost host, int count) {
        this.host = host;
        host.<LogDirectory.Opened>await(done -> host.executor()
                .run(
                        Lane.BLOCKING,
                        LogDirectory.open(new LogDirectory.OpenRequest(
                                1, null, CLUSTER, "AAAAAAAAQAGAAAAAAAAAAg", Mutations.NONE)),
                        done));
        LogContext context = new LogContext(host.ports(), host.executor(), this, LogLimits.DEFAULT);
        for (int i = 0; i < count; i++) {
            LogIdentity identity = new LogIdentity("orders", i, "AAAAAAAAQAGAAAAAAAAAAQ");
            logs.add(host.await(done ->
                    context.open(identity, BrokerConfig.parse(Map.of()).config().logDefaults(), LogStart.NEW, done)));
            leaders.add(null);
            lead(i, 1);
        }
    }

    /** A new leader of the partition; the former one ends. */
    public void lead(int partition, int epoch) {
        if (leaders.get(partition) != null) {
            leaders.get(partition).resign(OVER);
        }
        PartitionLog log = logs.get(partition);
        TransactionGate gate = new TransactionGate(
                log, TransactionVerifier.NONE, new TopicPartition("orders", partition), Mutations.NONE, 1 << 20);
        Admission admission = new Admission(
                host.executor(),
                host.clock(),
                new Admission.Validators(new BatchValidator(), new BatchValidator()),
                1 << 20);
        LeaderReplica leader = new LeaderReplica(log, admission, gate, 1);
        leader.lead(new IsrState(epoch, epoch, List.of(1, 2), List.of(1, 2), 1, false), setup(), (none, failure) -> {});
        leaders.set(partition, leader);
    }

    private LeaderSetup setup() {
        return new LeaderSetup(
                1,
                id -> id == 2 ? followersEpoch : 10L + id,
                (of, proposal, outcome) -> {
                    proposals.add(of.directory());
                    outcome.refused(IsrProposal.Refusal.UNKNOWN);
                },
                host.clock(),
                host.ports().timers(),
                5_000_000_000L,
                Mutations.NONE);
    }

    /** The follower has left the ISR. */
    public void withoutFollower(int partition) {
        leaders.get(partition)
                .lead(new IsrState(1, 2, List.of(1, 2), List.of(1), 1, false), setup(), (none, failure) -> {});
    }

    /** Nobody leads it here any more. */
    public void resign(int partition) {
        leaders.get(partition).resign(OVER);
        leaders.set(partition, null);
    }

    /** Null when it is not led here. */
    public LeaderReplica leader(int partition) {
        return leaders.get(partition);
    }

    public PartitionLog log(int partition) {
        return logs.get(partition);
    }

    /** @param done when the leader has it */
    public void append(int partition, ByteBuffer batch, Callback<Outcome<Produced>> done) {
        leaders.get(partition)
                .produce(batch, new ReplicaShard.Produce(List.of(), null, (short) 1, 1_500, (short) 12, null), done);
    }

    /** What was read; gives the file back. */
    public static ByteBuffer bytes(ReadResult result) {
        if (result == null || result.range() == null) {
            return ByteBuffer.allocate(0);
        }
        ByteBuffer all = ByteBuffer.allocate(result.range().length());
        try {
            result.range().file().read(all, result.range().position());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        result.range().release();
        return all.flip();
    }

    @Override
    public void directoryOffline(Failure why) {
        throw new AssertionError(why.message());
    }

    @Override
    public void persistLogStart(PartitionLog log, long newStart, Callback<Void> persisted) {
        persisted.succeed(null);
    }
}
