package storage;

/**
 * How much of a compacted log could be cleaned now (rules K2, K6). A value: what it says is checked again when the cleaning starts.
 *
 * @param from first offset that no cleaning has looked at yet
 * @param end nothing at or above it is touched: high watermark, last stable offset, durable end, the first segment that is open or too young
 * @param cleanBytes of the segments before {@code from}
 * @param dirtyBytes of the segments between {@code from} and {@code end}
 * @param damagedBytes of the segments below {@code end} that stay as they are, since some of them is damaged
 * @param overdueMillis for so long something has waited longer than max.compaction.lag.ms; 0: nothing has
 */
public record CleaningPlan(
        long from, long end, long cleanBytes, long dirtyBytes, long damagedBytes, long overdueMillis) {

    /** Share of the log that is dirty, 0 to 1. */
    public double dirtyRatio() {
        return dirtyBytes == 0 ? 0 : (double) dirtyBytes / (cleanBytes + dirtyBytes);
    }

    /** Whether it is worth it: more than min.cleanable.dirty.ratio, or overdue. */
    public boolean due(double minDirtyRatio) {
        return dirtyBytes > 0 && (overdueMillis > 0 || dirtyRatio() > minDirtyRatio);
    }

    /** Of a log that is compacted. */
    static CleaningPlan of(LogState log, long wallMillis) {
        long from = from(log);
        long end = end(log, from, wallMillis);
        SegmentList segments = log.segments;
        long cleanBytes = 0;
        long dirtyBytes = 0;
        long damagedBytes = 0;
        long earliest = Long.MAX_VALUE;
        for (int i = 0; i < segments.count() - 1; i++) {
            Segment segment = segments.get(i);
            boolean clean = segments.get(i + 1).baseOffset <= from;
            if (clean) {
                cleanBytes += segment.size;
            } else if (segment.baseOffset < end) {
                dirtyBytes += segment.size;
            }
            if (segment.baseOffset < end && log.isDamaged(segment)) {
                damagedBytes += segment.size;
            }
            if (!clean && segment.firstTimestamp > 0) {
                earliest = Math.min(earliest, segment.firstTimestamp);
            }
        }
        long allowed = wallMillis - Math.max(0, log.config.maxCompactionLagMillis());
        long overdue = earliest < allowed ? allowed - earliest : 0;
        return new CleaningPlan(from, end, cleanBytes, from < end ? dirtyBytes : 0, damagedBytes, overdue);
    }

    private static long from(LogState log) {
        boolean known = log.cleanedTo >= log.logStart && log.cleanedTo <= log.writtenEnd;
        return known ? log.cleanedTo : log.logStart;
    }

    private static long end(LogState log, long from, long wallMillis) {
        long end = Math.min(Math.min(log.lastStableOffset(), log.durableEnd), log.segments.last().baseOffset);
        long lag = log.config.minCompactionLagMillis();
        for (int i = 0; i < log.segments.count() - 1; i++) {
            Segment segment = log.segments.get(i);
            boolean open = !segment.isClosed();
            boolean dirty = log.segments.get(i + 1).baseOffset > from;
            boolean young =
                    lag > 0 && dirty && (!segment.maxTimestampKnown || segment.newestMillis() > wallMillis - lag);
            if (open || young) {
                return Math.min(end, segment.baseOffset);
            }
        }
        return end;
    }
}
