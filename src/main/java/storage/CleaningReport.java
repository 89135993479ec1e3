package storage;

/**
 * What a cleaning did.
 *
 * @param end the log is clean up to here
 * @param bytesBefore of the segments that were gone through, bytesAfter of what has come in their place
 * @param mapUse how full the key map was, 0 to 1
 */
public record CleaningReport(
        long from, long end, int keys, double mapUse, long bytesBefore, long bytesAfter, long millis) {}
