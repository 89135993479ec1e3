package storage;

import common.Check;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The aborted transactions that end in one segment: how many its {@code .txnindex} file holds, and those that are not in it yet. As with {@link IndexTail},
 * entries are filed in small bursts once their markers are written, so memory is small however many there are; older ones are looked up in the file by jobs
 * ({@link AbortedView}). What a crash loses of a segment that was not closed is rebuilt.
 */
final class TransactionTail {

    /** Pending entries of so many bytes are to be filed. */
    static final int FILING_BYTES = 8192;

    private Filed filed = Filed.NONE;
    private TransactionIndex pending = new TransactionIndex();
    /** All that is filed, and the file's name, have been synced: a missing file looks like one without entries, so a stop must not leave it to chance. */
    private boolean synced;

    /**
     * What is known of the entries in the file.
     *
     * @param firstOffset the smallest first offset
     * @param lastMarker offset of the last entry's marker; -1 for none
     * @param lastStable last stable offset of the last entry
     */
    private record Filed(int count, long firstOffset, long lastMarker, long lastStable) {
        static final Filed NONE = new Filed(0, Long.MAX_VALUE, -1, -1);

        Filed and(CompletedTransaction next) {
            return new Filed(
                    count + 1,
                    Math.min(firstOffset, next.firstOffset()),
                    next.lastOffset(),
                    Math.max(lastStable, next.lastStableOffset()));
        }
    }

    /** Entries for the file: from this entry number on, these bytes. */
    record Filing(int firstEntry, ByteBuffer entries) {}

    /** What a start finds in the whole file; throws DamagedIndexException. */
    static TransactionTail load(FileHandle file, long baseOffset) throws IOException {
        TransactionTail tail = new TransactionTail();
        TransactionScanner scanner = new TransactionScanner(file, baseOffset, TransactionScanner.entries(file));
        for (CompletedTransaction each = scanner.next(); each != null; each = scanner.next()) {
            tail.filed = tail.filed.and(each);
        }
        tail.synced = true;
        return tail;
    }

    /** An aborted transaction whose marker lies behind all others. */
    void add(CompletedTransaction aborted) {
        Check.invariant(
                aborted.lastOffset() > filed.lastMarker,
                "T8: abort markers must rise",
                aborted.lastOffset(),
                filed.lastMarker);
        pending.append(aborted);
    }

    int pendingBytes() {
        return pending.count() * TransactionIndex.ENTRY_BYTES;
    }

    int count() {
        return filed.count + pending.count();
    }

    boolean isDurable() {
        return synced && pending.isEmpty();
    }

    /** What is to be written now: entries whose markers are, for those can be taken back no more. */
    Filing filing(long writtenEnd) {
        return new Filing(filed.count, pending.image(pending.endingBefore(writtenEnd)));
    }

    /** The filing was written; entries that came meanwhile stay pending. Filings are one at a time. */
    void filed(Filing done, boolean durable) {
        int entries = done.entries().capacity() / TransactionIndex.ENTRY_BYTES;
        for (int i = 0; i < entries; i++) {
            filed = filed.and(pending.at(i));
        }
        pending = pending.from(entries);
        synced = durable || (synced && entries == 0);
    }

    /** Drops the transactions whose marker is at or past {@code offset}, which have not been written. */
    void truncateTo(long offset) {
        Check.invariant(filed.lastMarker < offset, "T8: a filed abort is taken back", filed.lastMarker, offset);
        pending.truncateTo(offset);
    }

    /** Whether the file may hold some that overlap [{@code from}, {@code to}). */
    boolean fileOverlaps(long from, long to) {
        return filed.lastMarker >= from && filed.firstOffset < to;
    }

    /** Whether all that come behind those in the file begin at or above {@code to}. */
    boolean fileReachesTo(long from, long to) {
        return filed.lastMarker >= from && filed.lastStable >= to;
    }

    boolean endsBefore(long offset) {
        return filed.lastMarker < offset && pending.endingBefore(offset) == pending.count();
    }

    /** Those that are not in the file. */
    TransactionIndex pending() {
        return pending;
    }

    /** As it is now, for a job. */
    AbortedView view(String path, long baseOffset) {
        return new AbortedView(path, baseOffset, filed.count, pending.from(0));
    }
}
