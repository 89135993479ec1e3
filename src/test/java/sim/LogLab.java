package sim;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mutations;
import config.LogConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import storage.AppendResult;
import storage.DiskExecutor.Lane;
import storage.FileRange;
import storage.LogContext;
import storage.LogDirectory;
import storage.LogDirectory.Checkpoint;
import storage.LogDirectory.FoundPartition;
import storage.LogDirectory.Opened;
import storage.LogHost;
import storage.LogIdentity;
import storage.LogLimits;
import storage.LogStart;
import storage.PartitionLog;
import storage.ReadBound;
import storage.ReadResult;

/**
 * One partition's log on a simulated disk, with what a node does around it: opens the directory, keeps checkpoints, marks it clean. Every operation is
 * entered in a {@link LogModel}, so that after a crash the two can be compared.
 */
final class LogLab implements LogHost {
    static final LogIdentity IDENTITY = new LogIdentity("a", 0, "AAAAAAAAQAGAAAAAAAAAAQ");
    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";
    private static final LogLimits LIMITS = new LogLimits(8, 1 << 20, 0, 1 << 20);

    final SimHost host;
    final LogModel model;
    private final LogConfig config;
    private final int padding;
    private final CompressionType compression;
    PartitionLog log;
    Opened opened;
    Failure offline;
    private long startToPersist;
    private int nextValue;

    LogLab(SimHost host, LogModel model, LogConfig config, int padding, CompressionType compression) {
        this.host = host;
        this.model = model;
        this.config = config;
        this.padding = padding;
        this.compression = compression;
    }

    /** The lab of the next process on the same disk. */
    LogLab on(SimHost next) {
        LogLab lab = new LogLab(next, model, config, padding, compression);
        lab.nextValue = nextValue + 1000;
        return lab;
    }

    void open(Mutations mutations) {
        LogDirectory.OpenRequest request =
                new LogDirectory.OpenRequest(1, null, CLUSTER, "AAAAAAAAQAGAAAAAAAAAAg", mutations);
        opened = host.await(done -> host.executor().run(Lane.BLOCKING, LogDirectory.open(request), done));
        if (opened.cleanStop() && !opened.formatted() && !model.cleanPossible) {
            throw new RuleBroken("S6 clean mark", "directory says clean after a crash");
        }
        model.cleanPossible = false;
        LogStart start = LogStart.NEW;
        for (FoundPartition each : opened.partitions()) {
            if (each.identity().directory().equals(IDENTITY.directory())) {
                start = each.start();
            }
        }
        LogStart known = start;
        startToPersist = known.logStartOffset();
        host.mutations(mutations);
        LogContext context = new LogContext(host.ports(), host.executor(), this, LIMITS);
        log = host.await(done -> context.open(IDENTITY, config, known, done));
    }

    /** Whether the directory had the partition when it was opened. */
    boolean found() {
        return opened.partitions().stream()
                .anyMatch(each -> each.identity().directory().equals(IDENTITY.directory()));
    }

    @Override
    public void directoryOffline(Failure why) {
        offline = why;
    }

    @Override
    public void persistLogStart(PartitionLog asking, long newStart, Callback<Void> persisted) {
        model.logStartWanted = Math.max(model.logStartWanted, newStart);
        startToPersist = Math.max(startToPersist, newStart);
        checkpoint(persisted);
    }

    void checkpoint(Callback<Void> done) {
        long start = Math.max(startToPersist, log.logStartOffset());
        long recoveryPoint =
                Math.min(log.recoveryPoint(), model.truncatingTo < 0 ? Long.MAX_VALUE : model.truncatingTo);
        Checkpoint line = new Checkpoint("a", 0, recoveryPoint, start, log.highWatermark());
        host.executor().run(Lane.BLOCKING, LogDirectory.writeCheckpoints(List.of(line)), done);
    }

    /** Queues a batch; its entry in the model is complete once {@code done} was called. */
    LogModel.Batch append(long producerId, int sequence, int records, int epoch, Callback<AppendResult> done) {
        LogModel.Batch batch = new LogModel.Batch();
        batch.values = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            batch.values.add("v" + nextValue++);
        }
        batch.timestamp = host.clock().wallMillis();
        batch.producerId = producerId;
        batch.producerEpoch = (short) (producerId < 0 ? -1 : 0);
        batch.sequence = producerId < 0 ? -1 : sequence;
        batch.records = records;
        batch.leaderEpoch = epoch;
        ByteBuffer bytes = SimBatches.batch(
                        batch.values,
                        padding,
                        batch.timestamp,
                        compression,
                        producerId,
                        batch.producerEpoch,
                        batch.sequence)
                .buffer();
        ByteBuffer view = bytes.duplicate();
        model.batches.add(batch);
        log.append(bytes, epoch, (result, failure) -> {
            if (failure != null || result.duplicate()) {
                model.batches.remove(batch);
            } else {
                batch.acked = true;
                take(batch, view);
                if (batch.base != result.baseOffset() || batch.last != result.lastOffset()) {
                    throw new RuleBroken("I6 acks", "batch at " + batch.base + " acked at " + result.baseOffset());
                }
            }
            done.done(result, failure);
        });
        if (!batch.acked) {
            take(batch, view);
        }
        return batch;
    }

    /** Offsets and epoch are written in place into the caller's buffer. */
    private static void take(LogModel.Batch batch, ByteBuffer bytes) {
        batch.base = bytes.getLong(bytes.position());
        batch.last = batch.base + batch.records - 1;
        batch.bytes = new byte[bytes.remaining()];
        bytes.duplicate().get(batch.bytes);
    }

    /** Enters in the model what the log has shown so far; also right after a crash. */
    void observe() {
        if (log != null) {
            model.logStart = Math.max(model.logStart, log.logStartOffset());
            model.durableEnd = Math.max(model.durableEnd, log.durableEndOffset());
        }
    }

    /** All batches that the log returns from its start to its end. */
    List<LogModel.Batch> readAll() {
        List<LogModel.Batch> all = new ArrayList<>();
        long offset = log.logStartOffset();
        while (offset < log.logEndOffset()) {
            long from = offset;
            SimHost.Outcome<ReadResult> outcome =
                    host.awaitOutcome(done -> log.read(from, 1 << 20, true, ReadBound.LOG_END, done));
            if (outcome.failure() != null) {
                offset = damagedEnd(from, outcome.failure());
                continue;
            }
            ReadResult result = outcome.value();
            if (result.range() == null) {
                throw new RuleBroken("S9 reads", "nothing at " + from + ", log end " + log.logEndOffset());
            }
            for (LogModel.Batch batch : batches(bytes(result.range()))) {
                all.add(batch);
                offset = batch.last + 1;
            }
            if (offset == from) {
                throw new RuleBroken("S9 reads", "no whole batch at " + from);
            }
        }
        return all;
    }

    /** Rule S8: a damaged range is refused and told of; the log goes on behind it. */
    private long damagedEnd(long from, Failure failure) {
        String[] words = failure.message().split(" ", -1);
        if (failure.code() != FailureCode.CORRUPT_BATCH || log.damage() == null) {
            throw new RuleBroken("S9 reads", "at " + from + ": " + failure);
        }
        return Long.parseLong(words[3]) + 1;
    }

    static byte[] bytes(FileRange range) {
        ByteBuffer bytes = ByteBuffer.allocate(range.length());
        try {
            int got = range.file().read(bytes, range.position());
            if (got != range.length()) {
                throw new RuleBroken("S9 reads", range.file().path() + ": " + got + " of " + range.length() + " bytes");
            }
        } catch (IOException e) {
            throw new RuleBroken("S9 reads", range.file().path() + ": " + e);
        }
        range.release();
        return bytes.array();
    }

    /** The whole, valid batches at the front of some bytes of a log. */
    static List<LogModel.Batch> batches(byte[] bytes) {
        List<LogModel.Batch> all = new ArrayList<>();
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int at = 0;
        while (bytes.length - at >= 61) {
            int size = buffer.getInt(at + 8) + 12;
            if (size < 61 || size > bytes.length - at || buffer.get(at + 16) != 2) {
                break;
            }
            ByteBuffer slice = buffer.slice(at, size);
            MutableRecordBatch batch =
                    MemoryRecords.readableRecords(slice).batches().iterator().next();
            if (!batch.isValid()) {
                break;
            }
            all.add(described(batch, slice));
            at += size;
        }
        return all;
    }

    private static LogModel.Batch described(MutableRecordBatch batch, ByteBuffer bytes) {
        LogModel.Batch found = new LogModel.Batch();
        found.base = batch.baseOffset();
        found.last = batch.lastOffset();
        found.timestamp = batch.maxTimestamp();
        found.producerId = batch.producerId();
        found.producerEpoch = batch.producerEpoch();
        found.sequence = batch.baseSequence();
        found.records = (int) (batch.lastOffset() - batch.baseOffset() + 1);
        found.leaderEpoch = batch.partitionLeaderEpoch();
        found.bytes = new byte[bytes.remaining()];
        bytes.duplicate().get(found.bytes);
        return found;
    }
}
