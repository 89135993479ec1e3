package verticles;

/** The broker cannot start as it was asked to; the message is for people: what is wrong, what is allowed. Ends the process without a stack trace. */
final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StartException(String message) {
        super(message);
    }
}
