package arch.planted.storage;

import arch.Breaks;

@Breaks("R2")
final class TellsTime {
    long now() {
        return System.nanoTime();
    }
}
