package storage;

/** The largest epoch {@code <=} an asked one, and the offset where it ended (rule I3); both -1 when there is none. */
public record EpochEnd(int epoch, long endOffset) {
    public static final EpochEnd NONE = new EpochEnd(-1, -1);
}
