package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import storage.DiskExecutor.Lane;
import storage.DiskFullException;
import storage.FileSystem.Mode;
import storage.SyncFailedException;

class RealDiskExecutorTest {
    private final TestLoops test = new TestLoops(2);
    private final DiskLanes lanes = new DiskLanes("test", 2, test.fatal::add);
    private final List<RealDiskExecutor> disks = new ArrayList<>();

    @TempDir
    Path directory;

    @BeforeEach
    void open() {
        RealFileSystem files = new RealFileSystem(directory);
        disks.add(new RealDiskExecutor(files, lanes, test.loops.get(0)));
        disks.add(new RealDiskExecutor(files, lanes, test.loops.get(1)));
    }

    @AfterEach
    void close() throws Exception {
        assertTrue(lanes.closeAndAwait(TestLoops.PATIENCE_SECONDS));
        test.close();
        assertEquals(List.of(), test.fatal);
    }

    @Test
    void appendsRunInOrderAndAnswerOnTheOwner() throws Exception {
        int jobs = 10_000;
        List<Integer> ran = new ArrayList<>();
        List<String> threads = new ArrayList<>();
        boolean inOrder = test.on(1, (CompletableFuture<Boolean> done) -> {
            String owner = Thread.currentThread().getName();
            List<Integer> answers = new ArrayList<>();
            for (int job = 0; job < jobs; job++) {
                int number = job;
                disks.get(1)
                        .run(
                                Lane.APPEND,
                                files -> {
                                    ran.add(number);
                                    threads.add(Thread.currentThread().getName());
                                    return number;
                                },
                                (value, failure) -> {
                                    assertEquals(owner, Thread.currentThread().getName());
                                    answers.add(value);
                                    if (answers.size() == jobs) {
                                        done.complete(answers.equals(ran));
                                    }
                                });
            }
        });
        assertTrue(inOrder);
        for (int job = 0; job < jobs; job++) {
            assertEquals(job, ran.get(job));
            assertEquals("disk-test", threads.get(job));
        }
    }

    @Test
    void failuresAreValues() throws Exception {
        Map<IOException, FailureCode> expected = new LinkedHashMap<>();
        expected.put(new DiskFullException("full"), FailureCode.DISK_FULL);
        expected.put(new SyncFailedException("sync", null), FailureCode.SYNC_FAILED);
        expected.put(new IOException("Input/output error"), FailureCode.STORAGE_ERROR);
        for (Map.Entry<IOException, FailureCode> entry : expected.entrySet()) {
            for (Lane lane : Lane.values()) {
                Failure failure = test.on(
                        0,
                        (CompletableFuture<Failure> done) -> disks.get(0)
                                .run(
                                        lane,
                                        files -> {
                                            throw entry.getKey();
                                        },
                                        (value, failed) -> done.complete(failed)));
                assertEquals(entry.getValue(), failure.code());
            }
        }
    }

    @Test
    void aMissingFileIsAStorageErrorThatNamesIt() throws Exception {
        Failure failure = test.on(
                0,
                (CompletableFuture<Failure> done) -> disks.get(0)
                        .run(
                                Lane.BLOCKING,
                                files -> files.open("missing.log", Mode.READ),
                                (value, failed) -> done.complete(failed)));
        assertEquals(FailureCode.STORAGE_ERROR, failure.code());
        assertTrue(failure.message().contains("missing.log"));
    }

    /** The answer to a refused job comes like any other: later, on the owner. */
    @Test
    void aFullQueueRefuses() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        AppendThread appends = new AppendThread("small", 2, test.fatal::add);
        List<String> ran = new ArrayList<>();
        CountDownLatch started = new CountDownLatch(1);
        assertTrue(appends.submit(task(() -> {
            started.countDown();
            await(blocked);
        })));
        started.await();
        assertTrue(appends.submit(task(() -> ran.add("first"))));
        assertTrue(appends.submit(task(() -> ran.add("second"))));
        assertFalse(appends.submit(task(() -> ran.add("third"))));
        blocked.countDown();
        assertTrue(
                appends.closeAndAwait(TestLoops.PATIENCE_SECONDS * 1_000L), "accepted tasks are finished at the close");
        assertEquals(List.of("first", "second"), ran);
        assertFalse(appends.submit(task(() -> ran.add("closed"))));
    }

    @Test
    void closedLanesAnswerOverloaded() throws Exception {
        lanes.close();
        for (Lane lane : Lane.values()) {
            Failure failure = test.on(
                    0,
                    (CompletableFuture<Failure> done) ->
                            disks.get(0).run(lane, files -> "", (value, failed) -> done.complete(failed)));
            assertEquals(FailureCode.OVERLOADED, failure.code());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static DiskWork task(Runnable work) {
        return new DiskWork() {
            @Override
            void run() {
                work.run();
            }

            @Override
            void deliver() {}
        };
    }
}
