package sim;

import common.RandomSource;

/** Seeded random numbers (SplitMix64): the only source of choice in a simulation. */
public final class SimRandom implements RandomSource {
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private final long seed;
    private long state;

    public SimRandom(long seed) {
        this.seed = seed;
        this.state = mix(seed + GAMMA);
    }

    /** A generator that depends on this one's seed and the name only: draws elsewhere do not move it. */
    public SimRandom split(String name) {
        long hash = 0xCBF29CE484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001B3L;
        }
        return new SimRandom(mix(seed ^ mix(hash)));
    }

    /** A generator seeded by this one's next draw. */
    public SimRandom split() {
        return new SimRandom(nextLong());
    }

    @Override
    public int below(int bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound " + bound);
        }
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    @Override
    public long nextLong() {
        state += GAMMA;
        return mix(state);
    }

    /** In [low, high]. */
    public int between(int low, int high) {
        return low + below(high - low + 1);
    }

    /** In [0, bound), bound > 0. */
    public long belowLong(long bound) {
        return Long.remainderUnsigned(nextLong(), bound);
    }

    /** True with the given probability in [0, 1]. */
    public boolean chance(double probability) {
        return (nextLong() >>> 11) * 0x1.0p-53 < probability;
    }

    static long mix(long value) {
        long z = value;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
