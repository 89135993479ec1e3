package storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Goes through the entries of a {@code .txnindex} file, a piece in memory at a time, and checks each. Blocking. */
final class TransactionScanner {

    private static final int PIECE_ENTRIES = 512;

    private final FileHandle file;
    private final int count;
    private final ByteBuffer piece;
    private int next;
    private long lastMarker;

    /**
     * @param baseOffset of the segment
     * @param count entries to be read; the file may have got more
     */
    TransactionScanner(FileHandle file, long baseOffset, int count) {
        this.file = file;
        this.count = count;
        this.lastMarker = baseOffset - 1;
        this.piece = ByteBuffer.allocate(Math.min(PIECE_ENTRIES, count) * TransactionIndex.ENTRY_BYTES)
                .limit(0);
    }

    /** Entries in a whole file; throws when its size does not fit. */
    static int entries(FileHandle file) throws IOException {
        if (file.size() % TransactionIndex.ENTRY_BYTES != 0) {
            throw new DamagedIndexException(
                    file.path() + ": size " + file.size() + " is no multiple of " + TransactionIndex.ENTRY_BYTES);
        }
        return (int) Math.min(Integer.MAX_VALUE, file.size() / TransactionIndex.ENTRY_BYTES);
    }

    /** To entry number {@code entry}. */
    TransactionScanner from(int entry) {
        next = entry;
        piece.limit(0);
        return this;
    }

    /** To the first entry whose marker is at or above {@code offset}; throws when the entries it goes by do not rise. */
    TransactionScanner fromMarker(long offset) throws IOException {
        ByteBuffer marker = ByteBuffer.allocate(Long.BYTES);
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            read(marker.clear(), middle, TransactionIndex.LAST_OFFSET_AT);
            if (marker.getLong(0) < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // A marker that has rotted to a lower value leads past good entries. Then it is the last one below, and no
        // higher than the one before it.
        from(Math.max(0, low - 2));
        while (next < low) {
            next();
        }
        return this;
    }

    /** The next entry; null at the end. */
    CompletedTransaction next() throws IOException {
        if (next == count) {
            return null;
        }
        if (!piece.hasRemaining()) {
            int entries = Math.min(piece.capacity() / TransactionIndex.ENTRY_BYTES, count - next);
            read(piece.clear().limit(entries * TransactionIndex.ENTRY_BYTES), next, 0);
            piece.flip();
        }
        int at = piece.position();
        String problem = TransactionIndex.problem(piece, at, lastMarker);
        if (problem != null) {
            throw new DamagedIndexException(file.path() + ": entry " + next + " " + problem);
        }
        CompletedTransaction entry = TransactionIndex.decode(piece, at);
        lastMarker = entry.lastOffset();
        piece.position(at + TransactionIndex.ENTRY_BYTES);
        next++;
        return entry;
    }

    private void read(ByteBuffer target, int entry, int at) throws IOException {
        int wanted = target.remaining();
        if (PartitionFiles.readFully(file, target, (long) entry * TransactionIndex.ENTRY_BYTES + at) < wanted) {
            throw new DamagedIndexException(file.path() + ": entry " + entry + " is missing");
        }
    }
}
