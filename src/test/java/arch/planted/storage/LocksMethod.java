package arch.planted.storage;

import arch.Breaks;

@Breaks("R3")
final class LocksMethod {
    private int count;

    synchronized void add() {
        count++;
    }

    synchronized int count() {
        return count;
    }
}
