package services;

import common.PartitionId;
import java.util.ArrayList;
import java.util.List;
import replication.ReplicaShard.ReadPartition;

/**
 * One incremental fetch of a follower whose partitions all lie in one shard: says what that shard does not know yet of the session, so that partitions in which
 * nothing happens cost nothing. Made by {@link FetchContext#followerTurn}, used once, on the same owner.
 */
public final class FollowerTurn {
    private final FetchSession session;
    private final List<ReadPartition> changed = new ArrayList<>();

    FollowerTurn(FetchSession session) {
        this.session = session;
    }

    /** What the shard has not been told: to be looked up, and then to be {@link #tell told} or refused. */
    public List<FetchEntry> untold() {
        return session.untold();
    }

    /**
     * {@code shard} is to read for {@code entry}, which was found.
     *
     * @return false, and all is as if this session had no shard, if it is not the shard of the others
     */
    public boolean tell(FetchEntry entry, int shard) {
        if (!session.goesTo(shard)) {
            return false;
        }
        session.told(entry);
        changed.add(entry.read());
        return true;
    }

    /** Null for one that has left the session. */
    public FetchEntry entry(PartitionId partition) {
        return session.entry(partition);
    }

    /** Whether the session has partitions that were found. */
    public boolean isEmpty() {
        return session.size() == session.untold().size();
    }

    FetchSession session() {
        return session;
    }

    List<ReadPartition> changed() {
        return changed;
    }
}
