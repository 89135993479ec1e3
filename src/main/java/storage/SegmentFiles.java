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

    /**
     * Deletes the producer snapshots above {@code offset}, so far as {@code names} has them, and takes them out of it. Durable when this returns: what comes next
     * (a damage note goes, a segment is written to) is what they would be wrong about if a power cut brought their names back.
     */
    static void dropSnapshotsBehind(FileSystem files, String directory, long offset, List<String> names)
            throws IOException {
        boolean any = false;
        for (String name : List.copyOf(names)) {
            String path = directory + '/' + name;
            if (baseOffset(name, SNAPSHOT) > offset && files.exists(path)) {
                files.delete(path);
                names.remove(name);
                any = true;
            }
        }
        if (any) {
            files.syncDirectory(directory);
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
