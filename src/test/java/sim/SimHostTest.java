package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.FailureCode;
import common.Mailboxes;
import common.OwnerId;
import common.Ports;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import storage.DiskExecutor.Lane;
import storage.DiskFullException;
import storage.FileHandle;
import storage.FileSystem.Mode;

/** Time, mailboxes and disk threads of one simulated process. */
class SimHostTest {
    private static final OwnerId<Echo> ECHO = new OwnerId<>(Echo.class, 0);

    interface Echo {
        void echo(int value, Callback<Integer> done);
    }

    @Test
    void timersAreNeverEarlyAndCancelWorks() {
        SimHost host = new SimHost(1);
        host.clock().rates(1.05, 0.99);
        Ports ports = host.ports();
        List<Long> fired = new ArrayList<>();
        long start = ports.clock().monotonicNanos();
        ports.timers().after(10, () -> fired.add(ports.clock().monotonicNanos() - start));
        ports.timers().after(5, () -> fired.add(-1L)).cancel();
        host.runFor(20);
        assertEquals(1, fired.size());
        assertTrue(fired.get(0) >= 10_000_000L, fired.toString());
    }

    @Test
    void callsAreOrderedPerPairAndNeverOnTheCallersStack() {
        for (int seed = 0; seed < 20; seed++) {
            SimHost host = new SimHost(seed);
            List<Integer> order = new ArrayList<>();
            host.mailboxes().register(ECHO, (value, done) -> done.succeed(value));
            Mailboxes mine = host.ports().mailboxes();
            for (int i = 0; i < 10; i++) {
                int value = i;
                mine.<Echo, Integer>call(ECHO, (owner, done) -> owner.echo(value, done), 1000, (v, f) -> order.add(v));
            }
            assertTrue(order.isEmpty());
            host.runFor(100);
            assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), order);
        }
    }

    @Test
    void aCallWithoutAnAnswerTimesOutOnce() {
        SimHost host = new SimHost(3);
        List<Callback<Integer>> held = new ArrayList<>();
        host.mailboxes().register(ECHO, (value, done) -> held.add(done));
        List<FailureCode> codes = new ArrayList<>();
        host.ports()
                .mailboxes()
                .<Echo, Integer>call(ECHO, (owner, done) -> owner.echo(1, done), 50, (v, f) -> codes.add(f.code()));
        host.runFor(60);
        held.get(0).succeed(1);
        host.runFor(60);
        assertEquals(List.of(FailureCode.TIMED_OUT), codes);
    }

    @Test
    void appendJobsRunOneByOneAndBlockingOnesInAnyOrder() {
        List<Integer> append = new ArrayList<>();
        List<Integer> blocking = new ArrayList<>();
        SimHost host = new SimHost(5);
        for (int i = 0; i < 50; i++) {
            int job = i;
            host.executor().run(Lane.APPEND, files -> append.add(job), (v, f) -> {});
            host.executor().run(Lane.BLOCKING, files -> blocking.add(job), (v, f) -> {});
        }
        host.runFor(1000);
        List<Integer> sorted = new ArrayList<>(blocking);
        sorted.sort(null);
        assertEquals(sorted, append);
        assertNotEquals(sorted, blocking);
    }

    @Test
    void failuresOfJobsBecomeValues() {
        SimHost host = new SimHost(6);
        assertEquals(
                FailureCode.DISK_FULL,
                host.<Void>awaitFailure(done -> host.executor()
                                .run(
                                        Lane.APPEND,
                                        files -> {
                                            throw new DiskFullException("full");
                                        },
                                        done))
                        .code());
        assertEquals(
                FailureCode.STORAGE_ERROR,
                host.<Void>awaitFailure(done -> host.executor()
                                .run(
                                        Lane.APPEND,
                                        files -> {
                                            throw new IOException("broken");
                                        },
                                        done))
                        .code());
    }

    @Test
    void nothingOfADeadProcessRuns() {
        SimHost host = new SimHost(7);
        List<String> ran = new ArrayList<>();
        host.ports().timers().after(10, () -> ran.add("timer"));
        host.executor().run(Lane.APPEND, files -> ran.add("job"), (v, f) -> ran.add("done"));
        SimHost next = host.kill();
        next.runFor(100);
        assertEquals(List.of(), ran);
        assertFalse(host.life().alive());
        assertTrue(next.life().alive());
    }

    @Test
    void aCrashInsideAJobEndsTheProcess() {
        SimHost host = new SimHost(8);
        host.disk().faults(DiskFaults.nth(DiskFaults.Operation.WRITE, "a", 1, DiskFaults.Fault.CRASH_TORN));
        assertThrows(
                SimCrash.class,
                () -> host.<Void>await(done -> host.executor()
                        .run(
                                Lane.APPEND,
                                files -> {
                                    FileHandle file = files.open("a", Mode.CREATE);
                                    file.write(new ByteBuffer[] {ByteBuffer.allocate(100)}, 1, 0);
                                    return null;
                                },
                                done)));
        assertFalse(host.life().alive());
        SimHost next = host.powerCut();
        assertEquals(1, next.<Integer>await(done -> next.executor().run(Lane.APPEND, files -> 1, done)));
    }

    @Test
    void equalSeedsRunAlikeAndOthersDoNot() {
        assertEquals(trace(9), trace(9));
        assertNotEquals(trace(9), trace(10));
    }

    private static long trace(long seed) {
        SimHost host = new SimHost(seed);
        for (int i = 0; i < 20; i++) {
            host.executor().run(Lane.BLOCKING, files -> files.list(""), (v, f) -> {});
            host.ports().timers().after(host.random().below(10), () -> {});
        }
        host.runFor(1000);
        return host.scheduler().traceHash();
    }
}
