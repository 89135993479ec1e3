package records;

/**
 * Goes through records that lie uncompressed in an array and says where each one's parts are; copies nothing. The format is that of {@link RecordCursor}.
 * Reusable; one thread.
 */
final class RecordSpans {

    private byte[] bytes;
    private int limit;
    private int position;
    private int start;
    private int end;
    private int afterTime;
    private long timestampDelta;
    private int offsetDelta;
    private int keyAt;
    private int keyLength;
    private boolean hasValue;

    void reset(byte[] records, int from, int to) {
        bytes = records;
        position = from;
        limit = to;
    }

    /** Lets go of the array. */
    void clear() {
        bytes = null;
    }

    boolean atEnd() {
        return position == limit;
    }

    /** Reads the next record; throws {@link MalformedRecordException} if there is none, or its parts do not fit in it. */
    void next() {
        start = position;
        long length = readVarlong(limit);
        if (length < 0 || length > limit - position) {
            throw new MalformedRecordException("a record of " + length + " bytes does not fit in its batch");
        }
        end = position + (int) length;
        position++;
        timestampDelta = readVarlong(end);
        afterTime = position;
        offsetDelta = (int) readVarlong(end);
        keyLength = (int) readVarlong(end);
        keyAt = position;
        skip(keyLength);
        int valueLength = (int) readVarlong(end);
        hasValue = valueLength >= 0;
        skip(valueLength);
        position = end;
    }

    private void skip(int length) {
        if (length > 0) {
            if (length > end - position) {
                throw new MalformedRecordException("a field of " + length + " bytes is longer than its record");
            }
            position += length;
        }
    }

    private long readVarlong(int bound) {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            if (position >= bound) {
                throw new MalformedRecordException("the records end inside a record");
            }
            int next = bytes[position++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new MalformedRecordException("a variable-length number is too long");
    }

    byte[] bytes() {
        return bytes;
    }

    /** Of the record, its length field included. */
    int start() {
        return start;
    }

    int end() {
        return end;
    }

    /** Where the record's bytes go on behind its timestamp delta. */
    int afterTime() {
        return afterTime;
    }

    long timestampDelta() {
        return timestampDelta;
    }

    int offsetDelta() {
        return offsetDelta;
    }

    int keyAt() {
        return keyAt;
    }

    /** -1: no key. */
    int keyLength() {
        return keyLength;
    }

    boolean hasValue() {
        return hasValue;
    }
}
