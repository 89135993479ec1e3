package storage;

import common.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import records.BatchFilter;
import records.BatchHeader;

/**
 * Second half of a cleaning, for one group of neighbouring segments: writes a segment with what must stay of them (rules K1, K3, K4). Handed to one job after
 * the other.
 */
final class SegmentCleaner {

    /**
     * What a pass goes by; one for all groups.
     *
     * @param map last offsets of keys
     * @param end what lies at or above it was not looked at and stays
     * @param wallMillis the time of the pass
     * @param unsureFrom records at or above it may be there that the pass does not see (damaged segments): what hides older values stays behind it
     * @param reserveBytes free space that must be left
     * @param tails batches that producer states rest on
     */
    record Rules(
            OffsetMap map,
            long end,
            long wallMillis,
            long deleteRetentionMillis,
            ProducerTails tails,
            TransactionPass transactions,
            BatchFilter filter,
            long unsureFrom,
            long reserveBytes) {

        long horizon() {
            long horizon = wallMillis + deleteRetentionMillis;
            return horizon < 0 ? Long.MAX_VALUE : horizon;
        }
    }

    private final Rules rules;
    private final List<BatchStream.Source> sources;
    private final CleanedSegment target;
    private final BatchStream stream;
    private final List<FileHandle> handles = new ArrayList<>();
    private int source;
    private int position;
    private boolean changed;
    private Segment cleaned;

    SegmentCleaner(Rules rules, List<BatchStream.Source> sources, CleanedSegment target, int bufferBytes) {
        this.rules = rules;
        this.sources = sources;
        this.target = target;
        this.stream = new BatchStream(bufferBytes);
        this.changed = sources.size() > 1;
    }

    /** Goes on for about {@code maxBytes}; returns how many were read and written. */
    int step(FileSystem files, int maxBytes) throws IOException {
        if (handles.isEmpty()) {
            requireRoom(files);
            target.open(files);
        }
        rules.transactions.begin(files);
        int bytes = 0;
        while (!finished() && bytes < maxBytes) {
            SegmentView view = sources.get(source).view();
            if (handles.size() == source) {
                handles.add(view.open(files));
            }
            stream.begin(sources.get(source), handles.get(source), position);
            while (bytes < maxBytes && stream.next()) {
                bytes += stream.size() + take();
                position = stream.position() + stream.size();
            }
            if (position >= view.size()) {
                source++;
                position = 0;
            }
        }
        target.fileAborted(files);
        return bytes;
    }

    /** Rule S10: what is cleaned must not take the room that is kept for checkpoints and metadata. */
    private void requireRoom(FileSystem files) throws IOException {
        long bytes = 0;
        for (BatchStream.Source each : sources) {
            bytes += each.view().size();
        }
        if (files.usableBytes() < bytes + rules.reserveBytes) {
            throw new DiskFullException(
                    "cleaning needs room for another " + bytes + " bytes beside the old segments: free some space");
        }
    }

    boolean finished() {
        return source == sources.size();
    }

    /** Whether the outcome differs from what was there. */
    boolean changed() {
        return changed;
    }

    /** Makes the new files durable, but for their names. */
    int finish(FileSystem files) throws IOException {
        cleaned = target.finish(files);
        return 0;
    }

    /** After {@link #finish}: the segment as its log will know it. */
    Segment cleaned() {
        return cleaned;
    }

    void abandon(FileSystem files) throws IOException {
        releaseSources();
        target.abandon(files);
    }

    /** Open files of the sources, in their order; the caller's to release from now on. */
    List<FileHandle> takeSources() {
        List<FileHandle> taken = List.copyOf(handles);
        handles.clear();
        return taken;
    }

    private void releaseSources() {
        takeSources().forEach(FileHandle::release);
    }

    /** Bytes that were written of the batch. */
    private int take() throws IOException {
        ByteBuffer buffer = stream.buffer();
        int at = stream.at();
        boolean control = BatchHeader.isControl(buffer, at);
        BatchFilter.Outcome outcome = control ? ofMarker(buffer, at) : ofData(buffer, at);
        if (outcome.failure() != null) {
            throw unreadable(outcome.failure());
        }
        return switch (outcome.kind()) {
            case AS_IT_IS -> add(buffer, at, stream.size());
            case REWRITTEN -> {
                changed = true;
                yield add(outcome.batch(), 0, outcome.batch().remaining());
            }
            case EMPTY -> {
                // The last batch stays as a place, so that a segment reaches up to the next one whatever it has lost.
                boolean lastOfAll = source == sources.size() - 1 && stream.last();
                if (BatchHeader.recordCount(buffer, at) == 0 && (lastOfAll || rules.tails.contains(buffer, at))) {
                    yield add(buffer, at, stream.size());
                }
                changed = true;
                boolean keep = lastOfAll || rules.tails.contains(buffer, at);
                yield keep ? add(BatchFilter.emptied(buffer, at), 0, BatchHeader.SIZE) : 0;
            }
        };
    }

    private int add(ByteBuffer buffer, int at, int size) throws IOException {
        target.add(buffer, at, size);
        return size;
    }

    private IOException unreadable(Failure failure) {
        return new IOException(
                failure.message() + ", in " + sources.get(source).view().path(SegmentFiles.LOG));
    }

    private BatchFilter.Outcome ofMarker(ByteBuffer buffer, int at) throws IOException {
        TransactionPass.Marker marker = rules.transactions.marker(buffer, at);
        if (marker.aborted() != null) {
            target.addAborted(marker.aborted());
        }
        boolean behind = BatchHeader.baseOffset(buffer, at) >= rules.end;
        if (!marker.obsolete() || behind || rules.tails.contains(buffer, at)) {
            return rules.filter.filter(buffer, at, -1, false, (offset, bytes, keyAt, keyLength, hasValue) -> true);
        }
        boolean gone = horizonPassed(buffer, at);
        return rules.filter.filter(
                buffer, at, rules.horizon(), true, (offset, bytes, keyAt, keyLength, hasValue) -> !gone);
    }

    private boolean horizonPassed(ByteBuffer buffer, int at) {
        return BatchHeader.hasDeleteHorizon(buffer, at) && BatchHeader.baseTimestamp(buffer, at) <= rules.wallMillis;
    }

    private BatchFilter.Outcome ofData(ByteBuffer buffer, int at) throws IOException {
        TransactionPass.Standing standing = rules.transactions.data(buffer, at);
        boolean behind = BatchHeader.baseOffset(buffer, at) >= rules.end;
        if (behind || standing == TransactionPass.Standing.UNDECIDED) {
            return BatchFilter.AS_IT_IS;
        }
        if (standing == TransactionPass.Standing.ABORTED) {
            return BatchFilter.EMPTY;
        }
        // Rule K3: the time of a tombstone begins when no older value is left, and behind what is damaged some may be.
        boolean sure = BatchHeader.baseOffset(buffer, at) < rules.unsureFrom;
        boolean dropTombstones = sure && horizonPassed(buffer, at);
        return rules.filter.filter(
                buffer,
                at,
                sure ? rules.horizon() : -1,
                false,
                (offset, bytes, keyAt, keyLength, hasValue) -> keyLength >= 0
                        && offset >= rules.map.get(bytes, keyAt, keyLength)
                        && (hasValue || !dropTombstones));
    }
}
