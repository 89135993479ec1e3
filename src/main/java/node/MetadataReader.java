package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import storage.DiskExecutor;
import storage.FileRange;
import storage.PartitionLog;
import storage.ReadBound;

/** Reads the metadata log in pieces of bounded size. On the controller's owner. */
final class MetadataReader {
    /** A batch is read whole, however large it is. */
    static final int READ_BYTES = 1 << 20;

    private final PartitionLog log;
    private final DiskExecutor disk;

    MetadataReader(PartitionLog log, DiskExecutor disk) {
        this.log = log;
        this.disk = disk;
    }

    /** Whole batches from the one that begins at {@code offset} on, decoded; at least one. */
    void batches(long offset, Callback<List<MetadataBatch>> done) {
        read(offset, range -> decoded(range, offset), (decoded, failure) -> {
            Failure why = failure != null ? failure : decoded.failure();
            if (why != null) {
                done.fail(why);
            } else {
                done.succeed(decoded.batches());
            }
        });
    }

    private static MetadataBatch.Decoded decoded(FileRange range, long offset) throws IOException {
        MetadataBatch.Decoded decoded = MetadataBatch.decode(read(range));
        boolean whole = decoded.failure() != null
                || (!decoded.batches().isEmpty() && decoded.batches().get(0).baseOffset() == offset);
        return whole
                ? decoded
                : new MetadataBatch.Decoded(
                        List.of(),
                        Failure.of(
                                FailureCode.INTERNAL, "the metadata log has no whole batch that begins at " + offset));
    }

    /** Batches from the one at {@code offset} on, as they are in the file; the last one may be cut. */
    void bytes(long offset, Callback<ByteBuffer> done) {
        read(offset, MetadataReader::read, done);
    }

    /** What becomes of a range, on a worker. */
    private interface Use<T> {
        T of(FileRange range) throws IOException;
    }

    private <T> void read(long offset, Use<T> use, Callback<T> done) {
        log.read(offset, READ_BYTES, true, ReadBound.LOG_END, (result, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            FileRange range = result.range();
            if (range == null) {
                done.fail(FailureCode.OFFSET_OUT_OF_RANGE, "the metadata log ends at " + offset);
                return;
            }
            disk.run(DiskExecutor.Lane.BLOCKING, files -> use.of(range), (value, unread) -> {
                range.release();
                done.done(value, unread);
            });
        });
    }

    private static ByteBuffer read(FileRange range) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(range.length());
        while (bytes.hasRemaining()) {
            if (range.file().read(bytes, range.position() + bytes.position()) < 0) {
                throw new IOException("the metadata log ended while it was read");
            }
        }
        return bytes.flip();
    }
}
