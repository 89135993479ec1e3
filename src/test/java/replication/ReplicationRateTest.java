package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bytes per second over a window. */
class ReplicationRateTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void whoMovesWhatItMayKeepsToTheLimitInTheLongRun() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            int samples = 2 + random.nextInt(10);
            int seconds = 1 + random.nextInt(3);
            long limit = 1_000L + random.nextInt(1_000_000);
            long most = 1L + random.nextInt((int) limit);
            ReplicationRate rate = new ReplicationRate(samples, seconds);
            rate.limit(limit);
            long moved = 0;
            long now = random.nextLong() / 4;
            long end = now + 600 * SECOND;
            while (now < end) {
                now += 1 + random.nextInt(200_000_000);
                if (!rate.exceeded(now)) {
                    long bytes = 1L + random.nextInt((int) most);
                    rate.record(bytes, now);
                    moved += bytes;
                }
            }
            String where = "seed " + seed + ": " + moved / 600 + " of " + limit;
            assertTrue(moved < 750 * limit, where);
            boolean oftenEnough = most > limit / 2;
            assertTrue(!oftenEnough || moved > 450 * limit, where);
        }
    }

    @Test
    void withoutALimitNothingIsExceeded() {
        ReplicationRate rate = new ReplicationRate(11, 1);
        rate.limit(Long.MAX_VALUE);
        rate.record(Long.MAX_VALUE / 2, SECOND);
        assertFalse(rate.isLimited());
        assertFalse(rate.exceeded(2 * SECOND));
        rate.limit(0);
        assertTrue(rate.exceeded(2 * SECOND), "what was moved before counts");
        assertEquals(false, rate.exceeded(60 * SECOND), "until it has fallen out of the window");
    }
}
