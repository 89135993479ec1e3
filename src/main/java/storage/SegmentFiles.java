package storage;

import java.io.IOException;
import java.util.List;

/** Names of the files of one segment, Kafka's: 20 digits of the base offset and a suffix. */
final class SegmentFiles {

    static final String LOG = ".log";
    static final String OFFSET_INDEX = ".index";
    static final String TIME_INDEX = ".timeindex";
    static final String TRANSACTION_INDEX = ".txnindex";
    static final String SNAPSHOT = ".snapshot";
    static final String DELETED = ".deleted";

    /** All kinds of files of a segment but the snapshot, the log first. */
    static final List<String> ALL = List.of(LOG, OFFSET_INDEX, TIME_INDEX, TRANSACTION_INDEX);

    static final List<String> WITH_SNAPSHOT = List.of(LOG, OFFSET_INDEX, TIME_INDEX, TRANSACTION_INDEX, SNAPSHOT);

    private static final int DIGITS = 20;

    private SegmentFiles() {}

    static String name(long baseOffset, String suffix) {
        String digits = Long.toString(baseOffset);
        StringBuilder name = new StringBuilder(DIGITS + suffix.length());
        for (int i = digits.length(); i < DIGITS; i++) {
            name.append('0');
        }
        return name.append(digits).append(suffix).toString();
    }

    static String path(String directory, long baseOffset, String suffix) {
        return directory + '/' + name(baseOffset, suffix);
    }

    /** Deletes all files of a segment but the snapshot, so far as {@code names} has them. */
    static void delete(FileSystem files, String directory, long baseOffset, List<String> names) throws IOException {
        for (String suffix : ALL) {
            String name = name(baseOffset, suffix);
            if (names.contains(name)) {
                files.delete(directory + '/' + name);
            }
        }
    }

    /** The base offset in a name of this kind with this suffix; -1 for any other name. */
    static long baseOffset(String name, String suffix) {
        if (name.length() != DIGITS + suffix.length() || !name.endsWith(suffix)) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < DIGITS; i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
