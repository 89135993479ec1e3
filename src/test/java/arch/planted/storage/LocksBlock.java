package arch.planted.storage;

import arch.Breaks;

@Breaks("R3")
final class LocksBlock {
    private final Object lock = new Object();
    private int count;

    int add() {
        synchronized (lock) {
            return ++count;
        }
    }
}
