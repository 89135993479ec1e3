package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Clock;
import common.Failure;
import common.FailureCode;
import common.OwnerId;
import common.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BusMailboxesTest {
    private static final long PATIENT_MILLIS = TestLoops.PATIENCE_SECONDS * 1_000L;

    private final TestLoops test = new TestLoops(2);
    private final Owners owners = new Owners(test.vertx);
    private final BusMailboxes[] mailboxes = new BusMailboxes[2];

    interface Echo {
        void echo(String text, Callback<String> done);
    }

    /** Answers with the thread's name, or never, or late, or with a failure. */
    private static final class EchoOwner implements Echo {
        final List<Callback<String>> unanswered = new ArrayList<>();
        boolean busy;

        @Override
        public void echo(String text, Callback<String> done) {
            busy = true;
            switch (text) {
                case "never" -> unanswered.add(done);
                case "fail" -> done.fail(FailureCode.DISK_FULL, "full");
                default -> done.succeed(Thread.currentThread().getName());
            }
            busy = false;
        }
    }

    private final EchoOwner[] echoes = {new EchoOwner(), new EchoOwner()};

    @BeforeEach
    void register() {
        for (int loop = 0; loop < 2; loop++) {
            OwnerLoop owner = test.loops.get(loop);
            mailboxes[loop] = new BusMailboxes(owners, owner, new SystemClock(), new VertxTimers(owner));
            owners.register(new OwnerId<>(Echo.class, loop), echoes[loop], owner);
        }
    }

    @AfterEach
    void close() throws Exception {
        test.close();
        assertEquals(List.of(), test.fatal);
    }

    private static OwnerId<Echo> echo(int index) {
        return new OwnerId<>(Echo.class, index);
    }

    @Test
    void theCalleeRunsOnItsLoopAndTheAnswerOnTheCallers() throws Exception {
        String[] names = test.on(0, (CompletableFuture<String[]> done) -> {
            String caller = Thread.currentThread().getName();
            mailboxes[0].call(
                    echo(1),
                    (Echo owner, Callback<String> answer) -> owner.echo("who", answer),
                    PATIENT_MILLIS,
                    (callee, failure) -> {
                        assertNull(failure);
                        done.complete(new String[] {
                            caller, callee, Thread.currentThread().getName()
                        });
                    });
        });
        assertNotEquals(names[0], names[1]);
        assertEquals(names[0], names[2]);
    }

    /** On one thread, neither the callee runs inside the caller's stack nor the answer inside the callee's. */
    @Test
    void nothingRunsInsideAnothersStack() throws Exception {
        List<String> order = test.on(0, (CompletableFuture<List<String>> done) -> {
            List<String> steps = new ArrayList<>();
            mailboxes[0].call(
                    echo(0),
                    (Echo owner, Callback<String> answer) -> {
                        steps.add("callee begins");
                        owner.echo("x", answer);
                        steps.add("callee ends");
                    },
                    PATIENT_MILLIS,
                    (value, failure) -> {
                        steps.add("answer, callee busy: " + echoes[0].busy);
                        done.complete(steps);
                    });
            steps.add("caller ends");
        });
        assertEquals(List.of("caller ends", "callee begins", "callee ends", "answer, callee busy: false"), order);
    }

    @Test
    void failuresComeBack() throws Exception {
        Failure failed = test.on(
                0,
                (CompletableFuture<Failure> done) -> mailboxes[0].call(
                        echo(1),
                        (Echo owner, Callback<String> answer) -> owner.echo("fail", answer),
                        PATIENT_MILLIS,
                        (value, failure) -> done.complete(failure)));
        assertEquals(FailureCode.DISK_FULL, failed.code());
    }

    @Test
    void anUnknownOwnerFailsInsteadOfHanging() throws Exception {
        Failure failed = test.on(
                0,
                (CompletableFuture<Failure> done) -> mailboxes[0].call(
                        echo(7),
                        (Echo owner, Callback<String> answer) -> answer.succeed(""),
                        PATIENT_MILLIS,
                        (value, failure) -> done.complete(failure)));
        assertEquals(FailureCode.SHUTTING_DOWN, failed.code());
    }

    @Test
    void callsArriveInOrder() throws Exception {
        int calls = 20_000;
        List<Integer> arrived = new ArrayList<>();
        int answered = test.on(0, (CompletableFuture<Integer> done) -> {
            int[] answers = {0};
            for (int call = 0; call < calls; call++) {
                int number = call;
                Callback<Void> answer = (value, failure) -> {
                    if (++answers[0] == calls) {
                        done.complete(answers[0]);
                    }
                };
                mailboxes[0].call(
                        echo(1),
                        (Echo owner, Callback<Void> back) -> {
                            arrived.add(number);
                            back.succeed(null);
                        },
                        PATIENT_MILLIS,
                        answer);
            }
        });
        assertEquals(calls, answered);
        for (int call = 0; call < calls; call++) {
            assertEquals(call, arrived.get(call));
        }
    }

    @Test
    void silenceTimesOutNeverEarlyAndALateAnswerIsDropped() throws Exception {
        List<FailureCode> outcomes = new ArrayList<>();
        long waited = test.on(0, (CompletableFuture<Long> done) -> {
            long start = System.nanoTime();
            mailboxes[0].call(
                    echo(1),
                    (Echo owner, Callback<String> answer) -> owner.echo("never", answer),
                    150,
                    (value, failure) -> {
                        outcomes.add(failure.code());
                        done.complete(System.nanoTime() - start);
                    });
        });
        assertTrue(waited >= TimeUnit.MILLISECONDS.toNanos(150), "early: " + waited);
        test.on(1, (CompletableFuture<Void> done) -> {
            echoes[1].unanswered.get(0).succeed("late");
            done.complete(null);
        });
        test.on(0, (CompletableFuture<Void> done) -> done.complete(null));
        test.on(0, (CompletableFuture<Void> done) -> done.complete(null));
        assertEquals(List.of(FailureCode.TIMED_OUT), outcomes);
    }

    @Test
    void tellArrives() throws Exception {
        String name = test.on(
                0,
                (CompletableFuture<String> done) -> mailboxes[0].tell(
                        echo(1),
                        (Echo owner) -> done.complete(Thread.currentThread().getName())));
        assertFalse(name.isEmpty());
    }

    /** The wheel against virtual time: every call expires, none early, none later than two ticks. */
    @Test
    void deadlinesOfAllLengths() {
        long[] now = {12_345};
        List<Runnable> timer = new ArrayList<>();
        Clock clock = new Clock() {
            @Override
            public long wallMillis() {
                return 0;
            }

            @Override
            public long monotonicNanos() {
                return now[0];
            }
        };
        Timers timers = (delay, task) -> {
            timer.add(task);
            return () -> {};
        };
        CallDeadlines deadlines = new CallDeadlines(clock, timers);
        List<Long> lateness = new ArrayList<>();
        int calls = 0;
        List<PendingCall<?, ?>> answered = new ArrayList<>();
        for (long millis : new long[] {1, 99, 100, 101, 1_000, 51_150, 51_200, 51_300, 200_000}) {
            for (int copy = 0; copy < 3; copy++) {
                long deadline = now[0] + millis * 1_000_000;
                PendingCall<Object, Object> call = new PendingCall<>(
                        (owner, done) -> {}, "", null, (value, failure) -> lateness.add(now[0] - deadline), deadline);
                deadlines.add(call);
                if (copy == 1) {
                    answered.add(call);
                } else {
                    calls++;
                }
            }
        }
        answered.forEach(deadlines::remove);
        while (deadlines.open() > 0) {
            now[0] += CallDeadlines.TICK_MILLIS * 1_000_000 + 77;
            assertEquals(1, timer.size());
            timer.remove(0).run();
        }
        assertEquals(calls, lateness.size());
        for (long late : lateness) {
            assertTrue(late >= 0 && late <= 2 * 100_100_000, "late by " + late);
        }
        assertEquals(0, timer.size(), "no timer without open calls");
    }
}
