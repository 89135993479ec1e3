package replication;

import common.Callback;
import common.FailureCode;
import common.Failure;
import common.PartitionId;
import java.nio.ByteBuffer;
import java.util.List;
import metadata.MetadataImage;
import storage.ActiveProducer;
import storage.AppendResult;
import storage.EpochEnd;
import storage.ReadBound;
import storage.ReadResult;
import storage.TimestampOffset;

/**
 * By what calls others use a storage shard: one message per request and shard, never one per partition. Answers stand in the order of the questions. A
 * partition that this shard does not lead is answered NOT_LEADER, one that is unknown UNKNOWN_TOPIC_ID. Implemented by node.StorageShard.
 */
public interface ReplicaShard {

    /** A value or a failure, one per partition of a request. */
    record Outcome<T>(T value, Failure failure) {
        public static <T> Outcome<T> of(T value) {
            return new Outcome<>(value, null);
        }

        public static <T> Outcome<T> failed(FailureCode code, String message) {
            return new Outcome<>(null, new Failure(code, message));
        }
    }

    /**
     * One batch for one partition. {@code records} is handed over (patched in place) until the answer. {@code transactional} and
     * {@code transactionalId} are for the transaction checks of a later issue.
     */
    record ProducePartition(PartitionId partition, ByteBuffer records) {}

    /** acks: 0, 1 or -1 (all). {@code version}: of the Produce request, for what old clients may not send or see. */
    record Produce(List<ProducePartition> partitions, short acks, int timeoutMillis, short version) {}

    record Produced(AppendResult append, long logStartOffset, List<RecordError> recordErrors) {}

    /** A record of a refused batch, by its index, with the reason. */
    record RecordError(int batchIndex, String message) {}

    void produce(Produce request, Callback<List<Outcome<Produced>>> done);

    /** currentLeaderEpoch, lastFetchedEpoch: -1 when not given. */
    record ReadPartition(
            PartitionId partition, int currentLeaderEpoch, long fetchOffset, int lastFetchedEpoch, long logStartOffset, int maxBytes) {}

    /**
     * Reads in order until {@code maxBytes} are gathered; the first non-empty partition gives at least one whole batch. replicaId -1: a consumer.
     */
    record Read(List<ReadPartition> partitions, int maxBytes, ReadBound bound, int replicaId) {}

    /** diverging: not null when the fetcher's last epoch does not match ours there (KIP-320); then result has no range. */
    record ReadOutcome(ReadResult result, EpochEnd diverging, Failure failure, int leaderId, int leaderEpoch) {}

    void read(Read request, Callback<List<ReadOutcome>> done);

    /**
     * Answers once when any of the partitions may have changed for a reader at the given offsets (new data below the bound, an error, a new leader),
     * at once if that is so already, or after {@code maxWaitMillis}. {@code id} names the wait for {@link #cancelAwait}.
     */
    void awaitData(long id, Read request, long maxWaitMillis, Callback<Void> done);

    /** Forgets a wait; its callback gets nothing more than a success. */
    void cancelAwait(long id);

    /** timestamp: Kafka's special values (-1 latest, -2 earliest, -3 max timestamp, -4 earliest local, -5 latest tiered, -6 earliest pending upload) or milliseconds. */
    record OffsetQuery(PartitionId partition, int currentLeaderEpoch, long timestamp, boolean readCommitted) {}

    void listOffsets(List<OffsetQuery> queries, Callback<List<Outcome<TimestampOffset>>> done);

    record EpochQuery(PartitionId partition, int currentLeaderEpoch, int leaderEpoch) {}

    void endOffsets(List<EpochQuery> queries, Callback<List<Outcome<EpochEnd>>> done);

    /** offset -1: up to the high watermark. The value is the new log start. */
    record DeleteQuery(PartitionId partition, long offset) {}

    void deleteRecords(List<DeleteQuery> queries, Callback<List<Outcome<Long>>> done);

    void describeProducers(List<PartitionId> partitions, Callback<List<Outcome<List<ActiveProducer>>>> done);

    record PartitionSize(PartitionId partition, String topic, String logDir, long sizeBytes, long offsetLag) {}

    record LogDirInfo(String path, Failure failure, long totalBytes, long usableBytes, List<PartitionSize> partitions) {}

    void describeLogDirs(Callback<List<LogDirInfo>> done);

    /** A new committed image; {@code done} when every partition that it gives to this shard takes records, and those it takes away are closed. */
    void applyImage(MetadataImage image, Callback<Void> done);
}
