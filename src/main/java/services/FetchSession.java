package services;

import common.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import replication.ReplicaShard.SessionId;

/** The partitions of one incremental fetch session in the order in which they are served: those that got records go to the end. */
final class FetchSession {
    final int id;
    final boolean byTopicId;
    final boolean follower;
    final long createdMillis;
    /** The epoch that the next request must carry. */
    int epoch;

    long usedMillis;
    /** Whether it was past its protected time when it was last used (KIP-227). */
    boolean evictable;

    private final Map<FetchEntry.Key, FetchEntry> partitions;
    private List<FetchEntry> ordered;
    private Runnable endWait = () -> {};

    // Of a follower, for the shard that remembers its session:

    private final Map<FetchEntry.Key, FetchEntry> untold = new LinkedHashMap<>();
    private final List<PartitionId> forgotten = new ArrayList<>();
    private int shard = -1;
    private boolean spread;
    /** Null while the shard knows nothing of it. */
    private Runnable leave;

    private SessionId inShard;

    FetchSession(
            int id, boolean byTopicId, boolean follower, long nowMillis, Map<FetchEntry.Key, FetchEntry> partitions) {
        this.id = id;
        this.byTopicId = byTopicId;
        this.follower = follower;
        this.createdMillis = nowMillis;
        this.usedMillis = nowMillis;
        this.partitions = partitions;
        if (follower) {
            untold.putAll(partitions);
        }
    }

    /** @param end makes the request that is being answered be answered at once */
    void waits(Runnable end) {
        endWait = end;
    }

    /**
     * A follower that sends its next request before the last one is answered has something to say that others wait for: that one waits no more, and is answered
     * with what there is. A client has no such use for it.
     */
    void nextCame() {
        if (follower) {
            endWait.run();
        }
    }

    int size() {
        return partitions.size();
    }

    /** The partitions as they are now; the list does not change later. */
    List<FetchEntry> entries() {
        if (ordered == null) {
            ordered = new ArrayList<>(partitions.values());
        }
        return ordered;
    }

    /** Adds, changes and removes what an incremental request says. */
    void update(FetchRequestData request) {
        if (!request.topics().isEmpty()) {
            int before = partitions.size();
            collect(request, byTopicId, partitions, follower ? untold : null);
            ordered = partitions.size() == before ? ordered : null;
        }
        for (ForgottenTopic topic : request.forgottenTopicsData()) {
            for (int partition : topic.partitions()) {
                FetchEntry.Key key = new FetchEntry.Key(byTopicId ? null : topic.topic(), topic.topicId(), partition);
                partitions.remove(key);
                ordered = null;
                if (untold.remove(key) == null && leave != null) {
                    forgotten.add(new PartitionId(topic.topicId(), partition));
                }
            }
        }
    }

    /** A follower's whose partitions lie in one shard, as far as is known. */
    boolean mayStayInShard() {
        return follower && byTopicId && !spread;
    }

    /** What the shard is not told yet; the list does not change later. */
    List<FetchEntry> untold() {
        return new ArrayList<>(untold.values());
    }

    void told(FetchEntry entry) {
        untold.remove(entry.key());
    }

    /** Null when it is none of the session's. */
    FetchEntry entry(PartitionId partition) {
        return partitions.get(new FetchEntry.Key(null, partition.topicId(), partition.partition()));
    }

    /** False: the session has partitions of other shards, too, and none remembers it from now on. */
    boolean goesTo(int of) {
        if (shard >= 0 && shard != of) {
            spread = true;
            leaveShard();
        }
        shard = of;
        return !spread;
    }

    /** @param shardLeaves makes the shard forget the session */
    void staysInShard(SessionId as, Runnable shardLeaves) {
        inShard = as;
        leave = shardLeaves;
    }

    /** Null while the shard knows nothing of it. */
    SessionId inShard() {
        return leave == null ? null : inShard;
    }

    int shard() {
        return shard;
    }

    List<PartitionId> takeForgotten() {
        List<PartitionId> taken = List.copyOf(forgotten);
        forgotten.clear();
        return taken;
    }

    /** The shard need not remember it any more; if there is a next request it is told all. */
    void leaveShard() {
        if (leave != null) {
            leave.run();
            leave = null;
            forgotten.clear();
            untold.putAll(partitions);
        }
    }

    /** Serves {@code entry} after all others from now on. */
    void moveToEnd(FetchEntry entry) {
        if (partitions.size() > 1 && partitions.remove(entry.key(), entry)) {
            partitions.put(entry.key(), entry);
            ordered = null;
        }
    }

    /** The partitions of a request by name, in its order; of a partition asked for twice the later wish counts. */
    static Map<FetchEntry.Key, FetchEntry> collect(FetchRequestData request, boolean byTopicId) {
        Map<FetchEntry.Key, FetchEntry> all = new LinkedHashMap<>();
        collect(request, byTopicId, all, null);
        return all;
    }

    /** @param mentioned gets what the request names, too; null: nobody wants it */
    private static void collect(
            FetchRequestData request,
            boolean byTopicId,
            Map<FetchEntry.Key, FetchEntry> into,
            Map<FetchEntry.Key, FetchEntry> mentioned) {
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition wanted : topic.partitions()) {
                FetchEntry.Key key =
                        new FetchEntry.Key(byTopicId ? null : topic.topic(), topic.topicId(), wanted.partition());
                FetchEntry known = into.get(key);
                if (known == null) {
                    known = new FetchEntry(key, wanted);
                    into.put(key, known);
                } else {
                    known.update(wanted);
                }
                if (mentioned != null) {
                    mentioned.put(key, known);
                }
            }
        }
    }
}
