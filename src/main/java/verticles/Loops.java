package verticles;

import common.Check;
import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;

/** The node's event loops, numbered; each is one owner's thread. Immutable. */
final class Loops {
    private final List<OwnerLoop> loops = new ArrayList<>();

    /** @param count the number of event loops that {@code vertx} was made with */
    Loops(Vertx vertx, int count, FatalErrors fatalErrors) {
        VertxInternal internal = (VertxInternal) vertx;
        for (int index = 0; index < count; index++) {
            loops.add(new OwnerLoop(internal.createEventLoopContext(), index, fatalErrors));
        }
        for (int index = 1; index < count; index++) {
            Check.invariant(find(loops.get(index).eventLoop()) == loops.get(index), "two owners on one event loop");
        }
    }

    int count() {
        return loops.size();
    }

    OwnerLoop get(int index) {
        return loops.get(index);
    }

    /** The one whose thread calls. */
    OwnerLoop current() {
        OwnerLoop found = find(ContextInternal.current().nettyEventLoop());
        Check.invariant(found != null, "not on an event loop of this node");
        return found;
    }

    private OwnerLoop find(EventLoop eventLoop) {
        for (OwnerLoop loop : loops) {
            if (loop.eventLoop() == eventLoop) {
                return loop;
            }
        }
        return null;
    }
}
