package storage;

/**
 * A 128-bit hash of record keys: SipHash-2-4 with a secret key of its own for each run of the cleaner, so that nobody can make keys that collide. Two keys
 * with one hash would count as one key; by chance that is out of the question. Reusable; one thread.
 */
final class KeyHash {

    private static final long ONES = 0xff;

    private final long key0;
    private final long key1;
    private long v0;
    private long v1;
    private long v2;
    private long v3;
    private long high;
    private long low;

    KeyHash(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
    }

    /** Afterwards {@link #high} and {@link #low} are the hash. */
    void of(byte[] bytes, int at, int length) {
        v0 = key0 ^ 0x736f6d6570736575L;
        v1 = key1 ^ 0x646f72616e646f6dL ^ 0xee;
        v2 = key0 ^ 0x6c7967656e657261L;
        v3 = key1 ^ 0x7465646279746573L;
        int end = at + (length & ~7);
        for (int i = at; i < end; i += Long.BYTES) {
            compress(littleEndian(bytes, i));
        }
        long last = (long) length << 56;
        for (int i = length & 7; i > 0; i--) {
            last |= (bytes[end + i - 1] & ONES) << (8 * (i - 1));
        }
        compress(last);
        v2 ^= 0xee;
        rounds(4);
        high = v0 ^ v1 ^ v2 ^ v3;
        v1 ^= 0xdd;
        rounds(4);
        low = v0 ^ v1 ^ v2 ^ v3;
    }

    long high() {
        return high;
    }

    long low() {
        return low;
    }

    private void compress(long word) {
        v3 ^= word;
        rounds(2);
        v0 ^= word;
    }

    private void rounds(int count) {
        long a = v0;
        long b = v1;
        long c = v2;
        long d = v3;
        for (int i = 0; i < count; i++) {
            a += b;
            c += d;
            b = Long.rotateLeft(b, 13) ^ a;
            d = Long.rotateLeft(d, 16) ^ c;
            a = Long.rotateLeft(a, 32);
            c += b;
            a += d;
            b = Long.rotateLeft(b, 17) ^ c;
            d = Long.rotateLeft(d, 21) ^ a;
            c = Long.rotateLeft(c, 32);
        }
        v0 = a;
        v1 = b;
        v2 = c;
        v3 = d;
    }

    private static long littleEndian(byte[] bytes, int at) {
        return (bytes[at] & ONES)
                | (bytes[at + 1] & ONES) << 8
                | (bytes[at + 2] & ONES) << 16
                | (bytes[at + 3] & ONES) << 24
                | (bytes[at + 4] & ONES) << 32
                | (bytes[at + 5] & ONES) << 40
                | (bytes[at + 6] & ONES) << 48
                | (bytes[at + 7] & ONES) << 56;
    }
}
