package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Mutations;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import records.BatchBuilder;
import records.BatchHeader;
import records.ControlBatches;
import sim.SimRandom;

/** A log with transactions, most of them aborted, and a model of what its readers must be told. */
final class TransactionsBench {

    static final int RETENTION_MILLIS = 3_600_000;

    final LogBench bench;
    final SimRandom random;
    final List<Aborted> aborted = new ArrayList<>();
    private final Map<Long, Long> open = new LinkedHashMap<>();
    private final Map<Long, Integer> sequences = new LinkedHashMap<>();

    /** One that was aborted. */
    record Aborted(long producerId, long firstOffset, long marker) {}

    TransactionsBench(long seed, String segmentBytes) {
        random = new SimRandom(seed);
        bench = new LogBench(
                seed,
                LogBench.tiny(
                        "internal.segment.bytes", segmentBytes, "retention.ms", Integer.toString(RETENTION_MILLIS)));
        bench.open(Mutations.NONE);
    }

    void write(int producers) {
        long producer = random.below(producers);
        if (open.containsKey(producer) && random.chance(0.7)) {
            end(producer, random.chance(0.1));
        } else {
            data(producer);
        }
    }

    void data(long producer) {
        int sequence = sequences.merge(producer, 1, Integer::sum) - 1;
        BatchBuilder.Producer as = new BatchBuilder.Producer(producer, (short) 0, sequence, true);
        long offset = bench.append(bench.batch(1, 5, as)).baseOffset();
        open.putIfAbsent(producer, offset);
    }

    void end(long producer, boolean commit) {
        ByteBuffer marker =
                ControlBatches.transactionMarker(bench.host.clock().wallMillis(), producer, (short) 0, commit, 3);
        long offset = bench.append(marker).lastOffset();
        long first = open.remove(producer);
        if (!commit) {
            aborted.add(new Aborted(producer, first, offset));
        }
    }

    /** Exactly those that end at or behind the first offset of what is read, and begin before its end. */
    void read() {
        long stable = stable();
        if (stable > 0) {
            readFrom(random.below((int) stable), 150 + random.below(2000));
        }
    }

    long stable() {
        bench.log.advanceHighWatermark(bench.log.logEndOffset());
        return bench.log.lastStableOffset();
    }

    /** Gives the offset behind what was read. */
    long readFrom(long from, int maxBytes) {
        return check(from, bench.read(from, maxBytes, ReadBound.LAST_STABLE_OFFSET));
    }

    /** Every stable offset as the first of a read. */
    void readAll() {
        long stable = stable();
        for (long from = bench.log.logStartOffset(); from < stable; from++) {
            readFrom(from, 300);
        }
    }

    long check(long from, ReadResult result) {
        ByteBuffer all = ByteBuffer.wrap(LogBench.bytes(result.range()));
        long next = from;
        for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
            next = BatchHeader.nextOffset(all, at);
        }
        long to = next;
        List<ReadResult.AbortedTransaction> expected = aborted.stream()
                .filter(each -> each.marker >= from && each.firstOffset < to)
                .map(each -> new ReadResult.AbortedTransaction(each.producerId, each.firstOffset))
                .toList();
        assertEquals(expected, result.aborted(), "from " + from + " to " + to);
        return to;
    }

    /** Paths of the transaction indexes that are there, in order. */
    List<String> indexes() {
        return indexes(bench);
    }

    static List<String> indexes(LogBench bench) {
        List<String> paths = new ArrayList<>();
        for (String line : bench.host.disk().tree()) {
            int end = line.lastIndexOf(SegmentFiles.TRANSACTION_INDEX + ' ');
            if (end > 0) {
                paths.add(line.substring(0, end) + SegmentFiles.TRANSACTION_INDEX);
            }
        }
        return paths;
    }
}
