package services;

import common.Callback;
import common.Mailboxes;
import common.PartitionId;
import java.util.List;
import replication.ReplicaShard;
import replication.ReplicaShard.DeleteQuery;
import replication.ReplicaShard.EpochQuery;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import storage.ActiveProducer;
import storage.EpochEnd;
import storage.TimestampOffset;

/** Questions about, and deletion by, offsets of partitions. Answers come in the order of the questions and never fail as a whole. */
public final class OffsetService {
    private static final long TIMEOUT_MILLIS = 30_000;

    private final Shards shards;

    public OffsetService(Mailboxes mailboxes, int shardCount) {
        this.shards = new Shards(mailboxes, shardCount);
    }

    public void listOffsets(List<OffsetQuery> queries, Callback<List<Outcome<TimestampOffset>>> done) {
        shards.scatter(
                queries,
                OffsetQuery::partition,
                ReplicaShard::listOffsets,
                f -> new Outcome<>(null, f),
                TIMEOUT_MILLIS,
                done);
    }

    public void endOffsets(List<EpochQuery> queries, Callback<List<Outcome<EpochEnd>>> done) {
        shards.scatter(
                queries,
                EpochQuery::partition,
                ReplicaShard::endOffsets,
                f -> new Outcome<>(null, f),
                TIMEOUT_MILLIS,
                done);
    }

    /** @param timeoutMillis after which the outcome of a partition is TIMED_OUT, not known */
    public void deleteRecords(List<DeleteQuery> queries, int timeoutMillis, Callback<List<Outcome<Long>>> done) {
        shards.scatter(
                queries,
                DeleteQuery::partition,
                ReplicaShard::deleteRecords,
                f -> new Outcome<>(null, f),
                Math.max(1, timeoutMillis),
                done);
    }

    public void describeProducers(List<PartitionId> partitions, Callback<List<Outcome<List<ActiveProducer>>>> done) {
        shards.scatter(
                partitions, p -> p, ReplicaShard::describeProducers, f -> new Outcome<>(null, f), TIMEOUT_MILLIS, done);
    }
}
