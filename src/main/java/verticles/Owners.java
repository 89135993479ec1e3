package verticles;

import common.Check;
import common.OwnerId;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which owners this node has, and the event bus address of each. Thread safe.
 *
 * <p>A message to an owner is put into its queue; when that was asleep, one message on the local event bus (by reference, without an answer) rings its bell.
 * So a burst of calls to one owner costs one bus message and one wake-up.
 */
final class Owners {
    private final Vertx vertx;
    private final Map<OwnerId<?>, Entry> entries = new ConcurrentHashMap<>();

    Owners(Vertx vertx) {
        this.vertx = vertx;
        vertx.eventBus().registerDefaultCodec(OwnerLoop.class, new ReferenceCodec());
    }

    /** An owner that can be called. */
    static final class Entry {
        private final Object owner;
        private final OwnerLoop loop;
        private final String address;
        private final Vertx vertx;
        private final DeliveryOptions options =
                new DeliveryOptions().setLocalOnly(true).setCodecName(ReferenceCodec.NAME);

        Entry(Vertx vertx, Object owner, OwnerLoop loop, String address) {
            this.vertx = vertx;
            this.owner = owner;
            this.loop = loop;
            this.address = address;
        }

        /** The owner, if this is the entry of {@code id}. */
        <O> O as(OwnerId<O> id) {
            return id.type().cast(owner);
        }

        /** Any thread. */
        void deliver(QueuedTask task) {
            if (loop.enqueue(task)) {
                vertx.eventBus().send(address, loop, options);
            }
        }
    }

    /** Makes {@code owner} reachable under {@code id}; its messages run on {@code loop}. Any thread, before anybody calls it. */
    <O> void register(OwnerId<O> id, O owner, OwnerLoop loop) {
        String address = "owner." + id.type().getSimpleName() + "." + id.index();
        loop.inContext(() -> vertx.eventBus()
                .<OwnerLoop>localConsumer(address, message -> message.body().runQueued()));
        Check.invariant(
                entries.putIfAbsent(id, new Entry(vertx, owner, loop, address)) == null, "two owners of one id");
    }

    /** Null if there is none (yet). */
    Entry find(OwnerId<?> id) {
        return entries.get(id);
    }
}
