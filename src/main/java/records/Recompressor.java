package records;

import config.LogConfig;
import java.nio.ByteBuffer;

/** SKELETON by the lead, as replication/Admission calls it; the owner of records/ replaces it. */
public final class Recompressor {

    private Recompressor() {}

    /** Whether the topic's compression.type names another codec than the batch has. The batch passed checkHeader. */
    public static boolean needed(ByteBuffer batch, LogConfig config) {
        Codec wanted = Codec.forConfigName(config.compressionType());
        return wanted != null && wanted.id() != BatchHeader.codecId(batch, batch.position());
    }

    /** The same batch (deltas, times, headers, producer fields, flags) in the topic's codec and level; a new buffer. For a worker. */
    public static ByteBuffer recompress(ByteBuffer batch, LogConfig config) {
        throw new UnsupportedOperationException();
    }
}
