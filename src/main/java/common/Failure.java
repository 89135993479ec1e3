package common;

/** An expected failure as a value: a code that programs act on and a sentence for people (never with secrets or record data). */
public record Failure(FailureCode code, String message) {

    public static Failure of(FailureCode code, String message) {
        return new Failure(code, message);
    }
}
