package cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Index of aborted transactions: (version, producer id, first offset, last offset, last stable offset) per entry. */
final class TransactionIndexCheck {

    private static final int ENTRY_BYTES = 34;

    private TransactionIndexCheck() {}

    static void check(Path file, long baseOffset, long nextOffset, Findings findings) throws IOException {
        if (!Files.exists(file)) {
            // Only segments with aborted transactions have one.
            return;
        }
        ByteBuffer entries = ByteBuffer.wrap(Files.readAllBytes(file));
        if (entries.remaining() % ENTRY_BYTES != 0) {
            findings.problem(file, "has " + entries.remaining() + " bytes, not a multiple of " + ENTRY_BYTES);
        }
        long before = -1;
        for (int i = 0; entries.remaining() >= ENTRY_BYTES; i++) {
            short version = entries.getShort();
            entries.getLong();
            long first = entries.getLong();
            long last = entries.getLong();
            entries.getLong();
            if (version != 0) {
                findings.problem(file, "entry " + i + " has version " + version);
            }
            if (first > last || last <= before || last < baseOffset || last >= nextOffset) {
                findings.problem(file, "entry " + i + " has offsets " + first + " to " + last + ", out of order");
            }
            before = last;
        }
    }
}
