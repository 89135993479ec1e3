package records;

import common.Failure;
import common.FailureCode;
import config.LogConfig;
import java.nio.ByteBuffer;

/**
 * Rebuilds a batch with the topic's codec, for topics whose {@code compression.type} is not {@code producer}. Long computation: on a worker.
 */
public final class Recompressor {

    private Recompressor() {}

    /** Exactly one is null. {@code batch} is a fresh buffer, from position to limit. */
    public record Result(ByteBuffer batch, Failure failure) {}

    /** Whether the topic wants the batch at the buffer's position with another codec than it has. */
    public static boolean needed(ByteBuffer batch, LogConfig config) {
        Codec wanted = Codec.forConfigName(config.compressionType());
        return wanted != null && wanted.id() != BatchHeader.codecId(batch, batch.position());
    }

    /**
     * The batch from position to limit, which passed {@link BatchValidator}, with the topic's codec and level. Offsets, timestamps, keys, values, headers,
     * producer id, epoch, sequence and the transactional flag stay. BATCH_TOO_LARGE when the outcome is above {@code max.message.bytes} (as Kafka checks it
     * again), INVALID_RECORD when the records cannot be read (possible only where they were not walked before) or one has a time before 1970, which cannot be
     * written again (in Kafka that is an unknown server error).
     */
    public static Result recompress(ByteBuffer batch, LogConfig config) {
        int at = batch.position();
        Codec codec = Codec.forConfigName(config.compressionType());
        BatchBuilder.Producer producer = new BatchBuilder.Producer(
                BatchHeader.producerId(batch, at),
                BatchHeader.producerEpoch(batch, at),
                BatchHeader.baseSequence(batch, at),
                BatchHeader.isTransactional(batch, at));
        BatchBuilder builder = new BatchBuilder(
                BatchBuilder.compression(codec, level(codec, config)),
                BatchHeader.baseOffset(batch, at),
                BatchHeader.leaderEpoch(batch, at),
                producer);
        Failure failure = new BatchReader().read(batch, record -> {
            if (record.timestamp() < -1) {
                return false;
            }
            builder.add(record.timestamp(), record.key(), record.value(), record.headers());
            return builder.writtenBytes() <= config.maxMessageBytes();
        });
        if (builder.writtenBytes() > config.maxMessageBytes()) {
            return tooLarge(codec, config);
        }
        if (failure != null || builder.count() != BatchHeader.recordCount(batch, at)) {
            return new Result(
                    null, Failure.of(FailureCode.INVALID_RECORD, "the records cannot be read, or have negative times"));
        }
        ByteBuffer rebuilt = builder.build();
        return rebuilt.remaining() > config.maxMessageBytes() ? tooLarge(codec, config) : new Result(rebuilt, null);
    }

    private static Result tooLarge(Codec codec, LogConfig config) {
        return new Result(
                null,
                Failure.of(
                        FailureCode.BATCH_TOO_LARGE,
                        "with compression.type " + codec.configName() + " the batch is larger than max.message.bytes, "
                                + config.maxMessageBytes()));
    }

    private static Integer level(Codec codec, LogConfig config) {
        return switch (codec) {
            case GZIP -> config.gzipLevel();
            case LZ4 -> config.lz4Level();
            case ZSTD -> config.zstdLevel();
            default -> null;
        };
    }
}
