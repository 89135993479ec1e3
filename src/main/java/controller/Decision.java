package controller;

import highwater.metadata.MetadataRecord;
import java.util.List;

/**
 * What a request comes to: the records that make it true, and the answer to give once they are committed (R10).
 *
 * @param records in order; empty when nothing changes
 * @param whole all of them take effect or none. False: they may be written in several batches, one directly after the other; any first part of them alone is
 *     legal, too, and what is missing is decided again
 */
public record Decision<T>(List<MetadataRecord> records, T answer, boolean whole) {

    public Decision(List<MetadataRecord> records, T answer) {
        this(records, answer, true);
    }

    static <T> Decision<T> unchanged(T answer) {
        return new Decision<>(List.of(), answer);
    }

    static <T> Decision<T> inParts(List<MetadataRecord> records, T answer) {
        return new Decision<>(List.copyOf(records), answer, false);
    }
}
