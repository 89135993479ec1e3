package common;

/** The only source of randomness: seeded in the simulator, secure where ids depend on it in production. */
public interface RandomSource {

    /** A number in [0, bound), bound > 0. */
    int below(int bound);

    long nextLong();
}
