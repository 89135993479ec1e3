package storage;

import common.Ports;
import common.Timers;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;

/**
 * Lets the logs of one shard forget producers of long ago ({@code producer.id.expiration.check.interval.ms}), a little at a time: a node may know millions of
 * them, and a shard has other things to do. Confined to the shard.
 */
public final class ProducerExpiry {

    /** Looked at in one turn; a log counts for one. */
    static final int MOST = 2_000;

    private static final long PAUSE_MILLIS = 5;

    private final Ports ports;
    private final Supplier<List<PartitionLog>> logs;
    private final long intervalMillis;
    private final ArrayDeque<PartitionLog> left = new ArrayDeque<>();
    private Timers.Handle timer;

    /** @param logs all logs of the shard at the moment */
    public ProducerExpiry(Ports ports, Supplier<List<PartitionLog>> logs, long intervalMillis) {
        this.ports = ports;
        this.logs = logs;
        this.intervalMillis = intervalMillis;
    }

    public void start() {
        timer = ports.timers().after(intervalMillis, this::round);
    }

    public void stop() {
        if (timer != null) {
            timer.cancel();
        }
        left.clear();
    }

    private void round() {
        left.addAll(logs.get());
        turn();
    }

    private void turn() {
        long wallMillis = ports.clock().wallMillis();
        for (int room = MOST; room > 0 && !left.isEmpty(); ) {
            int looked = left.peek().expireProducers(wallMillis, room);
            if (looked == ProducerStates.MORE) {
                break;
            }
            left.poll();
            room -= looked + 1;
        }
        timer = left.isEmpty()
                ? ports.timers().after(intervalMillis, this::round)
                : ports.timers().after(PAUSE_MILLIS, this::turn);
    }
}
