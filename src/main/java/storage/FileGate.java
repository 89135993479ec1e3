package storage;

import java.util.ArrayDeque;

/**
 * Keeps apart who looks at a log's files of itself, to check or to mend them, and who cuts or renames them, which would look like damage. Any number may look;
 * who holds the gate waits for them, and newcomers wait for it. Confined to the log's owner.
 */
final class FileGate {

    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(0);
    private int inside;
    private boolean held;
    private Runnable holder;

    boolean held() {
        return held;
    }

    /** Runs {@code task} when nobody holds the gate; before this returns as a rule. */
    void whenFree(Runnable task) {
        if (held) {
            waiting.add(task);
        } else {
            task.run();
        }
    }

    /** A job that looks at files begins. */
    void enter() {
        inside++;
    }

    void left() {
        inside--;
        startHolder();
    }

    /** Runs {@code task} once no job is inside; newcomers wait until {@link #release}. */
    void hold(Runnable task) {
        held = true;
        holder = task;
        startHolder();
    }

    private void startHolder() {
        Runnable task = holder;
        if (inside == 0 && task != null) {
            holder = null;
            task.run();
        }
    }

    void release() {
        held = false;
        while (!held && !waiting.isEmpty()) {
            waiting.poll().run();
        }
    }
}
