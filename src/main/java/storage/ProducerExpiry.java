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
    private long expirationMillis;
    private final ArrayDeque<PartitionLog> left = new ArrayDeque<>();
    private Timers.Handle timer;

    /**
     * @param logs all logs of the shard at the moment
     * @param expirationMillis Kafka's producer.id.expiration.ms (rule P6), until {@link #configure}
     */
    public ProducerExpiry(Ports ports, Supplier<List<PartitionLog>> logs, long expirationMillis, long intervalMillis) {
        this.ports = ports;
        this.logs = logs;
        this.expirationMillis = expirationMillis;
        this.intervalMillis = intervalMillis;
    }

    public void start() {
        timer = ports.timers().after(intervalMillis, this::round);
    }

    /** In force from the next turn on. */
    public void configure(long nowExpirationMillis) {
        expirationMillis = nowExpirationMillis;
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
            int looked = left.peek().expireProducers(wallMillis, expirationMillis, room);
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
