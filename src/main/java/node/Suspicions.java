package node;

/** Hears of brokers whose process seems to be gone: it was not found where it should listen, or somebody saw it end. The owner is {@code new OwnerId<>(Suspicions.class, 0)}. */
public interface Suspicions {

    /** The active controller is told at once, looks itself, and fences the broker if nobody listens there (L1): so a hint may be wrong, late or doubled. */
    void suspect(int nodeId);
}
