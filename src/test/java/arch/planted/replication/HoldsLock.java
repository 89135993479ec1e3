package arch.planted.replication;

import arch.Breaks;
import java.util.concurrent.locks.ReentrantLock;

@Breaks("R3")
final class HoldsLock {
    private final ReentrantLock lock = new ReentrantLock();

    void lock() {
        lock.lock();
    }
}
