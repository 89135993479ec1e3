package storage;

import java.nio.ByteBuffer;

/**
 * The indexes of the segment that is being written: how many entries its two files hold, and the entries that are not in them yet. Entries come when a
 * batch <em>has been</em> written, so an index never points past the log (rule S9). They are filed in small bursts by jobs; what a crash loses is rebuilt.
 * So the memory of an index is small however large the segment; older entries are looked up in the files.
 */
final class IndexTail {

    private final long baseOffset;
    /** Filed and pending: each append asks, and the pending ones are objects of their own. */
    private int offsetEntries;

    private int timeEntries;
    private int filedOffsetEntries;
    private int filedTimeEntries;
    private OffsetIndex offsets;
    private TimeIndex times;
    private long lastTimestamp = -1;
    private int bytesSinceEntry;

    IndexTail(long baseOffset) {
        this.baseOffset = baseOffset;
        this.offsets = new OffsetIndex(baseOffset, Integer.MAX_VALUE);
        this.times = new TimeIndex(baseOffset, Integer.MAX_VALUE);
    }

    /** Continues files that hold this many good entries. */
    void startFrom(int offsetEntries, int timeEntries, long lastIndexedTimestamp, int bytesSinceLastEntry) {
        filedOffsetEntries = offsetEntries;
        filedTimeEntries = timeEntries;
        this.offsetEntries = offsetEntries;
        this.timeEntries = timeEntries;
        lastTimestamp = lastIndexedTimestamp;
        bytesSinceEntry = bytesSinceLastEntry;
    }

    /** A batch was written at {@code position}; the maximum is over the segment up to and with it. */
    void onBatch(int position, int size, long lastOffset, long maxTimestamp, long maxTimestampOffset, int interval) {
        if (bytesSinceEntry > interval) {
            offsets.append(lastOffset, position);
            offsetEntries = filedOffsetEntries + offsets.count();
            addTime(maxTimestamp, maxTimestampOffset);
            bytesSinceEntry = 0;
        }
        bytesSinceEntry += size;
    }

    /** A time entry, unless time has not risen since the last one. */
    void addTime(long timestamp, long offset) {
        if (timestamp > lastTimestamp) {
            times.append(timestamp, offset);
            timeEntries = filedTimeEntries + times.count();
            lastTimestamp = timestamp;
        }
    }

    int offsetEntries() {
        return offsetEntries;
    }

    int timeEntries() {
        return timeEntries;
    }

    /** Whether one of the files would not take another entry ({@code bytes}: segment.index.bytes); one time entry is kept for the roll, as in Kafka. */
    boolean isFull(int bytes) {
        return offsetEntries >= bytes / OffsetIndex.ENTRY_BYTES || timeEntries >= bytes / TimeIndex.ENTRY_BYTES - 1;
    }

    int pendingBytes() {
        return (offsetEntries - filedOffsetEntries) * OffsetIndex.ENTRY_BYTES
                + (timeEntries - filedTimeEntries) * TimeIndex.ENTRY_BYTES;
    }

    /** Position of the last pending entry at or below {@code offset}; -1 when there is none and the file must be asked. */
    int pendingPosition(long offset) {
        int entry = offsets.floor(offset);
        return entry < 0 ? -1 : offsets.positionAt(entry);
    }

    /** Position of the last pending entry at or before {@code position}; -1 when there is none and the file must be asked. */
    int pendingPositionBefore(int position) {
        int low = 0;
        int high = offsets.count() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (offsets.positionAt(middle) <= position) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? -1 : offsets.positionAt(high);
    }

    /** What is to be written now, with its places in the files. */
    Filing filing() {
        return new Filing(filedOffsetEntries, offsets.image(0), filedTimeEntries, times.image(0));
    }

    /** The filing was written; entries that came meanwhile stay pending. Filings are one at a time. */
    void filed(Filing done) {
        int offsetsDone = done.offsetEntries().capacity() / OffsetIndex.ENTRY_BYTES;
        int timesDone = done.timeEntries().capacity() / TimeIndex.ENTRY_BYTES;
        OffsetIndex offsetsLeft = new OffsetIndex(baseOffset, Integer.MAX_VALUE);
        for (int i = offsetsDone; i < offsets.count(); i++) {
            offsetsLeft.append(offsets.offsetAt(i), offsets.positionAt(i));
        }
        TimeIndex timesLeft = new TimeIndex(baseOffset, Integer.MAX_VALUE);
        for (int i = timesDone; i < times.count(); i++) {
            timesLeft.append(times.timestampAt(i), times.offsetAt(i));
        }
        offsets = offsetsLeft;
        times = timesLeft;
        filedOffsetEntries += offsetsDone;
        filedTimeEntries += timesDone;
    }

    /** Entries for the files: at these entry numbers (from 0), these bytes. */
    record Filing(int firstOffsetEntry, ByteBuffer offsetEntries, int firstTimeEntry, ByteBuffer timeEntries) {
        boolean isEmpty() {
            return offsetEntries.capacity() == 0 && timeEntries.capacity() == 0;
        }
    }
}
