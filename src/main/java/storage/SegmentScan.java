package storage;

import common.Mutations;
import java.io.IOException;
import java.util.List;
import records.BatchSummary;
import storage.BatchScanner.Place;

/**
 * Goes through one segment batch by batch after an unclean stop (rule S7): checks, and rebuilds what is known of the segment. Blocking.
 */
final class SegmentScan {

    static final long LAST = -1;

    private final FileHandle file;
    private final Segment segment;
    private final int fileSize;
    private final long recoveryPoint;
    private final int indexInterval;
    private final LeaderEpochCache epochs;
    private final Mutations mutations;
    private final List<DamagedRange> damage;
    private final long nextBase;
    private final boolean compacted;
    private long nextOffset;
    private int lastEpoch = -1;
    private boolean epochsChanged;
    private boolean endsInZeroes;
    /** Looks at the batch behind the one that is being judged. */
    private BatchScanner ahead;

    /**
     * @param segment gets index, size and times anew
     * @param nextBase base of the next segment, {@link #LAST} when there is none
     * @param nextOffset the end of the log before it
     */
    SegmentScan(
            FileHandle file,
            Segment segment,
            long nextBase,
            long nextOffset,
            Recovery.Settings settings,
            LeaderEpochCache epochs,
            List<DamagedRange> damage) {
        this.file = file;
        this.segment = segment;
        this.nextBase = nextBase;
        this.fileSize = segment.size;
        this.nextOffset = Math.max(nextOffset, segment.baseOffset);
        this.recoveryPoint = settings.recoveryPoint();
        this.indexInterval = settings.config().indexIntervalBytes();
        this.compacted = settings.mayHaveGaps();
        this.mutations = settings.mutations();
        this.epochs = epochs;
        this.damage = damage;
    }

    /** Returns where the valid part ends: the file's size, or an invalid place with nothing valid behind it in this segment. */
    int run() throws IOException {
        segment.index = new IndexTail(segment.baseOffset);
        segment.aborted = null;
        segment.maxTimestamp = -1;
        segment.maxTimestampOffset = -1;
        segment.maxTimestampKnown = true;
        segment.size = 0;
        BatchScanner scanner = new BatchScanner(file, 0, fileSize);
        while (scanner.position() < fileSize) {
            if (isValid(scanner)) {
                take(scanner.summary(), scanner.maxTimestamp());
                scanner.skip();
                continue;
            }
            int bad = scanner.position();
            RotProbe probe = new RotProbe(file, fileSize, nextOffset, lastEpoch, compacted);
            int next = mutations.active("cut-at-rot") ? -1 : probe.validAfter(bad);
            if (next < 0) {
                endsInZeroes = probe.onlyZeroesFrom(bad);
                return bad;
            }
            scanner.moveTo(next);
            scanner.load();
            damage.add(new DamagedRange(segment.baseOffset, nextOffset, scanner.baseOffset(), bad, next));
            nextOffset = scanner.baseOffset();
            segment.size = next;
        }
        return fileSize;
    }

    private boolean isValid(BatchScanner scanner) throws IOException {
        if (scanner.load() != Place.BATCH || scanner.baseOffset() < nextOffset || scanner.leaderEpoch() < lastEpoch) {
            return false;
        }
        if (nextBase == LAST && scanner.endPosition() == fileSize && mutations.active("valid-tail-batch-dropped")) {
            return false;
        }
        boolean sound = (scanner.lastOffset() < recoveryPoint && leadsOn(scanner)) || scanner.crcValid();
        return sound && !contradicted(scanner);
    }

    /** Whether the loaded batch's length leads to the next one: what needs no checksum must at least not lead astray. */
    private boolean leadsOn(BatchScanner scanner) throws IOException {
        if (ahead == null) {
            ahead = new BatchScanner(file, 0, fileSize);
        }
        long next = scanner.lastOffset() + 1;
        ahead.moveTo(scanner.endPosition());
        Place place = ahead.load();
        return place == Place.END
                || (place == Place.BATCH && (compacted ? ahead.baseOffset() >= next : ahead.baseOffset() == next));
    }

    /**
     * Base offset and epoch are outside the CRC. Where one of them jumps, the batch behind tells whether that is so or rot: it goes on from the jump, or
     * from before. With nothing valid behind it in the segment, it is so if the next segment goes on from there, as behind every compacted one; else a jump of
     * offsets is rot, unless the log is compacted.
     */
    private boolean contradicted(BatchScanner scanner) throws IOException {
        boolean gap = scanner.baseOffset() != nextOffset;
        boolean jump = scanner.leaderEpoch() > lastEpoch;
        if (!gap && !jump) {
            return false;
        }
        BatchScanner behind = new BatchScanner(file, scanner.endPosition(), fileSize);
        if (behind.load() != Place.BATCH || !behind.crcValid()) {
            return gap && !compacted && scanner.lastOffset() + 1 != nextBase;
        }
        boolean offsetsGoBack = gap && behind.baseOffset() <= scanner.lastOffset() && behind.baseOffset() >= nextOffset;
        boolean epochsGoBack =
                jump && behind.leaderEpoch() < scanner.leaderEpoch() && behind.leaderEpoch() >= lastEpoch;
        return (offsetsGoBack || epochsGoBack) && !isWrongItself(behind, scanner.leaderEpoch());
    }

    /** Whether the batch that contradicts the one before, of {@code epochBefore}, is contradicted by the one behind it. */
    private boolean isWrongItself(BatchScanner contradicting, int epochBefore) throws IOException {
        BatchScanner third = new BatchScanner(file, contradicting.endPosition(), fileSize);
        if (third.load() != Place.BATCH || !third.crcValid()) {
            return false;
        }
        boolean epochWrong = contradicting.leaderEpoch() < epochBefore && third.leaderEpoch() >= epochBefore;
        boolean offsetWrong = !compacted && third.baseOffset() != contradicting.lastOffset() + 1;
        return epochWrong || offsetWrong;
    }

    private void take(BatchSummary batch, long time) {
        if (segment.size == 0) {
            segment.firstTimestamp = time;
        }
        segment.onWritten(batch, time, indexInterval, Mutations.NONE);
        if (batch.leaderEpoch() > epochs.latestEpoch()) {
            epochsChanged |= epochs.assign(batch.leaderEpoch(), batch.baseOffset());
        }
        lastEpoch = batch.leaderEpoch();
        nextOffset = batch.nextOffset();
    }

    /** What lies behind the valid part, if anything, is zeroes. */
    boolean endsInZeroes() {
        return endsInZeroes;
    }

    long nextOffset() {
        return nextOffset;
    }

    boolean epochsChanged() {
        return epochsChanged;
    }
}
