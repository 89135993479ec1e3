package records;

/** The bytes of a batch's records, front to back. Reading past the end throws {@link MalformedRecordException}. */
abstract class RecordSource {

    /** The next byte, 0 to 255. */
    abstract int read();

    /** Passes over {@code count} (>= 0) bytes without looking at them. */
    abstract void skip(int count);

    /** Bytes read and skipped so far. */
    abstract long consumed();

    /** Whether all bytes were consumed. */
    abstract boolean atEnd();

    /** A zig-zag coded variable-length int, at most 5 bytes. */
    final int readVarint() {
        int first = read();
        if (first < 0x80) {
            return (first >>> 1) ^ -(first & 1);
        }
        int value = first & 0x7f;
        for (int shift = 7; shift < 35; shift += 7) {
            int next = read();
            value |= (next & 0x7f) << shift;
            if (next < 0x80) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new MalformedRecordException("a variable-length int has more than 5 bytes");
    }

    /** A zig-zag coded variable-length long, at most 10 bytes. */
    final long readVarlong() {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            int next = read();
            value |= (long) (next & 0x7f) << shift;
            if (next < 0x80) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new MalformedRecordException("a variable-length long has more than 10 bytes");
    }
}
