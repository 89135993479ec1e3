package common;

/** A rule that the code relies on does not hold. Never caught to go on: the node stops. */
public final class InvariantViolation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public InvariantViolation(String message) {
        super(message);
    }
}
