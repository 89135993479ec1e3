package sim;

import common.RandomSource;

/**
 * Seeded random numbers (SplitMix64): the only source of choice in a simulation. Each has a name, the way on which it was split from the seed's; with
 * {@link SimDecisions} what it says is recorded, or replayed whatever the seed is.
 */
public final class SimRandom implements RandomSource {
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private final long seed;
    private final Generator generator;
    private final String path;
    private final SimDecisions decisions;
    private final SimDecisions.Tape tape;
    private final int calmFrom;
    private int draws;

    /** Shared by a stream and its views. */
    private static final class Generator {
        private long state;

        private long next() {
            state += GAMMA;
            return mix(state);
        }
    }

    public SimRandom(long seed) {
        this(seed, null, "");
    }

    /** @param decisions null for none */
    SimRandom(long seed, SimDecisions decisions, String path) {
        this.seed = seed;
        this.path = path;
        this.decisions = decisions;
        this.tape = null;
        this.generator = new Generator();
        long start = mix(seed + GAMMA);
        this.generator.state = decisions == null ? start : decisions.start(path, start);
        this.calmFrom = decisions == null ? Integer.MAX_VALUE : decisions.calmFrom(path);
    }

    private SimRandom(SimRandom shared, String path, SimDecisions.Tape tape) {
        this.seed = shared.seed;
        this.path = path;
        this.decisions = shared.decisions;
        this.tape = tape;
        this.generator = shared.generator;
        this.calmFrom = Integer.MAX_VALUE;
    }

    /** A generator that depends on this one's seed and the name only: draws elsewhere do not move it. */
    public SimRandom split(String name) {
        long hash = 0xCBF29CE484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001B3L;
        }
        return new SimRandom(mix(seed ^ mix(hash)), decisions, child(name));
    }

    /** A generator seeded by this one's next draw. */
    public SimRandom split() {
        String name = "#" + draws;
        return new SimRandom(nextLong(), decisions, child(name));
    }

    /** The same sequence of numbers, but what is drawn here is recorded, and replayed, under a name of its own. */
    SimRandom view(String name) {
        String own = child(name);
        return new SimRandom(this, own, decisions == null ? null : decisions.tape(own));
    }

    private String child(String name) {
        if (decisions == null) {
            return "";
        }
        String plain = name.replace(' ', '_');
        return path.isEmpty() ? plain : path + "/" + plain;
    }

    /** What records or replays it; null for none. */
    SimDecisions decisions() {
        return decisions;
    }

    @Override
    public int below(int bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound " + bound);
        }
        long drawn = nextLong();
        return calm() ? 0 : (int) (((drawn >>> 32) * bound) >>> 32);
    }

    @Override
    public long nextLong() {
        if (tape != null) {
            draws++;
            return tape.next(generator::next);
        }
        if (draws++ == 0 && decisions != null) {
            decisions.drawn(path, generator.state);
        }
        return generator.next();
    }

    /** In [low, high]. */
    public int between(int low, int high) {
        return low + below(high - low + 1);
    }

    /** In [0, bound), bound > 0. */
    public long belowLong(long bound) {
        long drawn = nextLong();
        return calm() ? 0 : Long.remainderUnsigned(drawn, bound);
    }

    /** True with the given probability in [0, 1]. */
    public boolean chance(double probability) {
        long drawn = nextLong();
        return calm() ? probability >= 1 : (drawn >>> 11) * 0x1.0p-53 < probability;
    }

    /** The last draw was one that shrinking has taken out: the least that can be is chosen. */
    private boolean calm() {
        return draws > calmFrom;
    }

    static long mix(long value) {
        long z = value;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
