package replication;

import common.FailureCode;
import java.util.Set;
import java.util.TreeSet;
import sim.SimRandom;
import sim.SimScheduler;

/** An idempotent producer: one batch after the other, each sent again until it is acknowledged. */
final class ReplicaProducer {
    private static final short ALL = -1;

    /** Neither says that the batch is or ever will be there. */
    private static final Set<FailureCode> FATAL = new TreeSet<>(Set.of(
            FailureCode.OUT_OF_ORDER_SEQUENCE,
            FailureCode.INVALID_PRODUCER_EPOCH,
            FailureCode.CORRUPT_BATCH,
            FailureCode.INTERNAL));

    private final ReplicaWorld world;
    private final int number;
    private final SimRandom random;
    private int sequence;
    private int attempt;
    private long lastAck;
    private boolean stopped;

    ReplicaProducer(ReplicaWorld world, int number, SimRandom random) {
        this.world = world;
        this.number = number;
        this.random = random;
    }

    static String name(long producerId, int sequence) {
        return producerId + "/" + sequence;
    }

    int number() {
        return number;
    }

    void begin() {
        next();
    }

    void stop() {
        stopped = true;
    }

    boolean ackedAfter(long instant) {
        return lastAck > instant;
    }

    private void next() {
        if (stopped) {
            return;
        }
        int mine = ++attempt;
        String value = "v" + "x".repeat(random.below(200));
        world.send(
                100 + number,
                world.target(random).id,
                node -> node.produce(TransactionLab.batch(number, 0, sequence, false, value), ALL, (outcome, none) -> {
                    int of = sequence;
                    if (outcome.failure() == null) {
                        // Judged where it is said; the producer may never hear of it.
                        if (mine == attempt) {
                            world.acked(
                                    name(number, of), outcome.value().append().baseOffset());
                            sequence++;
                            lastAck = world.now();
                            later(random.belowLong(60 * SimScheduler.MILLI));
                        }
                    } else if (mine == attempt) {
                        // One that does not know yet that it was deposed lacks what others have.
                        world.require(
                                !FATAL.contains(outcome.failure().code()) || !world.leads(node),
                                "P2 a retry is no gap",
                                name(number, of) + ": " + outcome.failure());
                        world.count("refused." + outcome.failure().code());
                        later(50 * SimScheduler.MILLI);
                    }
                }));
        world.after(null, 2_000 * SimScheduler.MILLI, () -> {
            if (mine == attempt) {
                next();
            }
        });
    }

    private void later(long nanos) {
        int mine = ++attempt;
        world.after(null, nanos, () -> {
            if (mine == attempt) {
                next();
            }
        });
    }
}
