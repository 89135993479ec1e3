package group;

/** The states of a classic group, by Kafka's names. */
enum ClassicState {
    /** No members. */
    EMPTY("Empty"),
    /** Members are asked to join again. */
    PREPARING_REBALANCE("PreparingRebalance"),
    /** All have joined; the leader assigns. */
    COMPLETING_REBALANCE("CompletingRebalance"),
    STABLE("Stable"),
    DEAD("Dead");

    private final String text;

    ClassicState(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
