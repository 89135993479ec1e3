package services;

import common.Callback;
import common.Lease;
import common.Mailboxes;
import java.util.List;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produce;
import replication.ReplicaShard.ProducePartition;
import replication.ReplicaShard.Produced;

/** Appends records to partitions, for every door. One instance per server instance, confined to its owner. */
public final class ProduceService {
    /** On top of the client's own time-out: the shard answers by itself in time, so this only covers a stalled owner. */
    private static final long GRACE_MILLIS = 10_000;

    private final Shards shards;

    public ProduceService(Mailboxes mailboxes, int shardCount) {
        this.shards = new Shards(mailboxes, shardCount);
    }

    /**
     * Appends one batch to each partition; partitions stand alone (rule P5). Never fails as a whole.
     *
     * @param transactionalId null for none; not null when there are transactional batches
     * @param acks 0, 1 or -1 (all)
     * @param timeoutMillis how long acks=all may wait for replicas
     * @param version of the Kafka Produce request, or the newest for other doors
     * @param records the memory behind the batches; one count of it is taken over here and released when no buffer is used any more, which can be after
     *     {@code done} when that reports a time-out
     * @param done outcomes in the order of {@code partitions}
     */
    public void produce(
            List<ProducePartition> partitions,
            String transactionalId,
            short acks,
            int timeoutMillis,
            short version,
            Lease records,
            Callback<List<Outcome<Produced>>> done) {
        if (partitions.isEmpty()) {
            records.release();
            done.succeed(List.of());
            return;
        }
        retainPerShard(partitions, records);
        shards.scatter(
                partitions,
                ProducePartition::partition,
                (shard, mine, reply) ->
                        shard.produce(new Produce(mine, transactionalId, acks, timeoutMillis, version, records), reply),
                failure -> new Outcome<>(null, failure),
                Math.max(0, timeoutMillis) + GRACE_MILLIS,
                done);
    }

    /** Each shard that gets a part releases once, so all but the first need a count of their own. */
    private void retainPerShard(List<ProducePartition> partitions, Lease records) {
        if (shards.onlyShard(partitions, ProducePartition::partition) >= 0) {
            return;
        }
        boolean[] seen = new boolean[shards.count()];
        int distinct = 0;
        for (ProducePartition each : partitions) {
            int shard = shards.shardOf(each.partition());
            if (!seen[shard]) {
                seen[shard] = true;
                if (distinct++ > 0) {
                    records.retain();
                }
            }
        }
    }
}
