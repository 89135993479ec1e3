package node;

import common.FailureCode;
import common.Lease;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import records.BatchBuilder;
import records.Codec;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produce;
import replication.ReplicaShard.ProducePartition;
import replication.ReplicaShard.Produced;
import sim.SimRandom;
import sim.SimScheduler;

/** An idempotent producer of one partition: one batch after the other, each sent again until it is acknowledged. */
final class ShardProducer {
    private static final short ALL = -1;
    private static final Lease NO_LEASE = new Lease() {
        @Override
        public void retain() {}

        @Override
        public void release() {}
    };

    /** Neither says that the batch is or ever will be there. */
    private static final Set<FailureCode> FATAL = new TreeSet<>(Set.of(
            FailureCode.OUT_OF_ORDER_SEQUENCE,
            FailureCode.INVALID_PRODUCER_EPOCH,
            FailureCode.CORRUPT_BATCH,
            FailureCode.INTERNAL));

    private final ShardWorld world;
    private final int number;
    private final int partition;
    private final SimRandom random;
    private int sequence;
    private int attempt;
    private long lastAck;
    private boolean stopped;

    ShardProducer(ShardWorld world, int number, int partition, SimRandom random) {
        this.world = world;
        this.number = number;
        this.partition = partition;
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
        int of = sequence;
        String value = "v" + "x".repeat(random.below(200));
        // The same when it is sent again.
        int records = 1 + of % 3;
        world.send(100 + number, world.target(partition, random), node -> {
            // Each delivery brings its own bytes: they are patched in place.
            Produce request = new Produce(
                    List.of(new ProducePartition(world.id(partition), batch(of, records, value))),
                    null,
                    ALL,
                    1_500,
                    (short) 12,
                    NO_LEASE);
            node.shard.produce(request, (outcomes, none) -> told(node, mine, records, outcomes.get(0)));
        });
        world.after(null, 2_000 * SimScheduler.MILLI, () -> {
            if (mine == attempt) {
                next();
            }
        });
    }

    private ByteBuffer batch(int of, int records, String value) {
        BatchBuilder builder =
                new BatchBuilder(Codec.NONE, 0, 0, new BatchBuilder.Producer(number, (short) 0, of, false));
        for (int i = 0; i < records; i++) {
            builder.add(1_000, null, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)), List.of());
        }
        return builder.build();
    }

    private void told(ShardNode node, int mine, int records, Outcome<Produced> outcome) {
        if (mine != attempt) {
            return;
        }
        if (outcome.failure() == null) {
            world.acked(
                    partition, name(number, sequence), outcome.value().append().baseOffset());
            sequence += records;
            lastAck = world.now();
            later(random.belowLong(60 * SimScheduler.MILLI));
            return;
        }
        // One that does not know yet that it was deposed lacks what others have.
        world.require(
                !FATAL.contains(outcome.failure().code()) || !world.leads(node, partition),
                "P2 a retry is no gap",
                name(number, sequence) + ": " + outcome.failure());
        world.count("refused." + outcome.failure().code());
        later(50 * SimScheduler.MILLI);
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
