package records;

import java.util.Arrays;

/** Bytes that are collected in one array, which grows by doubling. Reusable; one thread. */
final class GrowingBytes {

    private static final int FIRST_BYTES = 1 << 12;

    private byte[] bytes = {};
    private int length;

    /** Valid up to {@link #length}; another one after {@link #append}. */
    byte[] array() {
        return bytes;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    void append(byte[] from, int at, int count) {
        reserve(count);
        System.arraycopy(from, at, bytes, length, count);
        length += count;
    }

    void append(int oneByte) {
        reserve(1);
        bytes[length++] = (byte) oneByte;
    }

    /** Zig-zag coded, as in {@link RecordSource#readVarlong}; for an int it is the int's coding. */
    void appendVarlong(long value) {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7fL) != 0) {
            append((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        append((int) rest);
    }

    /** Bytes of {@link #appendVarlong}. */
    static int varlongBytes(long value) {
        long rest = (value << 1) ^ (value >> 63);
        return 1 + (63 - Long.numberOfLeadingZeros(rest | 1)) / 7;
    }

    private void reserve(int more) {
        int needed = Math.addExact(length, more);
        if (needed > bytes.length) {
            int doubled = bytes.length > Integer.MAX_VALUE / 4 ? needed : bytes.length * 2;
            bytes = Arrays.copyOf(bytes, Math.max(FIRST_BYTES, Math.max(needed, doubled)));
        }
    }
}
