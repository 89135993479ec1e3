package node;

import common.PartitionId;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import replication.FollowerReplica.Wish;

/**
 * What a fetcher has told a leader of the partitions that it wants: each request of an incremental session (KIP-227) says what has changed since the last one,
 * so partitions in which nothing happens cost nothing. Confined to the shard.
 */
final class PeerFetchSession {
    private final int partitionMaxBytes;
    private final Consumer<FetchedPartition> flush;
    private final Map<PartitionId, FetchedPartition> partitions = new LinkedHashMap<>();
    private final ArrayDeque<FetchedPartition> changed = new ArrayDeque<>();
    private final Set<PartitionId> toForget = new LinkedHashSet<>();
    /** Partitions that the leader reads for. */
    private int told;

    private int id;
    /** That the next request has; 0: it begins a session. */
    private int epoch;

    private boolean beginning;
    /** The leader had no room for a session. */
    private boolean sessionless;

    /** @param flush makes durable what {@link FollowedPartitions.Followed#mustFlush} asks for, and tells {@link #changed} then */
    PeerFetchSession(int partitionMaxBytes, Consumer<FetchedPartition> flush) {
        this.partitionMaxBytes = partitionMaxBytes;
        this.flush = flush;
    }

    void add(FetchedPartition partition) {
        partitions.put(partition.id(), partition);
        changed(partition);
    }

    void remove(FetchedPartition partition) {
        drop(partition);
        partitions.remove(partition.id(), partition);
    }

    /** Null for one that is not here. */
    FetchedPartition get(PartitionId partition) {
        return partitions.get(partition);
    }

    Collection<FetchedPartition> all() {
        return partitions.values();
    }

    boolean isEmpty() {
        return partitions.isEmpty();
    }

    /** Its wish may be another than the leader knows: the next request says so. */
    void changed(FetchedPartition partition) {
        if (!partition.queued() && !partition.gone()) {
            partition.queued(true);
            changed.add(partition);
        }
    }

    /** The leader is not to read for it, until it is {@link #changed}. */
    void drop(FetchedPartition partition) {
        if (partition.asked() != null) {
            partition.forgotten();
            told--;
            toForget.add(partition.id());
        }
    }

    /** Whether a request can be sent while another one has no answer yet, and says anything. */
    boolean hasNews() {
        return epoch > 0 && !beginning && !changed.isEmpty();
    }

    /** A request that begins a session is to be answered at once: nothing more can be said before. */
    boolean isBeginning() {
        return epoch == 0 && !sessionless;
    }

    /** The next request, numbered; null if the leader is to be asked for nothing. Settings of the whole request are the caller's to add. */
    FetchRequestData next(int number) {
        FetchRequestData request = new FetchRequestData().setSessionId(id).setSessionEpoch(epoch);
        if (epoch == 0) {
            begin();
        }
        Map<Uuid, FetchTopic> topics = new LinkedHashMap<>();
        while (!changed.isEmpty()) {
            FetchedPartition each = changed.poll();
            each.queued(false);
            mention(each, number, topics);
        }
        if (told == 0) {
            // A session ends with its last partition.
            reset();
            return null;
        }
        request.topics().addAll(topics.values());
        if (epoch == 0) {
            beginning = true;
        } else {
            forget(request);
            epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
        }
        return request;
    }

    private void begin() {
        toForget.clear();
        told = 0;
        for (FetchedPartition each : partitions.values()) {
            each.forgotten();
            changed(each);
        }
    }

    private void mention(FetchedPartition partition, int number, Map<Uuid, FetchTopic> topics) {
        if (partition.gone()) {
            return;
        }
        Wish wish = partition.wish();
        if (wish == null) {
            if (partition.followed().mustFlush()) {
                drop(partition);
                flush.accept(partition);
            }
            return;
        }
        if (wish.equals(partition.asked())) {
            return;
        }
        PartitionId of = partition.id();
        topics.computeIfAbsent(of.topicId(), topic -> new FetchTopic().setTopicId(topic))
                .partitions()
                .add(new FetchPartition()
                        .setPartition(of.partition())
                        .setCurrentLeaderEpoch(wish.leaderEpoch())
                        .setFetchOffset(wish.fetchOffset())
                        .setLastFetchedEpoch(wish.lastEpoch())
                        .setLogStartOffset(wish.logStartOffset())
                        .setPartitionMaxBytes(partitionMaxBytes));
        toForget.remove(of);
        told += partition.asked() == null ? 1 : 0;
        partition.ask(wish, number);
    }

    private void forget(FetchRequestData request) {
        Map<Uuid, ForgottenTopic> topics = new LinkedHashMap<>();
        for (PartitionId each : toForget) {
            topics.computeIfAbsent(each.topicId(), topic -> new ForgottenTopic().setTopicId(topic))
                    .partitions()
                    .add(each.partition());
        }
        toForget.clear();
        request.forgottenTopicsData().addAll(topics.values());
    }

    /**
     * A request was answered without an error.
     *
     * @param sessionId 0: the leader keeps none, each request says all
     */
    void answered(int sessionId) {
        if (beginning) {
            beginning = false;
            id = sessionId;
            epoch = sessionId == 0 ? 0 : 1;
            sessionless = sessionId == 0;
        }
    }

    /** What the leader knows is not known any more: the next request begins a session, and ends this one if it still is there. */
    void reset() {
        epoch = 0;
        beginning = false;
    }
}
