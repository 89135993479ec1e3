package replication;

import common.Callback;
import common.Failure;
import common.Mutations;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import records.BatchBuilder;
import records.BatchHeader;
import records.BatchSummary;
import records.BatchValidator;
import records.Codec;
import replication.ReplicaShard.Marker;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produced;
import sim.SimHost;
import storage.DiskExecutor;
import storage.LogContext;
import storage.LogDirectory;
import storage.LogHost;
import storage.LogIdentity;
import storage.LogLimits;
import storage.LogStart;
import storage.PartitionLog;
import storage.ReadBound;
import storage.ReadResult;

/** One partition with its leader machine on a simulated disk: takes transactional batches and markers, survives restarts, shows its log. */
final class TransactionLab implements LogHost {
    static final short V1 = 11;
    static final short V2 = 12;

    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";
    private static final LogIdentity IDENTITY = new LogIdentity("orders", 3, "AAAAAAAAQAGAAAAAAAAAAQ");
    private static final int BOUND = 4_000;

    SimHost host;
    PartitionLog log;
    LeaderReplica leader;
    private final LogConfig config;
    private final Mutations mutations;
    private final TransactionVerifier verifier;
    private int epoch;

    TransactionLab(long seed, boolean durable, TransactionVerifier verifier, Mutations mutations) {
        this.host = new SimHost(seed);
        this.verifier = verifier;
        this.mutations = mutations;
        Map<String, String> settings = new LinkedHashMap<>();
        // Many segments, or a single one that never has an index entry.
        boolean many = seed % 2 == 0;
        settings.put("internal.segment.bytes", many ? "900" : "1000000");
        settings.put("index.interval.bytes", many ? "150" : "1000000");
        settings.put("segment.ms", many ? "604800000" : Long.toString(Long.MAX_VALUE));
        if (durable) {
            settings.put("flush.messages", "1");
        }
        this.config = LogConfig.of(new TreeMap<>(settings));
        open();
    }

    private void open() {
        host.mutations(mutations);
        LogDirectory.OpenRequest request =
                new LogDirectory.OpenRequest(1, null, CLUSTER, "AAAAAAAAQAGAAAAAAAAAAg", mutations);
        LogDirectory.Opened opened =
                host.await(done -> host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.open(request), done));
        LogStart start = LogStart.NEW;
        for (LogDirectory.FoundPartition each : opened.partitions()) {
            if (each.identity().equals(IDENTITY)) {
                start = each.start();
            }
        }
        LogStart found = start;
        LogContext context = new LogContext(host.ports(), host.executor(), this, LogLimits.DEFAULT);
        log = host.await(done -> context.open(IDENTITY, config, found, done));
        TransactionGate gate = new TransactionGate(
                log, verifier, new TopicPartition("orders", 3), host.ports().mutations(), BOUND);
        Admission admission = new Admission(
                host.executor(),
                host.clock(),
                new Admission.Validators(new BatchValidator(), new BatchValidator()),
                1 << 20);
        leader = new LeaderReplica(log, admission, gate, 1);
        host.<Void>await(done -> leader.lead(++epoch, done));
    }

    @Override
    public void directoryOffline(Failure why) {
        throw new AssertionError(why.message());
    }

    @Override
    public void persistLogStart(PartitionLog asking, long newStart, Callback<Void> persisted) {
        persisted.succeed(null);
    }

    void kill() {
        host = host.kill();
        open();
    }

    void powerCut() {
        host = host.powerCut();
        open();
    }

    /** close, checkpoints, mark; then the next process. */
    void cleanRestart() {
        host.<Void>await(done -> log.close(done));
        LogDirectory.Checkpoint line = new LogDirectory.Checkpoint(
                IDENTITY.topic(),
                IDENTITY.partition(),
                log.recoveryPoint(),
                log.logStartOffset(),
                log.highWatermark(),
                log.cleanedTo());
        host.<Void>await(done ->
                host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.writeCheckpoints(List.of(line)), done));
        host.<Void>await(done -> host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.markClean(-1), done));
        kill();
    }

    static ByteBuffer batch(long producerId, int epoch, int sequence, boolean transactional, String... values) {
        BatchBuilder builder = new BatchBuilder(
                Codec.NONE, 0, 0, new BatchBuilder.Producer(producerId, (short) epoch, sequence, transactional));
        for (String each : values) {
            builder.add(
                    1_000, null, ByteBuffer.wrap(each.getBytes(java.nio.charset.StandardCharsets.UTF_8)), List.of());
        }
        return builder.build();
    }

    void produce(ByteBuffer batch, short version, Callback<Outcome<Produced>> done) {
        leader.produce(batch, new ReplicaShard.Produce(List.of(), "t", (short) -1, 30_000, version, null), done);
    }

    void mark(
            long producerId,
            int epoch,
            boolean commit,
            int coordinatorEpoch,
            int version,
            Callback<Outcome<Void>> done) {
        leader.writeMarker(
                new Marker(null, producerId, (short) epoch, commit, coordinatorEpoch, (short) version),
                host.clock().wallMillis(),
                done);
    }

    /** Everything up to a bound, as a consumer gets it: values, without those of aborted transactions when only committed ones are wanted. */
    List<String> values(ReadBound bound) {
        List<String> values = new ArrayList<>();
        long next = log.logStartOffset();
        while (true) {
            long from = next;
            ReadResult result = host.await(done -> log.read(from, 1 << 20, true, bound, done));
            if (result.range() == null) {
                return values;
            }
            ByteBuffer all = bytes(result);
            Set<Long> aborted = new TreeSet<>();
            ArrayDeque<ReadResult.AbortedTransaction> left = new ArrayDeque<>();
            if (result.aborted() != null) {
                result.aborted().stream()
                        .sorted(Comparator.comparingLong(ReadResult.AbortedTransaction::firstOffset))
                        .forEach(left::add);
            }
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                BatchSummary batch = BatchSummary.of(all, at);
                while (!left.isEmpty() && left.peek().firstOffset() <= batch.lastOffset()) {
                    aborted.add(left.poll().producerId());
                }
                if (batch.control()) {
                    aborted.remove(batch.producerId());
                } else if (!batch.transactional() || !aborted.contains(batch.producerId())) {
                    values(all.slice(at, batch.sizeInBytes()), values);
                }
                next = batch.nextOffset();
            }
        }
    }

    /** All batches, markers too. */
    List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        long next = log.logStartOffset();
        while (next < log.logEndOffset()) {
            long from = next;
            ReadResult result = host.await(done -> log.read(from, 1 << 20, true, ReadBound.LOG_END, done));
            ByteBuffer all = bytes(result);
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                BatchSummary batch = BatchSummary.of(all, at);
                List<String> values = new ArrayList<>();
                if (!batch.control()) {
                    values(all.slice(at, batch.sizeInBytes()), values);
                }
                entries.add(new Entry(batch, values));
                next = batch.nextOffset();
            }
        }
        return entries;
    }

    record Entry(BatchSummary batch, List<String> values) {}

    private static ByteBuffer bytes(ReadResult result) {
        ByteBuffer all = ByteBuffer.allocate(result.range().length());
        try {
            while (all.hasRemaining()) {
                result.range().file().read(all, result.range().position() + all.position());
            }
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
        result.range().release();
        return all.flip();
    }

    private static void values(ByteBuffer batch, List<String> values) {
        new records.BatchReader().read(batch, (records.LogRecord each) -> {
            values.add(java.nio.charset.StandardCharsets.UTF_8
                    .decode(each.value().duplicate())
                    .toString());
            return true;
        });
    }
}
