package node;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What changes the metadata log, one piece after the other in the order in which it was asked for: what consensus has cut, appended or installed, and what the
 * active controller appends. Confined to the controller's owner.
 */
final class LogWork {
    private final Deque<Piece> pieces = new ArrayDeque<>();
    private int own;
    private boolean running;

    /** Told that a piece has come to its end. */
    @FunctionalInterface
    interface Finish {
        /** The piece no longer counts as under way; then {@code tell} runs, before the next piece begins. Once. */
        void then(Runnable tell);
    }

    /** Something that takes a while. */
    @FunctionalInterface
    interface Step {
        void run(Finish finish);
    }

    private record Piece(boolean own, Step step) {}

    /** @param ownRecords it may append records of this node's own leadership */
    void add(boolean ownRecords, Step step) {
        pieces.addLast(new Piece(ownRecords, step));
        own += ownRecords ? 1 : 0;
        next();
    }

    /** Whether records of this node's own are on their way to the log (see {@link raft.RaftLog#writing}). */
    boolean hasOwnRecords() {
        return own > 0;
    }

    private void next() {
        if (running || pieces.isEmpty()) {
            return;
        }
        running = true;
        Piece piece = pieces.removeFirst();
        piece.step.run(tell -> {
            own -= piece.own ? 1 : 0;
            tell.run();
            running = false;
            next();
        });
    }
}
