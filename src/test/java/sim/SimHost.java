package sim;

import common.Callback;
import common.Chance;
import common.Failure;
import common.Mutations;
import common.OwnerId;
import common.Ports;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import storage.DiskExecutor;

/**
 * One process on one disk with all its fakes, for tests of machines alone. {@link #powerCut} and {@link #kill} end it and give the next process on the same
 * disk, with the disk's faults, and in the same time.
 */
public final class SimHost {
    private static final long LIMIT_MILLIS = 3_600_000;

    private final SimRandom random;
    private final SimScheduler scheduler;
    private final SimDisk disk;
    private final SimClock clock;
    private final int incarnation;
    private final SimLife life;
    private final SimFileSystem files;
    private final SimDiskExecutor executor;
    private final SimMailboxes mailboxes;
    private final SimMetrics metrics = new SimMetrics();
    private Mutations mutations = Mutations.NONE;
    private Chance chance = Chance.NEVER;

    public SimHost(long seed) {
        this(new SimRandom(seed));
    }

    /** One of several processes on disks of their own, in the time of {@code scheduler}. */
    public SimHost(SimRandom random, SimScheduler scheduler) {
        this(random, scheduler, new SimDisk(random.split("disk")), null, 0);
    }

    private SimHost(SimRandom random) {
        this(random, new SimScheduler(random), new SimDisk(random.split("disk")), null, 0);
    }

    private SimHost(SimRandom random, SimScheduler scheduler, SimDisk disk, SimClock clock, int incarnation) {
        this.random = random;
        this.scheduler = scheduler;
        this.disk = disk;
        this.clock = clock == null ? new SimClock(scheduler) : clock;
        this.incarnation = incarnation;
        this.life = new SimLife("process " + incarnation);
        SimRandom own = random.split("process" + incarnation);
        this.files = new SimFileSystem(disk, life, this.clock);
        this.executor = new SimDiskExecutor(scheduler, life, files, own.split("executor"), 100_000);
        this.mailboxes = new SimMailboxes(scheduler, life, own.split("mailboxes"), 50_000);
    }

    /** Ports of one owner. */
    public Ports ports(OwnerId<?> owner) {
        return new Ports(
                clock,
                new SimTimers(scheduler, clock, life, random, 0),
                random.split("owner" + owner.index() + incarnation),
                mailboxes.of(owner),
                metrics,
                chance,
                mutations);
    }

    /** Ports for a machine whose owner does not matter. */
    public Ports ports() {
        return ports(new OwnerId<>(SimHost.class, 0));
    }

    public DiskExecutor executor() {
        return executor;
    }

    public SimFileSystem files() {
        return files;
    }

    public SimDisk disk() {
        return disk;
    }

    public SimMailboxes mailboxes() {
        return mailboxes;
    }

    public SimClock clock() {
        return clock;
    }

    public SimScheduler scheduler() {
        return scheduler;
    }

    public SimRandom random() {
        return random;
    }

    public SimMetrics metrics() {
        return metrics;
    }

    public SimLife life() {
        return life;
    }

    /** For ports given out from now on, here and in later processes. */
    public void mutations(Mutations planted) {
        mutations = planted;
    }

    public void chance(Chance unlucky) {
        chance = unlucky;
    }

    /** Lets virtual time pass. */
    public void runFor(long millis) {
        scheduler.runFor(millis * SimScheduler.MILLI);
    }

    /** Runs an operation and waits, in virtual time, for its success. */
    public <T> T await(Consumer<Callback<T>> operation) {
        Outcome<T> outcome = awaitOutcome(operation);
        if (outcome.failure() != null) {
            throw new AssertionError("failed: " + outcome.failure());
        }
        return outcome.value();
    }

    /** Runs an operation and waits, in virtual time, for its failure. */
    public <T> Failure awaitFailure(Consumer<Callback<T>> operation) {
        Outcome<T> outcome = awaitOutcome(operation);
        if (outcome.failure() == null) {
            throw new AssertionError("succeeded: " + outcome.value());
        }
        return outcome.failure();
    }

    /** What an operation came to. */
    public record Outcome<T>(T value, Failure failure) {}

    public <T> Outcome<T> awaitOutcome(Consumer<Callback<T>> operation) {
        AtomicReference<Outcome<T>> outcome = new AtomicReference<>();
        operation.accept((value, failure) -> {
            if (outcome.getAndSet(new Outcome<>(value, failure)) != null) {
                throw new AssertionError("called back twice: " + value + " " + failure);
            }
        });
        long limit = scheduler.now() + LIMIT_MILLIS * SimScheduler.MILLI;
        if (!scheduler.runUntil(() -> outcome.get() != null || !life.alive(), limit)) {
            throw new AssertionError("no outcome within an hour of virtual time");
        }
        if (outcome.get() == null) {
            throw new SimCrash("the process crashed meanwhile");
        }
        return outcome.get();
    }

    /** As by SIGSTOP, until {@link #resume}. */
    public void pause() {
        life.pause();
    }

    public void resume() {
        life.resume();
    }

    /** Loss of power now; the next process on what the disk kept. */
    public SimHost powerCut() {
        life.end();
        disk.powerCut();
        return next();
    }

    /** kill -9 now; the next process on all that was written. */
    public SimHost kill() {
        life.end();
        disk.kill();
        return next();
    }

    private SimHost next() {
        SimHost next = new SimHost(random, scheduler, disk, clock, incarnation + 1);
        next.mutations = mutations;
        next.chance = chance;
        return next;
    }
}
