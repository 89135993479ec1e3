package coordinator;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import metadata.MetadataImage;

/**
 * Carries the shards of one internal topic on one event loop: one per partition that is led here. See {@link ShardHost} for what becomes of a request. Confined to
 * its owner; calls from within a callback are allowed, calls from within a shard are not.
 */
public final class CoordinatorRuntime<S extends CoordinatorShard<R>, R> implements Coordinator<S> {
    /** Pieces of so many partitions are in memory at once. */
    private static final int LOADS_AT_ONCE = 2;

    private final RuntimeSetup<S, R> setup;
    private final RuntimeStats stats;
    private final LoadSlots slots = new LoadSlots(LOADS_AT_ONCE);
    private final PendingBytes pending;
    private final StateBudget budget;
    private final TreeMap<Integer, ShardHost<S, R>> hosts = new TreeMap<>();
    private MetadataImage image;
    private boolean stopped;

    public CoordinatorRuntime(RuntimeSetup<S, R> setup, RuntimeStats stats) {
        this.setup = setup;
        this.stats = stats;
        this.pending = new PendingBytes(setup.limits().maxPendingBytesOfAll());
        this.budget = new StateBudget(
                setup.topic(), setup.ports().clock(), stats, setup.limits().maxStateBytesOfAll());
        this.image = setup.image();
    }

    /** This node leads the partition from now on: it is loaded, unless it is led in this epoch already. */
    public void lead(int partition, int leaderEpoch, PartitionStore store) {
        if (!stopped) {
            hosts.computeIfAbsent(partition, key -> new ShardHost<>(setup, key, slots, stats, pending, budget, image))
                    .lead(leaderEpoch, store);
        }
    }

    /** This node does not lead the partition any more. Nothing for one that it did not lead. */
    public void resign(int partition, String why) {
        ShardHost<S, R> host = hosts.get(partition);
        if (host != null) {
            host.resign(Failure.of(FailureCode.NOT_COORDINATOR, why));
        }
    }

    /** Newer metadata; shards are told in rising order. */
    public void imageChanged(MetadataImage now) {
        image = now;
        hosts.values().forEach(host -> host.imageChanged(now));
    }

    /** A clean stop: nothing more is taken, what was begun is committed, then every shard is unloaded. */
    public void stop(Callback<Void> done) {
        stopped = true;
        List<ShardHost<S, R>> all = List.copyOf(hosts.values());
        Gathering<Void> rest = new Gathering<>(all.size(), (none, failure) -> done.succeed(null));
        for (int i = 0; i < all.size(); i++) {
            all.get(i).drain(rest.at(i));
        }
    }

    @Override
    public <T> void write(int partition, Write<S, T> request, Callback<T> done) {
        ShardHost<S, R> host = hosts.get(partition);
        if (host == null) {
            done.fail(notLed(partition));
        } else {
            host.write(request, done);
        }
    }

    @Override
    public <T> void writeTransactional(
            int partition, ProducerTransaction transaction, Write<S, T> request, Callback<T> done) {
        ShardHost<S, R> host = hosts.get(partition);
        if (host == null) {
            done.fail(notLed(partition));
        } else {
            host.writeTransactional(transaction, request, done);
        }
    }

    @Override
    public void completeTransaction(int partition, TransactionEnd end, Callback<Void> done) {
        ShardHost<S, R> host = hosts.get(partition);
        if (host == null) {
            done.fail(notLed(partition));
        } else {
            host.complete(end, done);
        }
    }

    @Override
    public <T> void park(int partition, ParkingWrite<S, T> request, Callback<T> done) {
        ShardHost<S, R> host = hosts.get(partition);
        if (host == null) {
            done.fail(notLed(partition));
        } else {
            host.park(request, done);
        }
    }

    @Override
    public <T> void read(int partition, Read<S, T> question, Callback<T> done) {
        ShardHost<S, R> host = hosts.get(partition);
        if (host == null) {
            done.fail(notLed(partition));
        } else {
            host.read(question, done);
        }
    }

    @Override
    public <T> void readAll(Read<S, T> question, Callback<List<T>> done) {
        List<ShardHost<S, R>> led =
                hosts.values().stream().filter(ShardHost::countsForAll).toList();
        Gathering<T> answers = new Gathering<>(led.size(), done);
        for (int i = 0; i < led.size(); i++) {
            led.get(i).read(question, answers.at(i));
        }
    }

    private Failure notLed(int partition) {
        return Failure.of(FailureCode.NOT_COORDINATOR, setup.topic() + "-" + partition + " is not led here");
    }

    /** Gathers one answer per question, in order; fails with the first failure, after all have come. */
    private static final class Gathering<T> {
        private final List<T> answers = new ArrayList<>();
        private final Callback<List<T>> done;
        private Failure first;
        private int left;

        Gathering(int count, Callback<List<T>> done) {
            this.done = done;
            this.left = count;
            for (int i = 0; i < count; i++) {
                answers.add(null);
            }
            if (count == 0) {
                done.succeed(answers);
            }
        }

        Callback<T> at(int index) {
            return (answer, failure) -> {
                answers.set(index, answer);
                first = first == null ? failure : first;
                if (--left == 0) {
                    done.done(first == null ? answers : null, first);
                }
            };
        }
    }
}
