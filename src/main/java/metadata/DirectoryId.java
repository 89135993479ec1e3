package metadata;

import java.util.List;
import org.apache.kafka.common.Uuid;

/** Ids of log directories (KIP-858): random, but for the first hundred, which are reserved and name none. */
public final class DirectoryId {
    /** Nobody has said yet where the replica lies: it came to be before directories were in the metadata. */
    public static final Uuid UNASSIGNED = new Uuid(0, 1);

    /** It is lost: it lies in a directory that does not work (Highwater keeps the id of that instead), or is damaged and to be fetched anew. */
    public static final Uuid LOST = new Uuid(0, 2);

    private static final int RESERVED = 100;

    private DirectoryId() {}

    public static boolean isReserved(Uuid id) {
        return id.getMostSignificantBits() == 0 && id.getLeastSignificantBits() < RESERVED;
    }

    /**
     * Whether a replica that lies in {@code id} can be used: where nothing is known of its directory it counts as one that works.
     *
     * @param working the directories of the broker that work; empty: it has not told
     */
    public static boolean isOnline(Uuid id, List<Uuid> working) {
        return isReserved(id) ? !id.equals(LOST) : working.isEmpty() || working.contains(id);
    }
}
