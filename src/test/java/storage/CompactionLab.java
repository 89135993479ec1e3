package storage;

import common.Callback;
import common.Failure;
import common.Mutations;
import config.CleanerConfig;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import records.BatchBuilder;
import records.BatchHeader;
import records.BatchReader;
import records.Codec;
import records.ControlBatches;
import records.LogRecord;
import sim.SimHost;
import sim.SimRandom;

/** A compacted log under test with everything that was ever written to it: random producers of all kinds, and readers as clients are. */
final class CompactionLab {

    static final short EPOCH = 0;

    /** One record that was written, or one that a reader got. */
    record Entry(long offset, String key, String value, long timestamp) {}

    /** One transaction of a producer: offsets of its records, and of its marker once it has one. */
    static final class Transaction {
        final long producerId;
        final List<Entry> records = new ArrayList<>();
        long marker = -1;
        boolean aborted;

        Transaction(long producerId) {
            this.producerId = producerId;
        }
    }

    final LogBench bench;
    final SimRandom random;
    /** All that count: not aborted, not in an open transaction. By offset. */
    final Map<Long, Entry> valid = new LinkedHashMap<>();

    final List<Transaction> transactions = new ArrayList<>();
    final Map<Long, Transaction> open = new LinkedHashMap<>();
    final Map<Long, Integer> sequences = new LinkedHashMap<>();
    final List<Codec> codecs;
    final int keys;
    long mapBytes = 1 << 20;
    double rate = Double.MAX_VALUE;
    private int nextValue;

    CompactionLab(long seed, LogConfig config, List<Codec> codecs, int keys) {
        this(seed, config, codecs, keys, Mutations.NONE);
    }

    CompactionLab(long seed, LogConfig config, List<Codec> codecs, int keys, Mutations mutations) {
        this.random = new SimRandom(seed * 31 + 7);
        this.bench = new LogBench(seed, config);
        this.codecs = codecs;
        this.keys = keys;
        bench.open(mutations);
    }

    PartitionLog log() {
        return bench.log;
    }

    SimHost host() {
        return bench.host;
    }

    CleanerTools tools() {
        CleanerConfig config = new CleanerConfig(true, 1000, mapBytes, 0.9, 1 << 13, rate);
        return new CleanerTools(bench.host.ports().clock(), config, 1L << 40, 1);
    }

    /** One random batch, or the end of a transaction. */
    void write() {
        int kind = random.below(10);
        if (kind < 4) {
            append(-1, false);
        } else if (kind < 6) {
            append(1 + random.below(2), false);
        } else {
            long producer = 10L + random.below(3);
            if (open.containsKey(producer) && random.chance(0.4)) {
                endTransaction(producer, random.chance(0.5));
            } else {
                append(producer, true);
            }
        }
    }

    void append(long producerId, boolean transactional) {
        int count = 1 + random.below(4);
        List<String> batchKeys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            batchKeys.add("k" + random.below(keys));
        }
        append(producerId, transactional, batchKeys, 0.25);
    }

    AppendResult append(long producerId, boolean transactional, List<String> batchKeys, double tombstones) {
        ByteBuffer batch = batch(producerId, transactional, batchKeys, tombstones);
        ByteBuffer copy = batch.duplicate();
        AppendResult result = bench.append(batch);
        log().advanceHighWatermark(log().logEndOffset());
        List<Entry> entries = entries(copy);
        if (transactional) {
            Transaction transaction = open.computeIfAbsent(producerId, Transaction::new);
            transaction.records.addAll(entries);
        } else {
            entries.forEach(each -> valid.put(each.offset, each));
        }
        host().runFor(1 + random.below(5));
        return result;
    }

    ByteBuffer batch(long producerId, boolean transactional, List<String> batchKeys, double tombstones) {
        Codec codec = codecs.get(random.below(codecs.size()));
        int sequence = producerId < 0 ? -1 : sequences.getOrDefault(producerId, 0);
        BatchBuilder.Producer producer =
                new BatchBuilder.Producer(producerId, producerId < 0 ? -1 : EPOCH, sequence, transactional);
        BatchBuilder builder = new BatchBuilder(codec, 0, 0, producer);
        for (String key : batchKeys) {
            String value = random.chance(tombstones) ? null : "v" + nextValue++ + "|" + "y".repeat(random.below(60));
            builder.add(host().clock().wallMillis() - random.below(3), bytes(key), bytes(value));
        }
        if (producerId >= 0) {
            sequences.put(producerId, sequence + batchKeys.size());
        }
        return builder.build();
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteBuffer bytes) {
        return bytes == null
                ? null
                : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    void endTransaction(long producerId, boolean commit) {
        Transaction transaction = open.remove(producerId);
        ByteBuffer marker = ControlBatches.transactionMarker(host().clock().wallMillis(), producerId, EPOCH, commit, 3);
        AppendResult result = bench.append(marker);
        log().advanceHighWatermark(log().logEndOffset());
        transaction.marker = result.lastOffset();
        transaction.aborted = !commit;
        transactions.add(transaction);
        if (commit) {
            transaction.records.forEach(each -> valid.put(each.offset, each));
        }
        host().runFor(1);
    }

    static List<Entry> entries(ByteBuffer batches) {
        List<Entry> all = new ArrayList<>();
        Failure failure = new BatchReader().read(batches, record -> all.add(entry(record)));
        if (failure != null) {
            throw new AssertionError(failure.message());
        }
        return all;
    }

    private static Entry entry(LogRecord record) {
        return new Entry(record.offset(), text(record.key()), text(record.value()), record.timestamp());
    }

    /** A cleaning; null when there was nothing to be done. */
    CleaningReport clean() {
        return host().await(done -> log().clean(tools(), done));
    }

    void cleanAsync(Callback<CleaningReport> done) {
        log().clean(tools(), done);
    }

    /** What read_committed consumers get from the start, in order. */
    List<Entry> committed() {
        List<Entry> got = new ArrayList<>();
        long next = log().logStartOffset();
        while (next < log().lastStableOffset()) {
            ReadResult result = bench.read(next, 400, ReadBound.LAST_STABLE_OFFSET);
            if (result.range() == null) {
                throw new AssertionError("nothing at " + next + ", last stable " + log().lastStableOffset());
            }
            ByteBuffer all = ByteBuffer.wrap(LogBench.bytes(result.range()));
            int abortedBegun = 0;
            List<ReadResult.AbortedTransaction> aborted = result.aborted().stream()
                    .sorted((a, b) -> Long.compare(a.firstOffset(), b.firstOffset()))
                    .toList();
            List<Long> skipped = new ArrayList<>();
            long before = next;
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                long last = BatchHeader.lastOffset(all, at);
                long producer = BatchHeader.producerId(all, at);
                while (abortedBegun < aborted.size()
                        && aborted.get(abortedBegun).firstOffset() <= last) {
                    skipped.add(aborted.get(abortedBegun++).producerId());
                }
                if (BatchHeader.isControl(all, at)) {
                    skipped.remove(producer);
                } else if (!BatchHeader.isTransactional(all, at) || !skipped.contains(producer)) {
                    got.addAll(entries(all.slice(at, BatchHeader.sizeInBytes(all, at))));
                }
                next = last + 1;
            }
            if (next <= before) {
                throw new AssertionError("no progress at " + before);
            }
            got.removeIf(each -> each.offset < log().logStartOffset());
        }
        return got;
    }

    /** All batches as they lie, from the start to the end. */
    List<ByteBuffer> batches() {
        List<ByteBuffer> got = new ArrayList<>();
        long next = log().logStartOffset();
        while (next < log().logEndOffset()) {
            ReadResult result = bench.read(next, 1 << 20, ReadBound.LOG_END);
            ByteBuffer all = ByteBuffer.wrap(LogBench.bytes(result.range()));
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                if (!BatchHeader.isFramed(all, at) || !BatchHeader.isCrcValid(all, at)) {
                    throw new AssertionError("no valid batch at " + at + " of the range from " + next);
                }
                got.add(all.slice(at, BatchHeader.sizeInBytes(all, at)));
                next = BatchHeader.nextOffset(all, at);
            }
        }
        return got;
    }

    /** The last value of each key by the model; tombstones have null. */
    Map<String, Entry> latest(long below) {
        Map<String, Entry> latest = new LinkedHashMap<>();
        valid.values().stream()
                .filter(each -> each.offset < below)
                .sorted((a, b) -> Long.compare(a.offset, b.offset))
                .forEach(each -> latest.put(each.key, each));
        return latest;
    }
}
