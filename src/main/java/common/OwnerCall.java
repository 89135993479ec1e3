package common;

/** A request to another owner; runs on that owner's thread and calls {@code done} there, now or later. Nothing mutable may be shared. */
@FunctionalInterface
public interface OwnerCall<O, T> {
    void run(O owner, Callback<T> done);
}
