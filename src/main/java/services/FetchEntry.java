package services;

import common.PartitionId;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.protocol.Errors;
import replication.ReplicaShard.ReadPartition;

/** One partition that a fetch asks for, and, within a session, what its client was told last. Named by topic id or by name, never both. */
public final class FetchEntry {
    private final Key key;
    private int currentLeaderEpoch;
    private long fetchOffset;
    private int lastFetchedEpoch;
    private long followerLogStart;
    private int maxBytes;
    private long toldHighWatermark = -1;
    private long toldLogStart = -1;
    private ReadPartition read;
    private long resolvedVersion = -1;
    private PartitionId resolved;
    private Errors unresolved = Errors.NONE;

    /** What a request calls a partition; {@code topic} is null when it uses ids, and the id zero when it uses names. */
    record Key(String topic, Uuid topicId, int partition) {}

    FetchEntry(Key key, FetchPartition wanted) {
        this.key = key;
        update(wanted);
    }

    void update(FetchPartition wanted) {
        if (read != null
                && currentLeaderEpoch == wanted.currentLeaderEpoch()
                && fetchOffset == wanted.fetchOffset()
                && lastFetchedEpoch == wanted.lastFetchedEpoch()
                && maxBytes == wanted.partitionMaxBytes()
                && followerLogStart == wanted.logStartOffset()) {
            return;
        }
        currentLeaderEpoch = wanted.currentLeaderEpoch();
        fetchOffset = wanted.fetchOffset();
        lastFetchedEpoch = wanted.lastFetchedEpoch();
        followerLogStart = wanted.logStartOffset();
        maxBytes = wanted.partitionMaxBytes();
        read = null;
    }

    Key key() {
        return key;
    }

    /** null if the request names topics by id. */
    public String topic() {
        return key.topic;
    }

    /** Zero if the request names topics by name. */
    public Uuid topicId() {
        return key.topicId;
    }

    public int partition() {
        return key.partition;
    }

    public int currentLeaderEpoch() {
        return currentLeaderEpoch;
    }

    /** Finds the partition in {@code image}; returns NONE or why it cannot be read. Remembered until the image changes. */
    public Errors resolve(MetadataImage image) {
        if (resolvedVersion == image.version()) {
            return unresolved;
        }
        resolvedVersion = image.version();
        TopicImage topic = key.topic == null ? image.topic(key.topicId) : image.topic(key.topic);
        PartitionId found = null;
        if (topic == null) {
            unresolved = key.topic == null ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
        } else if (key.partition < 0 || key.partition >= topic.partitions().size()) {
            unresolved = Errors.UNKNOWN_TOPIC_OR_PARTITION;
        } else {
            unresolved = Errors.NONE;
            found = new PartitionId(topic.id(), key.partition);
        }
        if (found == null || !found.equals(resolved)) {
            resolved = found;
            read = null;
        }
        return unresolved;
    }

    /** The question to ask its shard; only after {@link #resolve} gave NONE. */
    public ReadPartition read() {
        if (read == null) {
            read = new ReadPartition(
                    resolved, currentLeaderEpoch, fetchOffset, lastFetchedEpoch, followerLogStart, maxBytes);
        }
        return read;
    }

    /** Remembers what the client is told now, and returns true if that must be said in an incremental answer (KIP-227). */
    boolean told(FetchAnswer answer) {
        boolean news = answer.bytes() > 0
                || answer.highWatermark() != toldHighWatermark
                || answer.logStartOffset() != toldLogStart
                || answer.urgent();
        toldLogStart = answer.logStartOffset();
        toldHighWatermark = answer.highWatermark();
        if (answer.failed()) {
            // So that the end of the error is news, too.
            toldHighWatermark = -1;
            return true;
        }
        return news;
    }
}
