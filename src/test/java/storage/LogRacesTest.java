package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import config.LogConfig;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sim.SimHost;

/** What happens to a log while its reads and appends are under way. */
final class LogRacesTest {

    /** A segment that drops out of the cache of open files while it is read: the read still gives its records, and nothing stays open. */
    @Test
    void readsOfMoreSegmentsThanMayBeOpenAllGiveRecords() {
        for (long seed = 0; seed < 20; seed++) {
            LogBench bench = new LogBench(seed, LogBench.tiny()).open();
            for (int i = 0; i < 60; i++) {
                bench.append(3);
            }
            bench.kill();
            bench.log.advanceHighWatermark(bench.log.logEndOffset());
            List<ReadResult> results = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                long offset = 9L * bench.host.random().below(20);
                bench.log.read(offset, 300, true, ReadBound.HIGH_WATERMARK, (result, failure) -> results.add(result));
                if (bench.host.random().below(6) == 0) {
                    bench.host.runFor(1);
                }
            }
            bench.host.runFor(1000);
            assertEquals(200, results.size());
            for (ReadResult each : results) {
                assertNotNull(each.range(), "seed " + seed);
                each.range().release();
            }
            assertTrue(bench.host.disk().openHandles() <= 4, "seed " + seed);
        }
    }

    /** Files of segments that retention removed while they were read are closed: else their disk space does not come back. */
    @Test
    void removedSegmentsDoNotStayOpen() {
        for (long seed = 0; seed < 60; seed++) {
            LogBench bench = new LogBench(seed, LogBench.tiny("retention.ms", "50"));
            bench.limits = new LogLimits(64, 8 << 20, 0, 1 << 20);
            bench.open();
            for (int i = 0; i < 40; i++) {
                bench.append(3);
            }
            bench.kill();
            long end = bench.log.logEndOffset();
            bench.log.advanceHighWatermark(end);
            List<ReadResult> results = new ArrayList<>();
            bench.log.housekeep(bench.host.clock().wallMillis() + 1_000);
            bench.host.scheduler().runFor(bench.host.random().below(20_000_000));
            for (long offset = bench.log.logStartOffset(); offset < end; offset += 9) {
                bench.log.read(offset, 300, true, ReadBound.HIGH_WATERMARK, (result, failure) -> results.add(result));
            }
            bench.host.runFor(10_000);
            results.stream()
                    .filter(each -> each != null && each.range() != null)
                    .forEach(each -> each.range().release());
            assertEquals(0, bench.log.sizeBytes(), "seed " + seed);
            assertEquals(0, bench.host.disk().openHandles(), "seed " + seed);
        }
    }

    /** Rule S2: what was written is taken back also when a step after the write fails, else a crash would bring it to life. */
    @Test
    void failureAfterTheWriteIsTakenBack_S2() throws IOException {
        SimHost host = new SimHost(3);
        host.files().createDirectory("orders-3");
        FileHandle file = host.files().open("orders-3/x.log", FileSystem.Mode.CREATE);
        FileSystem withoutHandles = (FileSystem) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {FileSystem.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("exists")) {
                        throw new IOException("too many open files");
                    }
                    return method.invoke(host.files(), arguments);
                });
        ByteBuffer[] batch = {ByteBuffer.allocate(100)};
        AppendJob job = new AppendJob(
                LogBench.IDENTITY,
                false,
                null,
                null,
                "orders-3/x.log",
                file,
                false,
                null,
                0,
                batch,
                1,
                0,
                true,
                false,
                false,
                List.of("orders-3/w.log"),
                Mutations.NONE);
        assertThrows(IOException.class, () -> job.run(withoutHandles));
        assertEquals(0, file.size());
    }

    /** Rules I6, I7: records written just before the topic becomes durable are readable once acknowledged. */
    @Test
    void recordsInFlightWhileTheTopicBecomesDurableAreSynced_I7() {
        LogBench bench = new LogBench(4, LogBench.tiny()).open();
        replication.LeaderReplica leader = new replication.LeaderReplica(
                bench.log,
                new replication.Admission(
                        bench.host.executor(),
                        bench.host.clock(),
                        new replication.Admission.Validators(
                                new records.BatchValidator(), new records.BatchValidator()),
                        1 << 20),
                new replication.TransactionGate(
                        bench.log,
                        replication.TransactionVerifier.NONE,
                        new org.apache.kafka.common.TopicPartition("orders", 3),
                        Mutations.NONE,
                        1 << 20),
                1);
        bench.host.<Void>await(done -> leader.lead(0, done));
        List<Long> acked = new ArrayList<>();
        leader.produce(
                bench.batch(2),
                new replication.ReplicaShard.Produce(List.of(), null, (short) -1, 30_000, (short) 9, null),
                (outcome, failure) -> acked.add(leader.log().highWatermark()));
        bench.log.updateConfig(LogConfig.of(java.util.Map.of("flush.messages", "1")));
        bench.host.runFor(1000);
        assertEquals(List.of(2L), acked);
        assertEquals(2, bench.log.durableEndOffset());
    }
}
