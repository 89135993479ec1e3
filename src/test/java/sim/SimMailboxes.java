package sim;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.InvariantViolation;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The local bus of one process. Each message is an event after a random delay; order holds per pair of owners. A message to an owner that is not
 * registered is lost (a call then times out).
 */
public final class SimMailboxes {
    private final SimScheduler scheduler;
    private final SimLife life;
    private final SimRandom random;
    private final long maxDelayNanos;
    private final SimLag lag;
    private final Map<OwnerId<?>, Object> owners = new LinkedHashMap<>();
    private final Map<Pair, Long> lastDelivery = new LinkedHashMap<>();

    private record Pair(OwnerId<?> from, OwnerId<?> to) {}

    /** @param maxDelayNanos longest delay of a message, > 0 */
    public SimMailboxes(SimScheduler scheduler, SimLife life, SimRandom random, long maxDelayNanos) {
        this(scheduler, life, random, maxDelayNanos, new SimLag());
    }

    /** @param lag more delay, of few messages */
    SimMailboxes(SimScheduler scheduler, SimLife life, SimRandom random, long maxDelayNanos, SimLag lag) {
        this.lag = lag;
        this.scheduler = scheduler;
        this.life = life;
        this.random = random;
        this.maxDelayNanos = maxDelayNanos;
    }

    public <O> void register(OwnerId<O> id, O owner) {
        owners.put(id, owner);
    }

    /** The bus as one owner sees it. */
    public Mailboxes of(OwnerId<?> self) {
        return new View(self);
    }

    private void deliver(OwnerId<?> from, OwnerId<?> to, String what, Runnable action) {
        Pair pair = new Pair(from, to);
        long at = scheduler.now() + 1 + random.belowLong(maxDelayNanos) + lag.next(random);
        at = Math.max(at, lastDelivery.getOrDefault(pair, -1L) + 1);
        lastDelivery.put(pair, at);
        scheduler.at(at, life, what, action);
    }

    private final class View implements Mailboxes {
        private final OwnerId<?> self;

        private View(OwnerId<?> self) {
            this.self = self;
        }

        @Override
        public <O, T> void call(OwnerId<O> to, OwnerCall<O, T> call, long timeoutMillis, Callback<T> done) {
            if (timeoutMillis <= 0) {
                throw new IllegalArgumentException("timeout " + timeoutMillis);
            }
            Reply<T> reply = new Reply<>(self, to, done);
            reply.timeout = scheduler.after(
                    timeoutMillis * SimScheduler.MILLI,
                    life,
                    "call-timeout",
                    () -> reply.finish(null, Failure.of(FailureCode.TIMED_OUT, "no answer from " + to)));
            deliver(self, to, "call", () -> {
                Object owner = owners.get(to);
                if (owner != null) {
                    call.run(to.type().cast(owner), reply);
                }
            });
        }

        @Override
        public <O> void tell(OwnerId<O> to, Consumer<O> message) {
            deliver(self, to, "tell", () -> {
                Object owner = owners.get(to);
                if (owner != null) {
                    message.accept(to.type().cast(owner));
                }
            });
        }
    }

    /** Answers once: the callee's outcome or the time-out, whichever is first. */
    private final class Reply<T> implements Callback<T> {
        private final OwnerId<?> caller;
        private final OwnerId<?> callee;
        private final Callback<T> done;
        private SimScheduler.Event timeout;
        private boolean answered;
        private boolean finished;

        private Reply(OwnerId<?> caller, OwnerId<?> callee, Callback<T> done) {
            this.caller = caller;
            this.callee = callee;
            this.done = done;
        }

        @Override
        public void done(T value, Failure failure) {
            if (answered) {
                throw new InvariantViolation("second answer of " + callee + " to " + caller);
            }
            answered = true;
            deliver(callee, caller, "reply", () -> finish(value, failure));
        }

        private void finish(T value, Failure failure) {
            if (!finished) {
                finished = true;
                timeout.cancel();
                done.done(value, failure);
            }
        }
    }
}
