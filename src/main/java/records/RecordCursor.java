package records;

/**
 * The record that was read last, without its key, value and headers, which are passed over. Reusable; no allocation per record.
 *
 * <pre>
 *  length varint | attributes int8 | timestamp delta varlong | offset delta varint | key length varint (-1: null) | key
 *    | value length varint (-1: null) | value | header count varint | per header: key length varint, key, value length varint, value
 * </pre>
 */
final class RecordCursor {

    private long timestampDelta;
    private int offsetDelta;
    private boolean hasKey;

    long timestampDelta() {
        return timestampDelta;
    }

    int offsetDelta() {
        return offsetDelta;
    }

    boolean hasKey() {
        return hasKey;
    }

    /**
     * Reads the next record and checks that its parts fill it exactly.
     *
     * @param maxBytes most bytes of a record
     */
    void read(RecordSource in, int maxBytes) {
        int length = in.readVarint();
        if (length < 0 || length > maxBytes) {
            throw new MalformedRecordException(
                    "a record of " + length + " bytes, at most " + maxBytes + " are allowed");
        }
        long end = in.consumed() + length;
        in.skip(1);
        timestampDelta = in.readVarlong();
        offsetDelta = in.readVarint();
        int keyLength = in.readVarint();
        hasKey = keyLength >= 0;
        skipField(in, keyLength, end);
        skipField(in, in.readVarint(), end);
        int headers = in.readVarint();
        if (headers < 0 || headers > end - in.consumed()) {
            throw new MalformedRecordException("a record announces " + headers + " headers");
        }
        for (int i = 0; i < headers; i++) {
            int headerKeyLength = in.readVarint();
            if (headerKeyLength < 0) {
                throw new MalformedRecordException("a header without key");
            }
            skipField(in, headerKeyLength, end);
            skipField(in, in.readVarint(), end);
        }
        if (in.consumed() != end) {
            throw new MalformedRecordException(
                    "a record of " + length + " bytes is " + (in.consumed() - end + length) + " bytes long");
        }
    }

    private static void skipField(RecordSource in, int length, long end) {
        if (length > 0) {
            if (length > end - in.consumed()) {
                throw new MalformedRecordException("a field of " + length + " bytes is longer than its record");
            }
            in.skip(length);
        }
    }
}
