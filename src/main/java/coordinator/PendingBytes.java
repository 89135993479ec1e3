package coordinator;

/** Bytes of records that are not committed yet, of all shards of a runtime together. Confined to the owner. */
final class PendingBytes {
    private final long most;
    private long bytes;

    PendingBytes(long most) {
        this.most = most;
    }

    /** @param change below 0: they are committed, or given up */
    void add(long change) {
        bytes += change;
    }

    long bytes() {
        return bytes;
    }

    boolean isFull() {
        return bytes >= most;
    }
}
