package records;

import java.nio.ByteBuffer;

/**
 * Looks at the sizes that a snappy stream announces before the decoder allocates by them. Producers send xerial's framing (a 16-byte head, then chunks of
 * an int32 length and a snappy block) or one bare block; a block starts with its inflated size as an unsigned variable-length int. Snappy cannot inflate more
 * than about 21 times (a 3-byte copy gives 64 bytes), so a block that announces more lies.
 */
final class SnappyFraming {

    private static final long XERIAL_MAGIC = 0x82534e4150505900L;
    private static final int XERIAL_HEAD = 16;
    private static final int MAX_RATIO = 22;
    private static final int SLACK = 64;

    private SnappyFraming() {}

    /** Throws {@link MalformedRecordException} if a size is impossible, or their sum is above {@code limit}. */
    static void check(ByteBuffer payload, long limit) {
        boolean framed = payload.remaining() >= XERIAL_HEAD && payload.getLong(payload.position()) == XERIAL_MAGIC;
        if (!framed) {
            checkBlock(payload, payload.position(), payload.remaining(), limit);
            return;
        }
        int at = payload.position() + XERIAL_HEAD;
        long total = 0;
        while (payload.limit() - at >= Integer.BYTES) {
            int length = payload.getInt(at);
            at += Integer.BYTES;
            if (length < 0 || length > payload.limit() - at) {
                throw new MalformedRecordException("a snappy chunk is longer than the batch");
            }
            total += checkBlock(payload, at, length, limit - total);
            at += length;
        }
    }

    private static long checkBlock(ByteBuffer payload, int at, int length, long limit) {
        long inflated = 0;
        int i = 0;
        boolean more = true;
        while (more && i < length && i < 5) {
            byte next = payload.get(at + i);
            inflated |= (long) (next & 0x7f) << (7 * i);
            more = next < 0;
            i++;
        }
        if (more || inflated > (long) MAX_RATIO * length + SLACK || inflated > limit) {
            throw new MalformedRecordException("a snappy block of " + length + " bytes announces " + inflated);
        }
        return inflated;
    }
}
