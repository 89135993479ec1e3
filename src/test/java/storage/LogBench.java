package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mutations;
import config.LogConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import records.BatchBuilder;
import records.BatchHeader;
import records.Codec;
import sim.SimHost;

/** One partition's log on a simulated disk, for tests: opens it as a node would, builds batches, reads ranges back. */
final class LogBench implements LogHost {

    static final LogIdentity IDENTITY = new LogIdentity("orders", 3, "AAAAAAAAQAGAAAAAAAAAAQ");
    static final String DIRECTORY = "orders-3";
    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";

    SimHost host;
    LogConfig config;
    LogLimits limits = new LogLimits(4, 8 << 20, 0, 1 << 20);
    LogContext context;
    PartitionLog log;
    LogDirectory.Opened opened;
    Failure offline;
    private long startToPersist;
    private int nextValue;

    LogBench(long seed, LogConfig config) {
        this.host = new SimHost(seed);
        this.config = config;
    }

    /** Kafka's defaults, tiny segments. */
    static LogConfig tiny(String... settings) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("internal.segment.bytes", "900");
        all.put("index.interval.bytes", "150");
        all.put("file.delete.delay.ms", "1000");
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return LogConfig.of(new TreeMap<>(all));
    }

    LogBench open() {
        return open(Mutations.NONE);
    }

    LogBench open(Mutations mutations) {
        host.mutations(mutations);
        LogDirectory.OpenRequest request =
                new LogDirectory.OpenRequest(1, null, CLUSTER, "AAAAAAAAQAGAAAAAAAAAAg", mutations);
        opened = host.await(done -> host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.open(request), done));
        LogStart found = LogStart.NEW;
        for (LogDirectory.FoundPartition each : opened.partitions()) {
            if (each.identity().equals(IDENTITY)) {
                found = each.start();
            }
        }
        return open(found);
    }

    LogBench open(LogStart start) {
        startToPersist = start.logStartOffset();
        context = new LogContext(host.ports(), host.executor(), this, limits);
        log = host.await(done -> context.open(IDENTITY, config, start, done));
        return this;
    }

    @Override
    public void directoryOffline(Failure why) {
        offline = why;
    }

    @Override
    public void persistLogStart(PartitionLog asking, long newStart, Callback<Void> persisted) {
        startToPersist = Math.max(startToPersist, newStart);
        checkpoint(persisted);
    }

    void checkpoint(Callback<Void> done) {
        LogDirectory.Checkpoint line = new LogDirectory.Checkpoint(
                IDENTITY.topic(),
                IDENTITY.partition(),
                log.recoveryPoint(),
                Math.max(startToPersist, log.logStartOffset()),
                log.highWatermark(),
                log.cleanedTo());
        host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.writeCheckpoints(List.of(line)), done);
    }

    void checkpoint() {
        host.<Void>await(this::checkpoint);
    }

    /** close, checkpoints, mark. */
    void cleanStop() {
        host.<Void>await(done -> log.close(done));
        checkpoint();
        host.<Void>await(done -> host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.markClean(-1), done));
    }

    /** A clean stop; then the next process. */
    void cleanRestart() {
        cleanStop();
        host = host.kill();
        open();
    }

    void kill() {
        host = host.kill();
        open();
    }

    void powerCut() {
        host = host.powerCut();
        open();
    }

    ByteBuffer batch(int records, BatchBuilder.Producer producer) {
        return batch(records, 40, producer);
    }

    /** Each value is unique in the run. */
    ByteBuffer batch(int records, int padding, BatchBuilder.Producer producer) {
        BatchBuilder builder = new BatchBuilder(Codec.NONE, 0, 0, producer);
        for (int i = 0; i < records; i++) {
            String value = "v" + nextValue++ + "|" + "x".repeat(padding);
            builder.add(host.clock().wallMillis() + i, null, value.getBytes(StandardCharsets.UTF_8));
        }
        return builder.build();
    }

    ByteBuffer batch(int records) {
        return batch(records, BatchBuilder.Producer.NONE);
    }

    AppendResult append(ByteBuffer batch) {
        return host.await(done -> log.append(batch, Math.max(0, log.latestEpoch()), done));
    }

    AppendResult append(int records) {
        return append(batch(records));
    }

    Failure appendFails(ByteBuffer batch) {
        return host.<AppendResult>awaitFailure(done -> log.append(batch, Math.max(0, log.latestEpoch()), done));
    }

    ReadResult read(long offset, int maxBytes, ReadBound bound) {
        return host.await(done -> log.read(offset, maxBytes, true, bound, done));
    }

    /** Null when retention has taken the offset away while it was being read. */
    ReadResult readUnlessDeleted(long offset, int maxBytes, ReadBound bound) {
        return host.await(done -> log.read(offset, maxBytes, true, bound, (read, failure) -> {
            boolean deleted = failure != null
                    && failure.code() == FailureCode.OFFSET_OUT_OF_RANGE
                    && offset < log.logStartOffset();
            done.done(read, deleted ? null : failure);
        }));
    }

    Failure readFails(long offset) {
        return host.<ReadResult>awaitFailure(done -> log.read(offset, 1 << 20, true, ReadBound.LOG_END, done));
    }

    /** The bytes of a range, which is released. */
    static byte[] bytes(FileRange range) {
        ByteBuffer target = ByteBuffer.allocate(range.length());
        try {
            PartitionFiles.readFully(range.file(), target, range.position());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        range.release();
        return target.array();
    }

    /** Base offsets of all batches from {@code offset} to the end. */
    List<Long> bases(long offset) {
        return bases(offset, log.logEndOffset());
    }

    /** From the start to {@code end}, exclusive. */
    List<Long> bases0To(long end) {
        return bases(0, end);
    }

    private List<Long> bases(long offset, long end) {
        List<Long> bases = new ArrayList<>();
        long next = offset;
        while (next < end) {
            ReadResult result = read(next, 1 << 20, ReadBound.LOG_END);
            if (result.range() == null) {
                break;
            }
            ByteBuffer all = ByteBuffer.wrap(bytes(result.range()));
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                if (!BatchHeader.isFramed(all, at) || !BatchHeader.isCrcValid(all, at)) {
                    throw new AssertionError("not a whole valid batch at " + at + " of the range for offset " + next);
                }
                bases.add(BatchHeader.baseOffset(all, at));
                next = BatchHeader.nextOffset(all, at);
            }
        }
        return bases;
    }

    /** Offsets of the batches that a bound lets through, from the start. */
    List<Long> readable(ReadBound bound) {
        ReadResult result = read(log.logStartOffset(), 1 << 20, bound);
        List<Long> bases = new ArrayList<>();
        ByteBuffer all = result.range() == null ? ByteBuffer.allocate(0) : ByteBuffer.wrap(bytes(result.range()));
        for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
            bases.add(BatchHeader.baseOffset(all, at));
        }
        return bases;
    }

    String segment(long base, String suffix) {
        return SegmentFiles.path(DIRECTORY, base, suffix);
    }
}
