package storage;

import java.util.List;

/**
 * What the opening of a log found on the disk; handed over to the log's owner.
 *
 * @param segments in offset order, at least one; the last is the one to be written, with its index tail
 * @param endOffset first offset after the last batch
 * @param durableEnd up to where the log is known to be on the disk
 * @param epochsChanged leader-epoch-checkpoint must be written again
 * @param epochsOnDisk there is a leader-epoch-checkpoint
 * @param snapshotAtEnd there is a producer snapshot at {@code endOffset}
 * @param cleanedTo up to there the log was compacted, -1: never; not beyond what could not be read then, and perhaps can be now
 * @param damage ranges without valid batches (rule S8)
 * @param notedFrom what the {@link DamageNote} says
 * @param notedIndexes what the {@link IndexNote} says
 */
record RecoveredLog(
        List<Segment> segments,
        long endOffset,
        long durableEnd,
        ProducerStates producers,
        LeaderEpochCache epochs,
        boolean epochsChanged,
        boolean epochsOnDisk,
        boolean snapshotAtEnd,
        long cleanedTo,
        List<DamagedRange> damage,
        long notedFrom,
        List<IndexNote.Line> notedIndexes) {}
