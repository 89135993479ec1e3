package cli;

import java.time.Instant;

/**
 * A segment in figures.
 *
 * @param nextOffset the offset after its last record; its base offset if it is empty
 * @param firstMillis lowest timestamp of its batches; -1 for none
 * @param lastMillis highest timestamp of its batches; -1 for none
 */
record SegmentSummary(
        long baseOffset,
        long nextOffset,
        long batches,
        long records,
        long bytes,
        long firstMillis,
        long lastMillis,
        String codecs) {

    void addTo(Table table) {
        table.row(
                String.format("%020d", baseOffset),
                String.valueOf(batches),
                String.valueOf(records),
                String.valueOf(bytes),
                time(firstMillis),
                time(lastMillis),
                codecs);
    }

    private static String time(long millis) {
        return millis < 0 ? "-" : Instant.ofEpochMilli(millis).toString();
    }
}
