package verticles;

import io.netty.channel.EventLoop;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.List;

/**
 * One owner's event loop with its queue of things to do: answers of other owners, results of disk jobs, calls. Whatever a machine of this owner does,
 * it does inside {@link #runQueued} or {@link #enter}, on one thread, with the owner's Vert.x context as the current one.
 */
final class OwnerLoop {
    /** Tasks run in one turn of the event loop before its sockets get theirs. */
    private static final int TASKS_PER_TURN = 512;

    /** Tasks after which gathered work for other threads is handed over though the turn goes on. */
    private static final int TASKS_PER_HANDOVER = 16;

    private final ContextInternal context;
    private final int index;
    private final EventLoop eventLoop;
    private final FatalErrors fatalErrors;
    private final TaskQueue queue = new TaskQueue();
    private final Runnable drain = this::runQueued;

    private final List<Runnable> turnEnds = new ArrayList<>();
    private int turnDepth;

    /** What a turn left over; owner only. */
    private QueuedTask rest;

    /** @param index the number of this event loop in the node, from 0 */
    OwnerLoop(ContextInternal context, int index, FatalErrors fatalErrors) {
        this.context = context;
        this.index = index;
        this.eventLoop = context.nettyEventLoop();
        this.fatalErrors = fatalErrors;
    }

    int index() {
        return index;
    }

    EventLoop eventLoop() {
        return eventLoop;
    }

    boolean isCurrentThread() {
        return eventLoop.inEventLoop();
    }

    /** Runs {@code work} now, on any thread, so that what it makes of Vert.x belongs to this owner's context. */
    void inContext(Runnable work) {
        ContextInternal before = context.beginDispatch();
        try {
            work.run();
        } finally {
            context.endDispatch(before);
        }
    }

    /** Any thread: runs {@code task} on the owner later, never inside the caller's stack. */
    void post(QueuedTask task) {
        if (queue.push(task)) {
            eventLoop.execute(drain);
        }
    }

    /** As {@link #post(QueuedTask)}, for rare work. */
    void post(Runnable work) {
        post(new QueuedTask() {
            @Override
            void run() {
                work.run();
            }
        });
    }

    /** Any thread. True if the caller must see to it that {@link #runQueued} is called on the owner. */
    boolean enqueue(QueuedTask task) {
        return queue.push(task);
    }

    /** Runs what is queued. On the owner's event loop. */
    void runQueued() {
        ContextInternal before = enter();
        try {
            int left = TASKS_PER_TURN;
            QueuedTask task = rest == null ? queue.takeAllOrSleep() : rest;
            while (task != null) {
                if (left-- == 0) {
                    eventLoop.execute(drain);
                    break;
                }
                QueuedTask next = task.earlier;
                task.earlier = null;
                task.run();
                if (left % TASKS_PER_HANDOVER == 0) {
                    endTurn();
                }
                task = next == null ? queue.takeAllOrSleep() : next;
            }
            rest = task;
        } catch (Throwable e) {
            fatalErrors.report(e);
        } finally {
            leave(before);
        }
    }

    /** Runs {@code work} now as the owner. On the owner's event loop, from Netty's or Vert.x's stack. */
    void enter(Runnable work) {
        ContextInternal before = enter();
        try {
            work.run();
        } catch (Throwable e) {
            fatalErrors.report(e);
        } finally {
            leave(before);
        }
    }

    /** As {@link #enter(Runnable)} without an object to run: from here to {@link #leave} the caller acts as the owner. */
    ContextInternal enter() {
        turnDepth++;
        return context.beginDispatch();
    }

    void leave(ContextInternal before) {
        if (turnDepth == 1 && !turnEnds.isEmpty()) {
            endTurn();
        }
        turnDepth--;
        context.endDispatch(before);
    }

    /** True while the owner does something, from the point of view of its own thread. */
    boolean inTurn() {
        return eventLoop.inEventLoop() && turnDepth > 0;
    }

    /** Runs {@code action} once when the owner has nothing more to do for now: work for others that is cheaper handed over together. In a turn only. */
    void atTurnEnd(Runnable action) {
        turnEnds.add(action);
    }

    private void endTurn() {
        for (int index = 0; index < turnEnds.size(); index++) {
            turnEnds.get(index).run();
        }
        turnEnds.clear();
    }

    FatalErrors fatalErrors() {
        return fatalErrors;
    }
}
