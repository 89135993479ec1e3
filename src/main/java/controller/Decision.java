package controller;

import highwater.metadata.MetadataRecord;
import java.util.List;

/**
 * What a request comes to: the records that make it true, all or none, and the answer to give once they are committed (R10).
 *
 * @param records in order; empty when nothing changes
 */
public record Decision<T>(List<MetadataRecord> records, T answer) {

    static <T> Decision<T> unchanged(T answer) {
        return new Decision<>(List.of(), answer);
    }
}
