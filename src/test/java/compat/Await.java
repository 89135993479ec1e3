package compat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what another process does; the limit only ends a test that fails anyway. */
public final class Await {
    private static final long LIMIT_SECONDS = 120;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    public interface Condition {
        boolean holds() throws Exception;
    }

    private Await() {}

    public static void until(String what, Condition condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + LIMIT_SECONDS + " s: " + what);
            }
            briefly();
        }
    }

    static void briefly() {
        LockSupport.parkNanos(PAUSE_NANOS);
    }
}
