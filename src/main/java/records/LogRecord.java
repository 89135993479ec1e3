package records;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A record as a reader sees it. Key, value and header values are buffers of their own (null where the record has null); for an uncompressed batch they
 * share the batch's memory.
 *
 * @param timestamp milliseconds: the record's own, or the batch's under LogAppendTime; -1 for none
 * @param control whether it is one of the broker's own records (marker, leader change...), whose key tells the kind
 */
public record LogRecord(
        long offset, long timestamp, boolean control, ByteBuffer key, ByteBuffer value, List<Header> headers) {

    public record Header(String key, ByteBuffer value) {}
}
