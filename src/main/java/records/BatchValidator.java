package records;

import common.Failure;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Decides whether what a producer sent for one partition may enter the log. Instances hold scratch buffers: one per thread (owner), cheap to make.
 */
public final class BatchValidator {

    /**
     * The outcome of the walk.
     *
     * @param failure null when the batch may be appended
     * @param recordErrors the records to blame, by index; empty when the batch as a whole is bad
     */
    public record Verdict(Failure failure, List<RecordError> recordErrors) {}

    /**
     * Header checks of the bytes from position to limit; null when they are one whole, legal batch with a valid CRC. Changes nothing, allocates nothing
     * on success.
     *
     * @param produceVersion of the Produce request
     */
    public static Failure checkHeader(ByteBuffer records, LogConfig config, short produceVersion) {
        throw new UnsupportedOperationException();
    }

    /**
     * The walk over all records of a batch that passed {@link #checkHeader} (or, with {@code record.validation=header}, a look at the header's times
     * only). On success under CreateTime the header's max timestamp is that of the records (patched in place); LogAppendTime is left to the log.
     */
    public Verdict check(ByteBuffer batch, LogConfig config, long nowMillis) {
        throw new UnsupportedOperationException();
    }
}
