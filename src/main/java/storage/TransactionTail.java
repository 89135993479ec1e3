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

    private final FiledAborted filed = new FiledAborted();
    private TransactionIndex pending = new TransactionIndex();
    /** All that is filed, and the file's name, have been synced: a missing file looks like one without entries, so a stop must not leave it to chance. */
    private boolean synced;

    private boolean failureTold;

    /** Entries for the file: from this entry number on, these bytes. */
    record Filing(int firstEntry, ByteBuffer entries) {}

    /**
     * What a start finds in the whole file; throws DamagedIndexException.
     *
     * @param noted what must be there at least; null: nobody knows
     */
    static TransactionTail load(FileHandle file, long baseOffset, IndexNote.Line noted) throws IOException {
        TransactionTail tail = new TransactionTail();
        TransactionScanner scanner = TransactionScanner.ofUnknown(file, baseOffset);
        for (CompletedTransaction each = scanner.next(); each != null; each = scanner.next()) {
            tail.filed.add(each);
            boolean other = noted != null
                    && noted.entries() == tail.filed.count()
                    && noted.checksum() != IndexNote.Line.shown(tail.filed.checksum());
            if (other) {
                throw new DamagedIndexException(file.path(), baseOffset, "its entries are not those that were written");
            }
        }
        if (noted != null && noted.entries() > tail.filed.count()) {
            throw new DamagedIndexException(
                    file.path(), baseOffset, tail.filed.count() + " of " + noted.entries() + " entries are left");
        }
        tail.synced = true;
        return tail;
    }

    /** An aborted transaction whose marker lies behind all others. */
    void add(CompletedTransaction aborted) {
        Check.invariant(
                aborted.lastOffset() > filed.lastMarker(),
                "T8: abort markers must rise",
                aborted.lastOffset(),
                filed.lastMarker());
        pending.append(aborted);
    }

    int pendingBytes() {
        return pending.count() * TransactionIndex.ENTRY_BYTES;
    }

    int count() {
        return filed.count() + pending.count();
    }

    boolean isDurable() {
        return synced && pending.isEmpty();
    }

    /** What is to be written now: entries whose markers are, for those can be taken back no more. */
    Filing filing(long writtenEnd) {
        return new Filing(filed.count(), pending.image(pending.endingBefore(writtenEnd)));
    }

    /** The filing was written; entries that came meanwhile stay pending. Filings are one at a time. */
    void filed(Filing done, boolean durable) {
        int entries = done.entries().capacity() / TransactionIndex.ENTRY_BYTES;
        for (int i = 0; i < entries; i++) {
            filed.add(pending.at(i));
        }
        pending = pending.from(entries);
        synced = durable || (synced && entries == 0);
    }

    /** Drops the transactions whose marker is at or past {@code offset}, which have not been written. */
    void truncateTo(long offset) {
        Check.invariant(filed.lastMarker() < offset, "T8: a filed abort is taken back", filed.lastMarker(), offset);
        pending.truncateTo(offset);
    }

    /** Whether the file may hold some that overlap [{@code from}, {@code to}). */
    boolean fileOverlaps(long from, long to) {
        return filed.lastMarker() >= from && filed.firstOffset() < to;
    }

    /** Whether all that come behind those in the file begin at or above {@code to}. */
    boolean fileReachesTo(long from, long to) {
        return filed.lastMarker() >= from && filed.lastStable() >= to;
    }

    boolean endsBefore(long offset) {
        return filed.lastMarker() < offset && pending.endingBefore(offset) == pending.count();
    }

    /** Those that are not in the file. */
    TransactionIndex pending() {
        return pending;
    }

    /** Entries of the file have markers below it. */
    long filedEnd() {
        return filed.lastMarker() + 1;
    }

    /** What the file holds, for the note; null for nothing. {@code next}: about to be written as well, or null. */
    IndexNote.Line noted(long baseOffset, Filing next) {
        long checksum = filed.checksum();
        int entries = next == null ? 0 : next.entries().remaining() / TransactionIndex.ENTRY_BYTES;
        for (int i = 0; i < entries; i++) {
            checksum = FiledAborted.checksum(checksum, pending.at(i));
        }
        int all = filed.count() + entries;
        return all == 0 ? null : new IndexNote.Line(baseOffset, all, IndexNote.Line.shown(checksum));
    }

    /** Takes over what is not in the file of {@code other}; it lies behind all that is here. */
    void addPending(TransactionTail other) {
        for (int i = 0; i < other.pending.count(); i++) {
            add(other.pending.at(i));
        }
    }

    /** The file is damaged and could not be made anew: false when that has been told. */
    boolean tellFailure() {
        boolean first = !failureTold;
        failureTold = true;
        return first;
    }

    /** As it is now, for a job. */
    AbortedView view(String path, long baseOffset) {
        return new AbortedView(path, baseOffset, filed.view(), pending.from(0));
    }
}
