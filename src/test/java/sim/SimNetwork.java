package sim;

/** How long bytes are under way, and where server memory comes from. */
final class SimNetwork {
    private final SimRandom random;
    private final SimChunks chunks = new SimChunks();
    private double longTail;

    SimNetwork(SimRandom random) {
        this.random = random;
    }

    /** @param share of the deliveries that take up to 3 s */
    void longTail(double share) {
        longTail = share;
    }

    long latency() {
        if (longTail > 0 && random.chance(longTail)) {
            return random.belowLong(3_000 * SimScheduler.MILLI);
        }
        return 50_000L + random.below(900_000);
    }

    SimChunks chunks() {
        return chunks;
    }
}
