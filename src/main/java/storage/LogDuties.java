package storage;

/**
 * The parts of a log that it can do without while it is only written: reading, retention, compaction, checks and repairs. Made together by the first call that needs one, so that thousands of idle
 * partitions cost less. Confined to the log's owner.
 */
final class LogDuties {

    final FileGate gate;
    final LogScrub scrub;
    final LogReader reader;
    final TimestampLookup timestamps;
    final LogRetention retention;
    final LogCompaction compaction;

    LogDuties(LogState log, PartitionLog owner, LogAppender appender, LogFlusher flusher) {
        this.gate = new FileGate();
        this.scrub = new LogScrub(log, flusher, gate);
        AbortedRepair repair = new AbortedRepair(log, flusher, scrub, gate);
        this.reader = new LogReader(log, scrub, repair);
        this.timestamps = new TimestampLookup(log, scrub);
        this.retention = new LogRetention(log, owner, appender, flusher);
        this.compaction = new LogCompaction(log, retention, scrub, repair);
    }
}
