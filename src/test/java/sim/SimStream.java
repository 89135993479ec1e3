package sim;

import java.util.ArrayDeque;

/** One direction of a connection: all arrives once and in order, late, and after the end of a cut. */
final class SimStream {
    private final SimScheduler scheduler;
    private final SimPath path;
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private long last;

    private record Held(SimLife receiver, Runnable arrival) {}

    SimStream(SimScheduler scheduler, SimPath path) {
        this.scheduler = scheduler;
        this.path = path;
    }

    /** @param receiver without which it does not arrive; null: always */
    void send(SimLife receiver, String what, Runnable arrival) {
        last = Math.max(last + 1, scheduler.now() + path.latency());
        scheduler.at(last, receiver, what, () -> arrive(receiver, arrival));
    }

    private void arrive(SimLife receiver, Runnable arrival) {
        if (held.isEmpty() && !path.isCut()) {
            arrival.run();
            return;
        }
        if (held.isEmpty()) {
            path.await(this);
        }
        held.add(new Held(receiver, arrival));
    }

    /** The path is whole again: what waited is sent once more. */
    void resume() {
        scheduler.after(path.latency(), null, "resent", () -> {
            while (!held.isEmpty()) {
                if (path.isCut()) {
                    path.await(this);
                    return;
                }
                Held next = held.poll();
                if (next.receiver == null) {
                    next.arrival.run();
                } else {
                    next.receiver.run(next.arrival);
                }
            }
        });
    }
}
