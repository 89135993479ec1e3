package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * Virtual time. Events run in order of (instant, random tie-break, sequence); time jumps to the next event. Everything that ran is folded into a
 * trace hash: equal seeds must give equal hashes.
 */
public final class SimScheduler {
    public static final long MILLI = 1_000_000L;
    private static final int RECENT = 64;

    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private final SimRandom ties;
    private final String[] recentWhat = new String[RECENT];
    private final long[] recentAt = new long[RECENT];
    private final long[] recentValue = new long[RECENT];
    private long recentCount;
    private long now;
    private long sequence;
    private long executed;
    private long hash = 17;
    private SimTrace trace;
    private long mostEvents = Long.MAX_VALUE;
    private Runnable guard = () -> {};

    public SimScheduler(SimRandom random) {
        this.ties = random.split("scheduler");
    }

    /** A planned event. */
    public static final class Event implements Comparable<Event> {
        private final long at;
        private final long tie;
        private final long sequence;
        private final SimLife life;
        private final String what;
        private Runnable action;

        private Event(long at, long tie, long sequence, SimLife life, String what, Runnable action) {
            this.at = at;
            this.tie = tie;
            this.sequence = sequence;
            this.life = life;
            this.what = what;
            this.action = action;
        }

        /** It will not run, if it has not. */
        public void cancel() {
            action = null;
        }

        @Override
        public int compareTo(Event other) {
            int order = Long.compare(at, other.at);
            if (order == 0) {
                order = Long.compare(tie, other.tie);
            }
            return order == 0 ? Long.compare(sequence, other.sequence) : order;
        }
    }

    public long now() {
        return now;
    }

    public long executed() {
        return executed;
    }

    public long traceHash() {
        return hash;
    }

    /** Where all that happens is written; null for nowhere. */
    void trace(SimTrace sink) {
        trace = sink;
    }

    /** Ends the run with a broken rule after so many events: time does not pass, or much too slowly. */
    void limit(long events) {
        mostEvents = events;
    }

    /** Asked every thousand events or so; may throw. */
    void guard(Runnable check) {
        guard = check;
    }

    /** Something that a client sees or does, for the trace. */
    void say(String who, String what, String text) {
        if (trace != null) {
            trace.message(now, executed, who, what, text);
        }
    }

    boolean traced() {
        return trace != null;
    }

    /** Runs {@code action} {@code nanos} from now, unless {@code life} (null: the world itself) has ended by then. */
    public Event after(long nanos, SimLife life, String what, Runnable action) {
        return at(now + Math.max(0, nanos), life, what, action);
    }

    public Event at(long instant, SimLife life, String what, Runnable action) {
        Event event = new Event(Math.max(now, instant), ties.nextLong(), sequence++, life, what, action);
        queue.add(event);
        return event;
    }

    /** Runs the next event; false when there is none. */
    public boolean step() {
        return stepUntil(Long.MAX_VALUE);
    }

    private boolean stepUntil(long limit) {
        while (true) {
            Event next = queue.peek();
            if (next == null || next.at > limit) {
                return false;
            }
            queue.poll();
            if (next.life != null && next.life.paused()) {
                next.life.run(() -> late(next));
            } else if (next.action != null && (next.life == null || next.life.alive())) {
                now = next.at;
                executed++;
                if (executed > mostEvents) {
                    throw new RuleBroken("livelock or slow", "more than " + mostEvents + " events");
                }
                if (executed % 1_024 == 0) {
                    guard.run();
                }
                note(next.what, next.sequence);
                next.action.run();
                return true;
            }
        }
    }

    /** An event of a process that was paused. */
    private void late(Event event) {
        if (event.action != null) {
            note(event.what, event.sequence);
            event.action.run();
        }
    }

    /** Runs all events up to {@code instant}, then sets the clock there. */
    public void runUntil(long instant) {
        while (stepUntil(instant)) {
            // one event at a time
        }
        now = Math.max(now, instant);
    }

    public void runFor(long nanos) {
        runUntil(now + nanos);
    }

    /** Runs until the condition holds (true) or the instant has come (false). */
    public boolean runUntil(BooleanSupplier condition, long instant) {
        while (!condition.getAsBoolean()) {
            if (!stepUntil(instant)) {
                now = Math.max(now, instant);
                return condition.getAsBoolean();
            }
        }
        return true;
    }

    /** Adds something that happened to the trace. {@code what} should be a constant: it is hashed on each call. */
    public void note(String what, long value) {
        hash = SimRandom.mix(hash * 31 + what.hashCode()) ^ SimRandom.mix(value + now);
        if (trace != null) {
            trace.event(now, executed, what, value);
        }
        int slot = (int) (recentCount++ % RECENT);
        recentWhat[slot] = what;
        recentAt[slot] = now;
        recentValue[slot] = value;
    }

    /** The newest {@code count} (at most 64) entries of the trace, oldest first. */
    public List<String> recent(int count) {
        List<String> lines = new ArrayList<>();
        long from = Math.max(0, recentCount - Math.min(count, RECENT));
        for (long i = from; i < recentCount; i++) {
            int slot = (int) (i % RECENT);
            lines.add(String.format("%14.6f ms  %s %d", recentAt[slot] / 1e6, recentWhat[slot], recentValue[slot]));
        }
        return lines;
    }
}
