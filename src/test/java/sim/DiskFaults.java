package sim;

/** Decides about each operation on a {@link SimDisk}; asked before it takes effect. */
@FunctionalInterface
public interface DiskFaults {
    DiskFaults NONE = (operation, path, number) -> Fault.NONE;

    enum Operation {
        READ,
        WRITE,
        SYNC,
        TRUNCATE,
        PREALLOCATE,
        CREATE,
        MAKE_DIRECTORY,
        RENAME,
        DELETE,
        SYNC_DIRECTORY
    }

    enum Fault {
        NONE,
        /** IOException. A write may have written a part; a failed file sync loses its pages, and a later sync succeeds without them. */
        ERROR,
        /** The process dies before the operation, after it, or with a part of it done (a write: some bytes; a sync: some pieces). */
        CRASH_BEFORE,
        CRASH_AFTER,
        CRASH_TORN
    }

    /** @param number which operation of the disk's life this is, from 0; READs are not counted and get the number of the next */
    Fault next(Operation operation, String path, long number);

    /** One fault at one operation. */
    static DiskFaults at(long number, Fault fault) {
        return (operation, path, n) -> n == number && operation != Operation.READ ? fault : Fault.NONE;
    }

    /** One fault at the {@code nth} (from 1) operation of a kind on paths that end so. Stateful: use it for one disk. */
    static DiskFaults nth(Operation kind, String pathEnd, int nth, Fault fault) {
        int[] left = {nth};
        return (operation, path, n) ->
                operation == kind && path.endsWith(pathEnd) && --left[0] == 0 ? fault : Fault.NONE;
    }
}
