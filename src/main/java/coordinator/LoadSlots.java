package coordinator;

import java.util.ArrayDeque;

/** How many partitions are loaded at once: what each has read and decoded lies in memory. Confined to the owner. */
final class LoadSlots {
    private final ArrayDeque<Slot> waiting = new ArrayDeque<>();
    private int free;
    private boolean handingOut;

    /** A claim that waits its turn; given back once. */
    final class Slot {
        private Runnable start;
        private boolean held;
        private boolean over;

        private Slot(Runnable start) {
            this.start = start;
        }

        /** Runs its task when it is its turn, perhaps at once. */
        void claim() {
            waiting.add(this);
            handOut();
        }

        /** Gives the slot back, or withdraws the claim. Idempotent. */
        void release() {
            if (over) {
                return;
            }
            over = true;
            start = null;
            if (held) {
                free++;
                handOut();
            } else {
                waiting.remove(this);
            }
        }
    }

    LoadSlots(int count) {
        this.free = count;
    }

    Slot slot(Runnable start) {
        return new Slot(start);
    }

    private void handOut() {
        if (handingOut) {
            // What starts may end at once: not inside of its own stack.
            return;
        }
        handingOut = true;
        while (free > 0 && !waiting.isEmpty()) {
            Slot slot = waiting.poll();
            slot.held = true;
            free--;
            slot.start.run();
        }
        handingOut = false;
    }
}
