package storage;

import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Kafka's text checkpoints: a line with the version (0), one with the number of entries, then one line per entry with fields split by white space.
 *
 * @param lines the fields of each entry; null on failure
 */
record CheckpointLines(List<String[]> lines, Failure failure) {

    /** Content from position to limit; each entry must have {@code fields} fields. */
    static CheckpointLines parse(ByteBuffer file, int fields) {
        String text = StandardCharsets.UTF_8.decode(file.duplicate()).toString();
        if (!text.endsWith("\n")) {
            return unreadable("the last line is cut");
        }
        String[] rows = text.split("\n", -1);
        if (rows.length < 3) {
            return unreadable("no entry count");
        }
        if (!rows[0].strip().equals("0")) {
            return new CheckpointLines(null, Failure.of(FailureCode.UNSUPPORTED_FORMAT, "checkpoint version is not 0"));
        }
        long count = number(rows[1].strip());
        if (count != rows.length - 3) {
            return unreadable("it announces " + count + " entries and has " + (rows.length - 3));
        }
        List<String[]> lines = new ArrayList<>(rows.length - 3);
        for (int i = 2; i < rows.length - 1; i++) {
            String[] parts = rows[i].strip().split("\\s+");
            if (parts.length != fields) {
                return unreadable("line " + (i + 1) + " has not " + fields + " fields");
            }
            lines.add(parts);
        }
        return new CheckpointLines(lines, null);
    }

    private static CheckpointLines unreadable(String what) {
        return new CheckpointLines(null, Failure.of(FailureCode.STORAGE_ERROR, "unreadable checkpoint: " + what));
    }

    /** A decimal number {@code >= 0}; -1 for anything else. */
    static long number(String digits) {
        if (digits.isEmpty() || digits.length() > 19) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
