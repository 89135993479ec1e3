package common;

/** Receives the one outcome of an asynchronous operation, on the owner (thread) of the caller, exactly once. */
@FunctionalInterface
public interface Callback<T> {

    /** {@code failure} is null on success; on failure {@code value} is null. {@code value} may be null on success where T is Void. */
    void done(T value, Failure failure);

    default void succeed(T value) {
        done(value, null);
    }

    default void fail(FailureCode code, String message) {
        done(null, new Failure(code, message));
    }

    default void fail(Failure failure) {
        done(null, failure);
    }
}
