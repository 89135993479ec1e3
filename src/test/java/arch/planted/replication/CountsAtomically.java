package arch.planted.replication;

import arch.Breaks;
import java.util.concurrent.atomic.AtomicLong;

@Breaks("R3")
final class CountsAtomically {
    private final AtomicLong count = new AtomicLong();

    long add() {
        return count.incrementAndGet();
    }
}
