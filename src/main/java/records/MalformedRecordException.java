package records;

/**
 * Bytes that are no record. Inside this package it becomes a Failure; the codecs of {@code records.schemas} throw it to whoever loads a log. Without stack
 * trace, as a client decides how often it is thrown.
 */
public class MalformedRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedRecordException(String message) {
        super(message, null, false, false);
    }
}
