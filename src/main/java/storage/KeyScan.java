package storage;

import common.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import records.BatchFilter;
import records.BatchHeader;

/**
 * First half of a cleaning: learns the last offset of each key in the dirty part of a log, until its end or until the map is full. Handed to one job after the
 * other.
 */
final class KeyScan {

    private final List<BatchStream.Source> segments;
    private final TransactionPass transactions;
    private final OffsetMap map;
    private final BatchFilter filter;
    private final BatchStream stream;
    private final long from;
    private final long limit;
    private int segment;
    private int position;
    private long end;
    private boolean finished;
    private boolean full;

    /**
     * @param segments from the one that holds {@code from} on, all that begin below {@code limit}; of a damaged one its sound parts
     * @param limit only batches wholly below it
     */
    KeyScan(
            List<BatchStream.Source> segments,
            long from,
            long limit,
            TransactionPass transactions,
            OffsetMap map,
            BatchFilter filter,
            int bufferBytes) {
        this.segments = segments;
        this.from = from;
        this.limit = limit;
        this.transactions = transactions;
        this.map = map;
        this.filter = filter;
        this.stream = new BatchStream(bufferBytes);
        this.end = from;
        this.position = start();
    }

    /** Goes on for about {@code maxBytes}; returns how many were read. */
    int step(FileSystem files, int maxBytes) throws IOException {
        transactions.begin(files);
        int bytes = 0;
        while (!finished && bytes < maxBytes) {
            if (segment == segments.size()) {
                finished = true;
                // Nothing else can be read below.
                end = Math.max(end, limit);
                break;
            }
            SegmentView view = segments.get(segment).view();
            FileHandle file = view.open(files);
            try {
                int before = position;
                stream.begin(segments.get(segment), file, position);
                scan(maxBytes - bytes);
                bytes += position - before;
            } finally {
                view.close(file);
            }
            if (position >= view.size()) {
                segment++;
                position = start();
            }
        }
        return bytes;
    }

    private int start() {
        return segment == segments.size() ? 0 : segments.get(segment).view().fromPosition();
    }

    private void scan(int maxBytes) throws IOException {
        int start = position;
        while (position - start < maxBytes) {
            if (!stream.next()) {
                return;
            }
            if (BatchHeader.lastOffset(stream.buffer(), stream.at()) >= limit || !take()) {
                finished = true;
                return;
            }
            position = stream.position() + stream.size();
        }
    }

    /** False: the map is full. */
    private boolean take() throws IOException {
        ByteBuffer buffer = stream.buffer();
        int at = stream.at();
        if (BatchHeader.lastOffset(buffer, at) < from) {
            return true;
        }
        if (BatchHeader.isControl(buffer, at)) {
            transactions.marker(buffer, at);
        } else if (transactions.data(buffer, at) == TransactionPass.Standing.VALID) {
            Failure unreadable = filter.visitKeys(buffer, at, (offset, bytes, keyAt, keyLength) -> {
                full = offset >= from && !map.put(bytes, keyAt, keyLength, offset);
                return !full;
            });
            if (unreadable != null) {
                throw new IOException(unreadable.message() + ", in "
                        + segments.get(segment).view().path(SegmentFiles.LOG));
            }
            if (full) {
                return false;
            }
        }
        end = BatchHeader.nextOffset(buffer, at);
        return true;
    }

    boolean finished() {
        return finished;
    }

    /** The map took no more keys. */
    boolean full() {
        return full;
    }

    /** The map knows all keys in the batches from the start up to here, so far as they can be read. */
    long end() {
        return end;
    }
}
