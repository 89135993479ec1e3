package storage;

/**
 * The last offset of each key, by {@link KeyHash}: what a run of the cleaner knows of the part of the log that it read. Takes 24 bytes a key over the load
 * factor; grows with the keys up to its bound, and then says that it is full: the run ends there and the next one goes on. One thread at a time.
 */
final class OffsetMap {

    private static final int FIELDS = 3;
    private static final int FIRST_SLOTS = 1 << 10;
    private static final int MAX_SLOTS = 1 << 29;

    private final KeyHash hash;
    private final int maxSlots;
    private final double loadFactor;
    /** Per slot: hash high and low, offset + 1 (0: free). */
    private long[] slots;

    private int slotCount;
    private int limit;
    private int size;

    /**
     * @param maxBytes bound of its memory; while it grows it holds up to half as much again
     * @param loadFactor above 0, at most 0.95 is used: log.cleaner.io.buffer.load.factor
     */
    OffsetMap(KeyHash hash, long maxBytes, double loadFactor) {
        this.hash = hash;
        this.maxSlots = (int) Math.max(2, Math.min(MAX_SLOTS / FIELDS, maxBytes / (FIELDS * Long.BYTES)));
        this.loadFactor = Math.max(0.01, Math.min(0.95, loadFactor));
        allocate(Math.min(maxSlots, FIRST_SLOTS));
    }

    private void allocate(int count) {
        slotCount = count;
        slots = new long[count * FIELDS];
        limit = Math.max(1, Math.min(count - 1, (int) (count * loadFactor)));
    }

    /** Keys held. */
    int size() {
        return size;
    }

    /** Most keys that it will hold. */
    int capacity() {
        return Math.max(1, Math.min(maxSlots - 1, (int) (maxSlots * loadFactor)));
    }

    /** The key was seen at {@code offset}, at or above all earlier ones. False, and nothing is known of it, when the map is full. */
    boolean put(byte[] bytes, int keyAt, int keyLength, long offset) {
        hash.of(bytes, keyAt, keyLength);
        int slot = find(hash.high(), hash.low());
        if (slots[slot + 2] == 0) {
            if (size >= limit) {
                if (slotCount == maxSlots) {
                    return false;
                }
                grow();
                slot = find(hash.high(), hash.low());
            }
            slots[slot] = hash.high();
            slots[slot + 1] = hash.low();
            size++;
        }
        slots[slot + 2] = offset + 1;
        return true;
    }

    /** -1: the key is not known. */
    long get(byte[] bytes, int keyAt, int keyLength) {
        hash.of(bytes, keyAt, keyLength);
        return slots[find(hash.high(), hash.low()) + 2] - 1;
    }

    /** Index of the hash's slot, or of the free one where it belongs. */
    private int find(long high, long low) {
        int index = (int) (((high >>> 32) * slotCount) >>> 32);
        while (true) {
            int slot = index * FIELDS;
            if (slots[slot + 2] == 0 || (slots[slot] == high && slots[slot + 1] == low)) {
                return slot;
            }
            index++;
            if (index == slotCount) {
                index = 0;
            }
        }
    }

    private void grow() {
        long[] old = slots;
        allocate((int) Math.min(maxSlots, slotCount * 2L));
        for (int slot = 0; slot < old.length; slot += FIELDS) {
            if (old[slot + 2] != 0) {
                System.arraycopy(old, slot, slots, find(old[slot], old[slot + 1]), FIELDS);
            }
        }
    }
}
