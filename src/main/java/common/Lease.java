package common;

/** A counted claim on memory that someone else frees, born with one count. Both methods may be called on any thread. */
public interface Lease {

    /** Adds a count. */
    void retain();

    /** Takes one count back; at zero the memory may be reused at once. */
    void release();
}
