package verticles;

import common.RandomSource;
import java.security.SecureRandom;

/** The operating system's randomness: ids made from it cannot be guessed. Made on first use, since loading it slows the start. Owner only. */
final class SecureRandomSource implements RandomSource {
    private SecureRandom random;

    @Override
    public int below(int bound) {
        return random().nextInt(bound);
    }

    @Override
    public long nextLong() {
        return random().nextLong();
    }

    private SecureRandom random() {
        if (random == null) {
            random = new SecureRandom();
        }
        return random;
    }
}
