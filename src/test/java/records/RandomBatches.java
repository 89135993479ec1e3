package records;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;

/** Random legal batches, made by Kafka's own builder from a seed. */
public final class RandomBatches {

    public static final long NOW = 1_700_000_000_000L;

    private final Random random;

    public RandomBatches(Random random) {
        this.random = random;
    }

    public Codec codec() {
        return Codec.forId(random.nextInt(Codec.ZSTD.id() + 1));
    }

    /** A batch as a producer sends it. */
    public ByteBuffer next() {
        return next(codec(), 1 + (random.nextInt(4) == 0 ? random.nextInt(200) : random.nextInt(5)));
    }

    public ByteBuffer next(Codec codec, int count) {
        boolean idempotent = random.nextInt(3) == 0;
        boolean transactional = idempotent && random.nextInt(3) == 0;
        MemoryRecordsBuilder builder = MemoryRecords.builder(
                ByteBuffer.allocate(512),
                (byte) 2,
                Compression.of(CompressionType.forId(codec.id())).build(),
                TimestampType.CREATE_TIME,
                0,
                -1,
                idempotent ? random.nextInt(1000) : -1,
                (short) (idempotent ? random.nextInt(5) : -1),
                idempotent ? random.nextInt(1000) : -1,
                transactional,
                -1);
        boolean timeless = random.nextInt(20) == 0;
        for (int i = 0; i < count; i++) {
            long time = timeless ? -1 : NOW - 1000 + random.nextInt(2000);
            builder.append(time, bytes(random.nextInt(6) == 0 ? 0 : 20), bytes(200), headers());
        }
        ByteBuffer built = builder.build().buffer();
        return copyOf(built);
    }

    /** A fresh heap buffer, at a position that is not 0 half of the time, with the content of another. */
    private ByteBuffer copyOf(ByteBuffer from) {
        int gap = random.nextInt(2) * 7;
        ByteBuffer to = ByteBuffer.allocate(from.remaining() + gap + 3);
        to.position(gap);
        to.put(from.duplicate());
        to.flip();
        return to.position(gap);
    }

    /** null now and then. */
    private byte[] bytes(int most) {
        if (most == 0 || random.nextInt(10) == 0) {
            return random.nextBoolean() ? null : new byte[0];
        }
        byte[] bytes = new byte[random.nextInt(most)];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        }
        return bytes;
    }

    private Header[] headers() {
        List<Header> headers = new ArrayList<>();
        while (random.nextInt(4) == 0) {
            headers.add(new RecordHeader("h" + random.nextInt(10), bytes(30)));
        }
        return headers.toArray(new Header[0]);
    }

    /** Makes the CRC right again after the content was changed. */
    public static void fixCrc(ByteBuffer batch) {
        batch.putInt(batch.position() + BatchHeader.CRC, BatchHeader.computeCrc(batch, batch.position()));
    }
}
