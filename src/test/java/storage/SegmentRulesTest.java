package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import records.BatchBuilder;
import records.BatchHeader;

/** When segments roll, what times and transactions do, what stays open: Kafka's rules for one log. */
final class SegmentRulesTest {

    private static List<Long> segments(LogBench bench) {
        List<Long> bases = new ArrayList<>();
        for (String line : bench.host.disk().tree()) {
            String path = line.substring(0, Math.max(0, line.lastIndexOf(' ')));
            if (path.startsWith("orders-3/") && path.endsWith(".log")) {
                bases.add(SegmentFiles.baseOffset(path.substring(9), SegmentFiles.LOG));
            }
        }
        return bases;
    }

    @Test
    void rollsBySize() {
        LogBench bench = new LogBench(1, LogBench.tiny("internal.segment.bytes", "500")).open();
        int size = bench.batch(1).remaining();
        for (int i = 0; i < 9; i++) {
            bench.append(1);
        }
        int each = 500 / size;
        assertEquals((9 + each - 1) / each, segments(bench).size());
    }

    @Test
    void rollsByTimeOfTheBatches() {
        LogBench bench =
                new LogBench(1, LogBench.tiny("internal.segment.bytes", "100000", "segment.ms", "60000")).open();
        bench.append(1);
        bench.host.runFor(50_000);
        bench.append(1);
        bench.host.runFor(20_000);
        bench.append(1);
        assertEquals(List.of(0L, 2L), segments(bench));
    }

    @Test
    void rollsWhenAnIndexIsFull() {
        LogBench bench = new LogBench(
                        1,
                        LogBench.tiny(
                                "internal.segment.bytes",
                                "1000000",
                                "index.interval.bytes",
                                "1",
                                "segment.index.bytes",
                                "80"))
                .open();
        for (int i = 0; i < 30; i++) {
            bench.append(1);
            bench.host.runFor(2);
        }
        assertTrue(segments(bench).size() >= 3, segments(bench).toString());
        for (String line : bench.host.disk().tree()) {
            if (line.contains("index ")) {
                assertTrue(Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1)) <= 80, line);
            }
        }
    }

    @Test
    void logAppendTimeIsGivenAndTold() {
        LogBench bench = new LogBench(1, LogBench.tiny("message.timestamp.type", "LogAppendTime")).open();
        bench.host.runFor(1234);
        BatchBuilder.Producer producer = new BatchBuilder.Producer(4, (short) 0, 0, false);
        ByteBuffer batch = bench.batch(2, producer);
        bench.host.runFor(77_000);
        ByteBuffer copy = ByteBuffer.wrap(new byte[batch.remaining()])
                .put(batch.duplicate())
                .flip();
        AppendResult result = bench.append(batch);
        ByteBuffer stored = ByteBuffer.wrap(
                LogBench.bytes(bench.read(0, 10_000, ReadBound.LOG_END).range()));
        assertTrue(BatchHeader.isLogAppendTime(stored, 0));
        assertEquals(result.logAppendTimeMillis(), BatchHeader.maxTimestamp(stored, 0));
        assertTrue(BatchHeader.isCrcValid(stored, 0));
        bench.host.runFor(5000);
        AppendResult again = bench.append(copy);
        assertTrue(again.duplicate());
        assertEquals(result.logAppendTimeMillis(), again.logAppendTimeMillis(), "P1: the original's time");
        bench.kill();
        ByteBuffer third = bench.batch(2, producer);
        assertTrue(bench.append(third).duplicate());
    }

    @Test
    void offsetOfTheLargestTimestamp() {
        LogBench bench = new LogBench(1, LogBench.tiny()).open();
        assertEquals(
                TimestampOffset.NONE, bench.host.<TimestampOffset>await(done -> bench.log.offsetOfMaxTimestamp(done)));
        for (int i = 0; i < 8; i++) {
            bench.append(3);
        }
        bench.host.clock().jumpMillis(1_000_000);
        long offset = bench.append(3).baseOffset() + 2;
        bench.host.clock().jumpMillis(-1_000_000);
        for (int i = 0; i < 8; i++) {
            bench.append(3);
        }
        assertEquals(
                offset,
                bench.host
                        .<TimestampOffset>await(done -> bench.log.offsetOfMaxTimestamp(done))
                        .offset());
        bench.cleanRestart();
        assertEquals(
                offset,
                bench.host
                        .<TimestampOffset>await(done -> bench.log.offsetOfMaxTimestamp(done))
                        .offset());
    }

    private static ByteBuffer marker(long producer, boolean abort) {
        ControlRecordType type = abort ? ControlRecordType.ABORT : ControlRecordType.COMMIT;
        return MemoryRecords.withEndTransactionMarker(
                        0, 1_767_225_600_000L, 0, producer, (short) 0, new EndTransactionMarker(type, 0))
                .buffer();
    }

    private static BatchBuilder.Producer transaction(long producer, int sequence) {
        return new BatchBuilder.Producer(producer, (short) 0, sequence, true);
    }

    @Test
    void lastStableOffsetAndAbortedTransactions_T8() {
        LogBench bench = new LogBench(1, LogBench.tiny()).open();
        bench.append(2);
        bench.append(bench.batch(2, transaction(1, 0)));
        bench.append(bench.batch(2, transaction(2, 0)));
        bench.append(marker(1, true));
        bench.log.advanceHighWatermark(bench.log.logEndOffset());
        assertEquals(4, bench.log.lastStableOffset(), "transaction 2 is open");
        assertEquals(2, bench.readable(ReadBound.LAST_STABLE_OFFSET).size());
        bench.append(marker(2, false));
        assertEquals(4, bench.log.lastStableOffset(), "the marker is not below the high watermark yet");
        bench.log.advanceHighWatermark(bench.log.logEndOffset());
        assertEquals(8, bench.log.lastStableOffset());
        for (int i = 0; i < 3; i++) {
            ReadResult result = bench.read(0, 100_000, ReadBound.LAST_STABLE_OFFSET);
            result.range().release();
            assertEquals(List.of(new ReadResult.AbortedTransaction(1, 2)), result.aborted());
            if (i == 0) {
                bench.kill();
            } else {
                bench.cleanRestart();
            }
            bench.log.advanceHighWatermark(bench.log.logEndOffset());
        }
        assertEquals(
                FailureCode.INVALID_TXN_STATE, nonTransactionalInside(bench).code());
    }

    private static common.Failure nonTransactionalInside(LogBench bench) {
        bench.append(bench.batch(1, transaction(5, 0)));
        return bench.appendFails(bench.batch(1, new BatchBuilder.Producer(5, (short) 0, 1, false)));
    }

    /** Whatever else a stop has to write: a log that is small, always durable, or neither. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 20", "100000, 1", "100000, 20"})
    void abortedTransactionsSurviveAStop_T8(int flushMessages, int batches) {
        for (boolean powerCut : new boolean[] {false, true}) {
            LogBench bench = new LogBench(
                            1,
                            LogBench.tiny(
                                    "flush.messages", Integer.toString(flushMessages), "index.interval.bytes", "4096"))
                    .open();
            List<ReadResult.AbortedTransaction> expected = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                for (int j = 1; j < batches; j++) {
                    bench.append(1);
                }
                long first = bench.append(bench.batch(1, transaction(i, 0))).baseOffset();
                bench.append(marker(i, true));
                expected.add(new ReadResult.AbortedTransaction(i, first));
                bench.host.<Void>await(done -> bench.log.flush(done));
                bench.cleanStop();
                bench.host = powerCut ? bench.host.powerCut() : bench.host.kill();
                bench.open();
                bench.log.advanceHighWatermark(bench.log.logEndOffset());
                assertEquals(expected, aborted(bench), "after stop " + i + ", power cut: " + powerCut);
            }
        }
    }

    /** Of the whole log. */
    private static List<ReadResult.AbortedTransaction> aborted(LogBench bench) {
        List<ReadResult.AbortedTransaction> all = new ArrayList<>();
        long next = bench.log.logStartOffset();
        while (next < bench.log.lastStableOffset()) {
            ReadResult result = bench.read(next, 100_000, ReadBound.LAST_STABLE_OFFSET);
            ByteBuffer bytes = ByteBuffer.wrap(LogBench.bytes(result.range()));
            for (int at = 0; at < bytes.limit(); at += BatchHeader.sizeInBytes(bytes, at)) {
                next = BatchHeader.nextOffset(bytes, at);
            }
            result.aborted().stream().filter(each -> !all.contains(each)).forEach(all::add);
        }
        return all;
    }

    @Test
    void abortedTransactionsSurviveTheLossOfTheirIndex() {
        LogBench bench = new LogBench(1, LogBench.tiny()).open();
        bench.append(bench.batch(2, transaction(1, 0)));
        bench.append(marker(1, true));
        for (int i = 0; i < 20; i++) {
            bench.append(2);
        }
        bench.cleanRestart();
        bench.host = bench.host.kill();
        bench.host.disk().put(bench.segment(0, SegmentFiles.TRANSACTION_INDEX), new byte[] {1, 2, 3});
        bench.open();
        bench.cleanRestart();
        bench.log.advanceHighWatermark(bench.log.logEndOffset());
        ReadResult result = bench.read(0, 100_000, ReadBound.LAST_STABLE_OFFSET);
        result.range().release();
        assertEquals(List.of(new ReadResult.AbortedTransaction(1, 0)), result.aborted());
    }

    @Test
    void preallocatedSegmentsAreCutAtTheStop() {
        LogBench bench = new LogBench(1, LogBench.tiny("preallocate", "true", "internal.segment.bytes", "5000")).open();
        for (int i = 0; i < 40; i++) {
            bench.append(3);
        }
        List<Long> bases = bench.bases(0);
        bench.kill();
        assertEquals(bases, bench.bases(0));
        bench.append(3);
        bench.cleanRestart();
        assertEquals(41, bench.bases(0).size());
        assertEquals(
                bench.log.sizeBytes(),
                bench.host.disk().tree().stream()
                        .filter(line -> line.startsWith("orders-3/") && line.contains(".log "))
                        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                        .sum());
    }

    @Test
    void openFilesAreBounded() {
        LogBench bench = new LogBench(1, LogBench.tiny()).open();
        List<PartitionLog> logs = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            LogIdentity identity = new LogIdentity("many", i, LogBench.IDENTITY.topicId());
            PartitionLog log = bench.host.await(done -> bench.context.open(identity, bench.config, LogStart.NEW, done));
            logs.add(log);
            bench.host.<AppendResult>await(done -> log.append(bench.batch(1), 0, done));
            assertTrue(
                    bench.host.disk().openHandles() <= 4 + 2,
                    "open: " + bench.host.disk().openHandles());
        }
        for (PartitionLog log : logs) {
            ReadResult result = bench.host.await(done -> log.read(0, 1000, true, ReadBound.LOG_END, done));
            assertNotNull(result.range());
            result.range().release();
        }
        assertTrue(bench.host.disk().openHandles() <= 4 + 2);
    }

    @Test
    void tailReadsTouchNoDisk() {
        LogBench bench = new LogBench(1, LogBench.tiny("internal.segment.bytes", "1000000")).open();
        for (int i = 0; i < 50; i++) {
            bench.append(2);
        }
        long before = bench.host.disk().bytesRead();
        for (long offset = 60; offset < 100; offset++) {
            long at = offset;
            ReadResult[] got = {null};
            bench.log.read(at, 400, true, ReadBound.LOG_END, (result, failure) -> got[0] = result);
            assertNotNull(got[0], "answered at once");
            assertNotNull(got[0].range());
            got[0].range().release();
        }
        assertEquals(before, bench.host.disk().bytesRead());
    }

    @Test
    void aBatchLargerThanTheLimitComesWholeOrNotAtAll() {
        LogBench bench = new LogBench(1, LogBench.tiny()).open();
        for (int i = 0; i < 30; i++) {
            bench.append(3);
        }
        for (long offset : new long[] {0, 1, 40, 88}) {
            ReadResult whole = bench.host.await(done -> bench.log.read(offset, 5, true, ReadBound.LOG_END, done));
            ByteBuffer bytes = ByteBuffer.wrap(LogBench.bytes(whole.range()));
            assertEquals(bytes.limit(), BatchHeader.sizeInBytes(bytes, 0));
            assertTrue(BatchHeader.baseOffset(bytes, 0) <= offset && BatchHeader.lastOffset(bytes, 0) >= offset);
            ReadResult none = bench.host.await(done -> bench.log.read(offset, 5, false, ReadBound.LOG_END, done));
            assertNull(none.range());
        }
    }

    @Test
    void fetchedBatchesKeepTheirOffsetsAndEpochs() {
        LogBench leader = new LogBench(1, LogBench.tiny()).open();
        leader.host.<Void>await(done -> leader.log.beginEpoch(3, done));
        for (int i = 0; i < 5; i++) {
            leader.append(leader.batch(2, new BatchBuilder.Producer(1, (short) 0, i * 2, false)));
        }
        LogBench follower = new LogBench(2, LogBench.tiny()).open();
        while (follower.log.logEndOffset() < leader.log.logEndOffset()) {
            byte[] bytes = LogBench.bytes(leader.read(follower.log.logEndOffset(), 100_000, ReadBound.LOG_END)
                    .range());
            follower.host.<AppendResult>await(done -> follower.log.appendFetched(ByteBuffer.wrap(bytes), done));
        }
        assertEquals(leader.bases(0), follower.bases(0));
        assertEquals(3, follower.log.latestEpoch());
        assertEquals(leader.log.activeProducers(), follower.log.activeProducers(), "P4");
        byte[] old = LogBench.bytes(leader.read(0, 100_000, ReadBound.LOG_END).range());
        assertFalse(follower.host
                .<AppendResult>awaitFailure(done -> follower.log.appendFetched(ByteBuffer.wrap(old), done))
                .message()
                .isEmpty());
    }
}
