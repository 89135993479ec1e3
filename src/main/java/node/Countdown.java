package node;

import common.Callback;
import common.Failure;

/** Calls back once when {@code count} parts have ended, with the first failure among them. Confined to its owner. */
final class Countdown {
    private final Callback<Void> done;
    private int left;
    private Failure first;

    Countdown(int count, Callback<Void> done) {
        this.left = count;
        this.done = done;
        if (count == 0) {
            done.succeed(null);
        }
    }

    void one(Failure failure) {
        first = first == null ? failure : first;
        if (--left == 0) {
            done.done(null, first);
        }
    }
}
