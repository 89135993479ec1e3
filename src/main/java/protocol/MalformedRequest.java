package protocol;

/** A request's bytes do not follow its schema. Thrown and caught inside this package only; without a stack trace, since attackers choose how often. */
final class MalformedRequest extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedRequest(String message) {
        super(message, null, false, false);
    }
}
