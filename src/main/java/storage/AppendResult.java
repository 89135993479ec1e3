package storage;

/**
 * Where a batch is in the log.
 *
 * @param logAppendTimeMillis wall time given to the batch, -1 under CreateTime
 * @param duplicate the batch was there already (rule P1): offsets and time are the first append's
 */
public record AppendResult(long baseOffset, long lastOffset, long logAppendTimeMillis, boolean duplicate) {}
