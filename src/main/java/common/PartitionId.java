package common;

import org.apache.kafka.common.Uuid;

/** A partition of one incarnation of a topic (rule C7: a topic is its id; a re-created name is another topic). */
public record PartitionId(Uuid topicId, int partition) {

    /** The storage shard that owns this partition, of {@code shards} (> 0). */
    public int shard(int shards) {
        long mixed = topicId.getMostSignificantBits() * 31 + topicId.getLeastSignificantBits();
        return (int) Math.floorMod((mixed ^ (mixed >>> 32)) + partition, (long) shards);
    }
}
