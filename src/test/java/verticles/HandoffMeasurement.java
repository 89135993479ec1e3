package verticles;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import storage.DiskExecutor.Lane;
import storage.FileHandle;
import storage.FileSystem.Mode;

/** Measures, by hand, what a disk job costs from an event loop: `java ... verticles.HandoffMeasurement`. Not a test. */
final class HandoffMeasurement {
    private HandoffMeasurement() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createTempDirectory("host-handoff");
        TestLoops test = new TestLoops(1);
        DiskLanes lanes = new DiskLanes("measure", 1, test.fatal::add);
        RealFileSystem files = new RealFileSystem(directory);
        RealDiskExecutor disk = new RealDiskExecutor(files, lanes, test.loops.get(0));
        FileHandle file = files.open("log", Mode.CREATE);
        ByteBuffer[] kilobyte = {ByteBuffer.allocateDirect(1024)};
        for (int round = 0; round < 4; round++) {
            latency(test, disk, file, kilobyte, 5_000, 0);
            latency(test, disk, file, kilobyte, 1_000, 1_000);
            throughput(test, disk, 500_000, 64);
        }
        long start = System.nanoTime();
        for (int write = 0; write < 20_000; write++) {
            kilobyte[0].clear();
            file.write(kilobyte, 1, write * 1024L);
        }
        System.out.printf("bare write of 1 KiB: %.1f us%n", (System.nanoTime() - start) / 20_000e3);
        lanes.close();
        test.close();
    }

    private static void latency(
            TestLoops test, RealDiskExecutor disk, FileHandle file, ByteBuffer[] bytes, int count, int pauseMicros)
            throws Exception {
        long[] took = new long[count];
        for (int job = 0; job < count; job++) {
            int position = job;
            took[job] = test.on(0, (CompletableFuture<Long> done) -> {
                long start = System.nanoTime();
                disk.run(
                        Lane.APPEND,
                        ignored -> {
                            bytes[0].clear();
                            file.write(bytes, 1, position * 1024L);
                            return null;
                        },
                        (value, failure) -> done.complete(System.nanoTime() - start));
            });
            if (pauseMicros > 0) {
                // What is measured is a job after idleness: the pause is the load, no test waits by it.
                LockSupport.parkNanos(pauseMicros * 1_000L);
            }
        }
        Arrays.sort(took);
        System.out.printf(
                "job with a 1 KiB write, pause %d us: median %.1f us, p99 %.1f us%n",
                pauseMicros, took[count / 2] / 1e3, took[count * 99 / 100] / 1e3);
    }

    private static void throughput(TestLoops test, RealDiskExecutor disk, int jobs, int inFlight) throws Exception {
        long nanos = test.on(0, (CompletableFuture<Long> done) -> {
            long start = System.nanoTime();
            int[] left = {jobs, jobs};
            Runnable[] next = new Runnable[1];
            next[0] = () -> {
                if (left[0]-- > 0) {
                    disk.run(Lane.APPEND, ignored -> null, (value, failure) -> {
                        if (--left[1] == 0) {
                            done.complete(System.nanoTime() - start);
                        }
                        next[0].run();
                    });
                }
            };
            for (int first = 0; first < inFlight; first++) {
                next[0].run();
            }
        });
        System.out.printf("empty jobs, %d in flight: %.2f us each%n", inFlight, nanos / 1e3 / jobs);
    }
}
