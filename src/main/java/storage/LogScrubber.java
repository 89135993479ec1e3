package storage;

import common.Ports;
import common.Timers;
import java.util.List;
import java.util.function.Supplier;

/**
 * Reads the closed segments of one log directory again, all the time and slowly, so that rot is found before it is needed (rule S1). Begins anywhere, so that
 * restarts do not leave the same logs unread. Confined to the shard.
 */
public final class LogScrubber {

    private static final long ROUND_MILLIS = 1_000;
    /** Logs without closed segments to pass over in a round. */
    private static final int LOOKED_AT = 64;

    private final Ports ports;
    private final Supplier<List<PartitionLog>> logs;
    private final int bytesPerRound;
    private Timers.Handle timer;
    private PartitionLog current;
    private int index;
    private long allowance;
    private int left;

    /** @param bytesPerSecond 0: off */
    public LogScrubber(Ports ports, Supplier<List<PartitionLog>> logs, long bytesPerSecond) {
        this.ports = ports;
        this.logs = logs;
        this.bytesPerRound = (int) Math.min(1 << 30, bytesPerSecond);
    }

    public void start() {
        if (bytesPerRound > 0) {
            index = (int) Math.floorMod(ports.random().nextLong(), (long) Integer.MAX_VALUE);
            again();
        }
    }

    public void stop() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void again() {
        timer = ports.timers().after(ROUND_MILLIS, this::round);
    }

    private void round() {
        // A step may have read more than it should: a batch is read whole.
        allowance = Math.min(bytesPerRound, allowance + bytesPerRound);
        left = LOOKED_AT;
        step(logs.get());
    }

    private void step(List<PartitionLog> all) {
        if (allowance <= 0 || left-- <= 0 || all.isEmpty()) {
            if (timer != null) {
                again();
            }
            return;
        }
        if (current == null) {
            index = (index + 1) % all.size();
            current = all.get(index);
        }
        current.scrub((int) Math.min(allowance, bytesPerRound), (bytes, failure) -> {
            allowance -= bytes;
            if (bytes == 0) {
                current = null;
            }
            step(all);
        });
    }
}
