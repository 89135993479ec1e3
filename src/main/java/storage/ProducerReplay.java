package storage;

import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.BatchSummary;
import storage.BatchScanner.Place;

/** Takes the batches of a log's segments into producer states, in order, and what they tell of aborted transactions into transaction indexes. Blocking. */
final class ProducerReplay {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerReplay.class);

    private final FileSystem files;
    private final LogIdentity log;
    private final ProducerStates states;
    private final List<DamagedRange> damage;
    private final Unreadable unreadable;
    private final boolean checked;
    private boolean noRoom;

    /** What is done where no batch is, and nobody knew of it. */
    interface Unreadable {
        /** Moves the scanner on, or throws. {@code expected}: the offset that is due there. */
        void pass(SegmentView view, FileHandle file, BatchScanner scanner, long expected) throws IOException;
    }

    /**
     * @param states go on from their end
     * @param damage what is known of; {@code unreadable} may add to it
     * @param checked checksums of what belongs to transactions are looked at
     */
    ProducerReplay(
            FileSystem files,
            LogIdentity log,
            ProducerStates states,
            List<DamagedRange> damage,
            Unreadable unreadable,
            boolean checked) {
        this.files = files;
        this.log = log;
        this.states = states;
        this.damage = damage;
        this.unreadable = unreadable;
        this.checked = checked;
    }

    /**
     * Of one segment; the indexes of {@code from} must be right.
     *
     * @param from offset to begin at
     * @param end batches from there on are left out
     * @param index whether the segment gets its transaction index, which is filed as it grows
     * @param epochs to be filled from all batches, or null
     */
    void run(Segment segment, long from, long end, boolean index, LeaderEpochCache epochs) throws IOException {
        SegmentView view = new SegmentView(log, segment.baseOffset, segment.size, null, 0);
        FileHandle file = view.open(files);
        try {
            BatchScanner scanner = new BatchScanner(file, 0, segment.size);
            if (from > segment.baseOffset) {
                view.moveTo(
                        scanner,
                        IndexSearch.floorOffset(files, view.path(SegmentFiles.OFFSET_INDEX), segment.baseOffset, from));
            }
            long expected = segment.baseOffset;
            while (next(view, file, scanner, expected) && scanner.baseOffset() < end) {
                BatchSummary batch = scanner.summary();
                expected = batch.nextOffset();
                if (epochs != null && batch.leaderEpoch() > epochs.latestEpoch()) {
                    epochs.assign(batch.leaderEpoch(), batch.baseOffset());
                }
                if (batch.baseOffset() >= states.endOffset()) {
                    apply(batch, segment, index);
                }
                scanner.skip();
            }
        } finally {
            view.close(file);
        }
    }

    private void apply(BatchSummary batch, Segment segment, boolean index) throws IOException {
        CompletedTransaction ended = states.apply(batch);
        if (ended != null && ended.aborted() && index) {
            segment.addAborted(ended);
            if (segment.aborted.pendingBytes() >= TransactionTail.FILING_BYTES && !noRoom) {
                fileAborted(segment, false);
            }
        }
        states.settled(batch.nextOffset());
    }

    /** Writes what is not in the segment's index yet; false: there is no room, and it stays in memory. */
    boolean fileAborted(Segment segment, boolean durable) throws IOException {
        String path = segment.path(log, SegmentFiles.TRANSACTION_INDEX);
        TransactionTail.Filing filing = segment.aborted.filing(Long.MAX_VALUE);
        try {
            PartitionFiles.writeIndex(
                    files, path, filing.firstEntry(), TransactionIndex.ENTRY_BYTES, filing.entries(), true, durable);
            segment.aborted.filed(filing, durable);
            return true;
        } catch (DiskFullException full) {
            noRoom = true;
            LOG.warn("No room for {}: it is in memory only until there is.", path);
            return false;
        }
    }

    /** Loads the next batch, passing over damaged ranges; false at the segment's end. */
    private boolean next(SegmentView view, FileHandle file, BatchScanner scanner, long expected) throws IOException {
        for (DamagedRange range : damage) {
            boolean inside = range.segmentBase() == view.baseOffset()
                    && scanner.position() >= range.fromPosition()
                    && scanner.position() < range.toPosition();
            if (inside) {
                scanner.moveTo(range.toPosition());
            }
        }
        return switch (scanner.load()) {
            case BATCH -> {
                boolean sound = !checked || !scanner.ofTransaction() || scanner.crcValid();
                yield sound || behindUnreadable(view, file, scanner, expected);
            }
            case END -> false;
            case NO_BATCH -> behindUnreadable(view, file, scanner, expected);
        };
    }

    private boolean behindUnreadable(SegmentView view, FileHandle file, BatchScanner scanner, long expected)
            throws IOException {
        unreadable.pass(view, file, scanner, expected);
        return scanner.load() == Place.BATCH;
    }
}
