package records;

/** The records of a batch inflate to more than the walk may see. */
final class InflateLimitException extends MalformedRecordException {
    private static final long serialVersionUID = 1L;

    InflateLimitException(long limit) {
        super("the records inflate to more than " + limit + " bytes");
    }
}
