package storage;

/**
 * A part of a segment that holds no valid batch although valid ones follow or it was known durable (rule S8). Reads that would touch it fail with
 * CORRUPT_BATCH; all else of the log is served.
 *
 * @param fromOffset first offset that may be in it
 * @param toOffset first offset after it
 * @param fromPosition in the file of the segment {@code segmentBase}
 */
record DamagedRange(long segmentBase, long fromOffset, long toOffset, int fromPosition, int toPosition) {}
