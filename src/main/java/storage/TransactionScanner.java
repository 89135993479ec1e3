package storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Goes through the entries of a {@code .txnindex} file, a piece in memory at a time, and checks each piece before any of it is told. Blocking. */
final class TransactionScanner {

    private final FileHandle file;
    private final long baseOffset;
    private final int count;
    private final FiledAborted.View known;
    private final ByteBuffer piece;
    private int next;
    /** Number of the entry that {@link #piece} begins with; -1: none is loaded. */
    private int loaded = -1;

    /**
     * @param baseOffset of the segment
     * @param known what the file must hold; it may have got more
     */
    TransactionScanner(FileHandle file, long baseOffset, FiledAborted.View known) {
        this(file, baseOffset, known.count(), known);
    }

    private TransactionScanner(FileHandle file, long baseOffset, int count, FiledAborted.View known) {
        this.file = file;
        this.baseOffset = baseOffset;
        this.count = count;
        this.known = known;
        this.piece = ByteBuffer.allocate(Math.min(FiledAborted.PIECE, count) * TransactionIndex.ENTRY_BYTES);
    }

    /** All entries of a file of which nothing is known yet. Throws when its size does not fit. */
    static TransactionScanner ofUnknown(FileHandle file, long baseOffset) throws IOException {
        long size = file.size();
        if (size % TransactionIndex.ENTRY_BYTES != 0) {
            throw new DamagedIndexException(
                    file.path(),
                    baseOffset,
                    "its size, " + size + ", is no multiple of " + TransactionIndex.ENTRY_BYTES);
        }
        int entries = (int) Math.min(Integer.MAX_VALUE, size / TransactionIndex.ENTRY_BYTES);
        return new TransactionScanner(file, baseOffset, entries, null);
    }

    /** To entry number {@code entry}. */
    TransactionScanner from(int entry) {
        next = entry;
        return this;
    }

    /** To the first entry whose marker is at or above {@code offset}. */
    TransactionScanner fromMarker(long offset) throws IOException {
        next = Math.min(count, known.pieceOf(offset) * FiledAborted.PIECE);
        CompletedTransaction entry = next();
        while (entry != null && entry.lastOffset() < offset) {
            entry = next();
        }
        next -= entry == null ? 0 : 1;
        return this;
    }

    /** The next entry; null at the end. */
    CompletedTransaction next() throws IOException {
        if (next == count) {
            return null;
        }
        int first = next - next % FiledAborted.PIECE;
        if (loaded != first) {
            load(first);
        }
        return TransactionIndex.decode(piece, (next++ - first) * TransactionIndex.ENTRY_BYTES);
    }

    private void load(int first) throws IOException {
        long before = lastMarkerBefore(first);
        int entries = Math.min(FiledAborted.PIECE, count - first);
        piece.clear().limit(entries * TransactionIndex.ENTRY_BYTES);
        read(first);
        long checksum = known == null ? 0 : known.checksum(first / FiledAborted.PIECE - 1);
        for (int i = 0; i < entries; i++) {
            String problem = TransactionIndex.problem(piece, i * TransactionIndex.ENTRY_BYTES, before);
            if (problem != null) {
                throw new DamagedIndexException(file.path(), baseOffset, "entry " + (first + i) + " " + problem);
            }
            CompletedTransaction entry = TransactionIndex.decode(piece, i * TransactionIndex.ENTRY_BYTES);
            checksum = FiledAborted.checksum(checksum, entry);
            before = entry.lastOffset();
        }
        if (known != null && checksum != known.checksum(first / FiledAborted.PIECE)) {
            throw new DamagedIndexException(
                    file.path(),
                    baseOffset,
                    "entries " + first + " to " + (first + entries - 1) + " are not what was written");
        }
        loaded = first;
    }

    private long lastMarkerBefore(int first) {
        if (first == 0) {
            return baseOffset - 1;
        }
        return known == null
                ? TransactionIndex.decode(piece, piece.limit() - TransactionIndex.ENTRY_BYTES)
                        .lastOffset()
                : known.markers()[first / FiledAborted.PIECE - 1];
    }

    private void read(int first) throws IOException {
        int wanted = piece.remaining();
        int got;
        try {
            got = PartitionFiles.readFully(file, piece, (long) first * TransactionIndex.ENTRY_BYTES);
        } catch (IOException e) {
            throw new DamagedIndexException(file.path(), baseOffset, "it cannot be read: " + e.getMessage());
        }
        if (got < wanted) {
            int missing = first + got / TransactionIndex.ENTRY_BYTES;
            throw new DamagedIndexException(file.path(), baseOffset, "entry " + missing + " is missing");
        }
    }
}
