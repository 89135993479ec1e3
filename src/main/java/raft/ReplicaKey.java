package raft;

/**
 * Who a replica of the metadata log is: node id and directory id (KIP-853). With a wiped disk a node has a new directory id and so is another replica (rule
 * R13). Both halves 0: the directory is not known, as in a set of voters that comes from settings.
 *
 * @param id node id, >= 0
 * @param directoryMost, directoryLeast halves of the directory id
 */
public record ReplicaKey(int id, long directoryMost, long directoryLeast) {

    /** A replica whose directory is not known. */
    public static ReplicaKey of(int id) {
        return new ReplicaKey(id, 0, 0);
    }

    public boolean hasDirectory() {
        return directoryMost != 0 || directoryLeast != 0;
    }

    /** Whether this, from a set of voters or a request's address, means {@code replica}: without a directory id it means any of its node. */
    public boolean means(ReplicaKey replica) {
        return id == replica.id && (!hasDirectory() || equals(replica));
    }

    @Override
    public String toString() {
        return hasDirectory() ? id + ":" + Long.toHexString(directoryMost ^ directoryLeast) : Integer.toString(id);
    }
}
