package arch.planted.verticles;

final class MayTellTime {
    long now() {
        return System.nanoTime();
    }
}
