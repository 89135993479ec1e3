package coordinator;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of records that go into one batch.
 *
 * @param values null for tombstones
 * @param bytes that they take there at most
 */
record EncodedRecords(List<ByteBuffer> keys, List<ByteBuffer> values, long bytes) {
    /** Lengths, time and offset of a record take at most this much beside key and value. */
    static final int OVERHEAD = 40;

    static <R> EncodedRecords of(List<R> records, RecordCodec<R> codec) {
        List<ByteBuffer> keys = new ArrayList<>(records.size());
        List<ByteBuffer> values = new ArrayList<>(records.size());
        long bytes = 0;
        for (R each : records) {
            ByteBuffer key = codec.key(each);
            ByteBuffer value = codec.value(each);
            keys.add(key);
            values.add(value);
            bytes += size(key, value);
        }
        return new EncodedRecords(keys, values, bytes);
    }

    private static long size(ByteBuffer key, ByteBuffer value) {
        return (long) OVERHEAD + key.remaining() + (value == null ? 0 : value.remaining());
    }

    /**
     * In parts of at most {@code most} bytes, as far as that is possible.
     *
     * @param together how many of the first records are not to be parted
     */
    List<EncodedRecords> parts(int together, long most) {
        if (bytes <= most || together >= keys.size()) {
            return List.of(this);
        }
        List<EncodedRecords> parts = new ArrayList<>();
        int from = 0;
        long size = 0;
        for (int i = 0; i < keys.size(); i++) {
            long next = size(keys.get(i), values.get(i));
            if (i >= together && i > from && size + next > most) {
                parts.add(part(from, i, size));
                from = i;
                size = 0;
            }
            size += next;
        }
        parts.add(part(from, keys.size(), size));
        return parts;
    }

    private EncodedRecords part(int from, int to, long size) {
        return new EncodedRecords(keys.subList(from, to), values.subList(from, to), size);
    }
}
