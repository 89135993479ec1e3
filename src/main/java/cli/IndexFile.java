package cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** The entries of an index file, without the zeros that a file made ready for writing ends in. */
final class IndexFile {

    private static final long MAX_BYTES = 256L * 1024 * 1024;

    private final ByteBuffer entries;
    private final int entrySize;

    private IndexFile(ByteBuffer entries, int entrySize) {
        this.entries = entries;
        this.entrySize = entrySize;
    }

    /** Reads the file; what is wrong with it as a whole goes to {@code findings}. */
    static IndexFile load(Path file, int entrySize, Findings findings) throws IOException {
        if (!Files.exists(file)) {
            findings.note(file, "is missing: the next start makes it from the log");
            return new IndexFile(ByteBuffer.allocate(0), entrySize);
        }
        if (Files.size(file) > MAX_BYTES) {
            findings.problem(file, "has " + Files.size(file) + " bytes, more than any index");
            return new IndexFile(ByteBuffer.allocate(0), entrySize);
        }
        byte[] bytes = Files.readAllBytes(file);
        int used = bytes.length;
        while (used > 0 && bytes[used - 1] == 0) {
            used--;
        }
        // The last entry may itself end in zero bytes.
        used = Math.min((used + entrySize - 1) / entrySize * entrySize, bytes.length);
        if (used % entrySize != 0) {
            findings.problem(file, "has " + bytes.length + " bytes, not a multiple of " + entrySize);
            used -= used % entrySize;
        }
        return new IndexFile(ByteBuffer.wrap(bytes, 0, used), entrySize);
    }

    int count() {
        return entries.limit() / entrySize;
    }

    int intAt(int entry, int offset) {
        return entries.getInt(entry * entrySize + offset);
    }

    long longAt(int entry, int offset) {
        return entries.getLong(entry * entrySize + offset);
    }
}
