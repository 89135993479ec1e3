package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import records.schemas.ProducerSnapshot;

/**
 * Writes one segment's transaction index anew, in place: from the producer snapshot before the segment and the batches behind that. What is read is checked as far
 * as transactions depend on it. Readers do not look at the file meanwhile.
 *
 * @param segments copies for this job only: the log's segments from the first to that of the index, which is the last
 * @param end the marker of the last entry lies below it; later ones are not in the file
 * @param damage what is known of, to be passed over (rule S8)
 * @param closed the segment takes no more: the index is made durable
 */
record AbortedRebuild(LogIdentity log, List<Segment> segments, long end, List<DamagedRange> damage, boolean closed)
        implements DiskJob<AbortedRebuild.Outcome> {

    private static final int MAX_SNAPSHOT = 256 << 20;

    /**
     * Exactly one is null.
     *
     * @param tail what is in the file now, and entries for which there was no room
     * @param rot a batch that is needed is damaged, which nobody knew of
     */
    record Outcome(TransactionTail tail, CorruptSegmentException rot) {}

    @Override
    public Outcome run(FileSystem files) throws IOException {
        Segment target = segments.get(segments.size() - 1);
        ProducerStates states = statesBefore(files, target.baseOffset);
        ProducerReplay replay = new ProducerReplay(files, log, states, damage, AbortedRebuild::refuse, true);
        try {
            for (int i = 0; i < segments.size(); i++) {
                boolean last = i == segments.size() - 1;
                if (last || segments.get(i + 1).baseOffset > states.endOffset()) {
                    replay.run(segments.get(i), states.endOffset(), end, last, null);
                }
            }
        } catch (CorruptSegmentException rot) {
            return new Outcome(null, rot);
        }
        if (target.aborted == null) {
            target.aborted = new TransactionTail();
        }
        boolean written = replay.fileAborted(target, closed);
        if (written && closed) {
            files.syncDirectory(log.directory());
        }
        return new Outcome(target.aborted, null);
    }

    private ProducerStates statesBefore(FileSystem files, long base) throws IOException {
        List<String> names = files.list(log.directory());
        for (int i = names.size() - 1; i >= 0; i--) {
            long offset = SegmentFiles.baseOffset(names.get(i), SegmentFiles.SNAPSHOT);
            if (offset >= 0 && offset <= base) {
                ByteBuffer content = AtomicFile.read(files, log.directory() + '/' + names.get(i), MAX_SNAPSHOT);
                ProducerSnapshot.Loaded loaded = content == null ? null : ProducerSnapshot.decode(content);
                if (loaded != null && loaded.failure() == null) {
                    return ProducerStates.of(loaded.entries(), offset);
                }
            }
        }
        return new ProducerStates(segments.get(0).baseOffset);
    }

    private static void refuse(SegmentView view, FileHandle file, BatchScanner scanner, long expected)
            throws IOException {
        throw new CorruptSegmentException(view, scanner.position());
    }
}
