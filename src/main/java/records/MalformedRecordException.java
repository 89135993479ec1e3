package records;

/** Bytes that are no record. Stays inside this package, where it becomes a Failure; without stack trace, as a client decides how often it is thrown. */
final class MalformedRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedRecordException(String message) {
        super(message, null, false, false);
    }
}
