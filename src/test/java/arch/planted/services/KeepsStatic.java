package arch.planted.services;

import arch.Breaks;

@Breaks("R7")
final class KeepsStatic {
    private static int count;

    static int next() {
        return ++count;
    }
}
