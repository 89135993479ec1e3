package group;

import org.apache.kafka.common.protocol.Errors;

/** Why a request is refused. Thrown and caught inside this package only, to leave a chain of checks. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Errors error;

    Refusal(Errors error, String message) {
        super(message, null, false, false);
        this.error = error;
    }

    Errors error() {
        return error;
    }
}
