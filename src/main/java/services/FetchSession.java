package services;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;

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

    FetchSession(
            int id, boolean byTopicId, boolean follower, long nowMillis, Map<FetchEntry.Key, FetchEntry> partitions) {
        this.id = id;
        this.byTopicId = byTopicId;
        this.follower = follower;
        this.createdMillis = nowMillis;
        this.usedMillis = nowMillis;
        this.partitions = partitions;
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
            collect(request, byTopicId, partitions);
            ordered = partitions.size() == before ? ordered : null;
        }
        for (ForgottenTopic topic : request.forgottenTopicsData()) {
            for (int partition : topic.partitions()) {
                partitions.remove(new FetchEntry.Key(byTopicId ? null : topic.topic(), topic.topicId(), partition));
                ordered = null;
            }
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
        collect(request, byTopicId, all);
        return all;
    }

    private static void collect(FetchRequestData request, boolean byTopicId, Map<FetchEntry.Key, FetchEntry> into) {
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition wanted : topic.partitions()) {
                FetchEntry.Key key =
                        new FetchEntry.Key(byTopicId ? null : topic.topic(), topic.topicId(), wanted.partition());
                FetchEntry known = into.get(key);
                if (known == null) {
                    into.put(key, new FetchEntry(key, wanted));
                } else {
                    known.update(wanted);
                }
            }
        }
    }
}
