package cli;

import java.util.Arrays;

/** Makes key and value of a line. */
final class LineParser {

    /** A record's key and value; either may be null. */
    record Parsed(byte[] key, byte[] value) {}

    private final byte[] separator;
    private final byte[] fixedKey;
    private final byte[] nullValue;

    /** Each may be null: no keys in lines, no key for all, no text that stands for a null value. */
    LineParser(byte[] separator, byte[] fixedKey, byte[] nullValue) {
        this.separator = separator;
        this.fixedKey = fixedKey;
        this.nullValue = nullValue;
    }

    Parsed parse(byte[] line) {
        byte[] key = fixedKey;
        byte[] value = line;
        int at = separator == null ? -1 : indexOf(line, separator);
        if (at >= 0) {
            key = Arrays.copyOf(line, at);
            value = Arrays.copyOfRange(line, at + separator.length, line.length);
        }
        return new Parsed(key, nullValue != null && Arrays.equals(value, nullValue) ? null : value);
    }

    private static int indexOf(byte[] text, byte[] wanted) {
        for (int at = 0; at + wanted.length <= text.length; at++) {
            if (Arrays.equals(text, at, at + wanted.length, wanted, 0, wanted.length)) {
                return at;
            }
        }
        return -1;
    }
}
