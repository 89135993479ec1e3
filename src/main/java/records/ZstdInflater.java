package records;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Inflates zstd frames that lie in direct memory, one batch after another with one context: to make one for each batch, as kafka-clients' stream does, costs
 * more than to inflate 16 KiB. The context is native memory, touched as far as batches inflate; one that has grown is not kept. Reusable, confined to one
 * thread at a time.
 */
final class ZstdInflater extends InputStream {

    /** The context of a batch that inflates to more is freed behind it. */
    private static final long KEPT_BYTES = 4L << 20;

    private static final int CHUNK_BYTES = 16 * 1024;

    private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    private ZstdDecompressCtx context;
    private ByteBuffer payload;
    private boolean frameEnded;
    private long inflated;

    /** Begins with another batch. {@code payload}: direct; read from its position to its limit. */
    ZstdInflater open(ByteBuffer compressed) {
        if (context == null) {
            context = new ZstdDecompressCtx();
        } else {
            context.reset();
        }
        payload = compressed;
        frameEnded = true;
        inflated = 0;
        chunk.limit(0);
        return this;
    }

    @Override
    public int read() throws IOException {
        return refill() ? chunk.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (!refill()) {
            return -1;
        }
        int count = Math.min(length, chunk.remaining());
        chunk.get(target, offset, count);
        return count;
    }

    /** False at the end. */
    private boolean refill() throws IOException {
        while (!chunk.hasRemaining()) {
            if (frameEnded && !payload.hasRemaining()) {
                return false;
            }
            int before = payload.remaining();
            chunk.clear();
            try {
                frameEnded = context.decompressDirectByteBufferStream(chunk, payload);
            } catch (ZstdException e) {
                chunk.limit(0);
                throw new IOException("the records are no zstd frame", e);
            }
            chunk.flip();
            inflated += chunk.remaining();
            if (!chunk.hasRemaining() && payload.remaining() == before && !frameEnded) {
                throw new IOException("the zstd frame is cut");
            }
        }
        return true;
    }

    /** Lets go of the batch. */
    @Override
    public void close() {
        payload = null;
        if (inflated > KEPT_BYTES) {
            context.close();
            context = null;
        }
    }
}
