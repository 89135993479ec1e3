package coordinator;

import common.Failure;
import java.util.function.Consumer;

/**
 * A request that waits in its shard for something that is under way, and is run again then. Without effect once it was resumed or has failed, and when its records
 * were not taken. Confined to the owner.
 */
public final class Suspension {
    private Runnable again;
    private Consumer<Failure> refused;
    private boolean over;

    /** The runtime has taken what the request has yielded so far. */
    void begin(Runnable resumed, Consumer<Failure> failed) {
        again = resumed;
        refused = failed;
    }

    /** Whether the request still waits: false when it was not taken, and once its time is up. */
    public boolean isPending() {
        return again != null && !over;
    }

    /** Nobody waits for the answer any more. */
    void end() {
        over = true;
    }

    /** The request is run again soon, never inside the caller's stack. */
    public void resume() {
        if (again != null) {
            again.run();
        }
    }

    /** The request is answered with {@code why}. */
    public void fail(Failure why) {
        if (refused != null) {
            refused.accept(why);
        }
    }
}
