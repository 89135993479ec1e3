package cli;

/** A command cannot do its task: {@code message} says what happened and why, {@code hint} what to do next. */
final class CliFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String hint;

    /** A failure; an empty {@code hint} means that the message says it all. */
    CliFailure(String message, String hint) {
        super(message);
        this.hint = hint;
    }

    String hint() {
        return hint;
    }
}
