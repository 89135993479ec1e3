package sim;

/** How busy the loops of a machine are: now and then a message between two owners waits for long, and what follows on its way waits behind it. */
final class SimLag {
    private static final long LONGEST = 1_500 * SimScheduler.MILLI;

    private double chance;

    /** @param share of the messages, in [0, 1]; 0: none */
    void stalls(double share) {
        chance = share;
    }

    /** Nanoseconds that the next message is late by. Draws nothing while there are no stalls. */
    long next(SimRandom random) {
        return chance > 0 && random.chance(chance) ? random.belowLong(LONGEST) : 0;
    }
}
