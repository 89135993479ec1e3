package replication;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Lease;
import common.PartitionId;
import java.nio.ByteBuffer;
import java.util.List;
import metadata.MetadataImage;
import records.RecordError;
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

    /** The records of one partition, as the client sent them; patched in place. */
    record ProducePartition(PartitionId partition, ByteBuffer records) {}

    /**
     * transactionalId: not null when there are transactional batches. acks: 0, 1 or -1 (all). {@code version}: of the Produce request, for what old clients may not send or see. {@code records} is released
     * once by the shard when it needs none of the request's buffers any more; that may be after the caller gave up on a time-out.
     */
    record Produce(
            List<ProducePartition> partitions,
            String transactionalId,
            short acks,
            int timeoutMillis,
            short version,
            Lease records) {}

    /** Of an appended batch. A refused one (failure INVALID_RECORD, INVALID_TIMESTAMP) may have this beside its failure, with recordErrors only. */
    record Produced(AppendResult append, long logStartOffset, List<RecordError> recordErrors) {}

    /**
     * The end of a producer's transaction in one partition.
     *
     * @param commit else aborted
     * @param coordinatorEpoch of the transaction coordinator that decided: leader epoch of its state partition (rule T2)
     * @param transactionVersion 2: the marker's epoch is above that of the transaction's batches (KIP-890); below: it is theirs
     */
    record Marker(
            PartitionId partition,
            long producerId,
            short producerEpoch,
            boolean commit,
            int coordinatorEpoch,
            short transactionVersion) {}

    /**
     * Ends transactions (rule T7): each is answered when its marker is committed, also one that had been written before. INVALID_PRODUCER_EPOCH: the partition
     * is past this transaction; TRANSACTION_COORDINATOR_FENCED: it knows a newer coordinator.
     */
    void writeMarkers(List<Marker> markers, Callback<List<Outcome<Void>>> done);

    void produce(Produce request, Callback<List<Outcome<Produced>>> done);

    /** currentLeaderEpoch, lastFetchedEpoch: -1 when not given. */
    record ReadPartition(
            PartitionId partition,
            int currentLeaderEpoch,
            long fetchOffset,
            int lastFetchedEpoch,
            long logStartOffset,
            int maxBytes) {}

    /**
     * Who reads.
     *
     * @param replicaId of the broker that follows, -1: a consumer
     * @param brokerEpoch of that broker's process (KIP-903), -1 when not given
     * @param rack of a consumer that may be sent to a replica near it (KIP-392); empty: it may read from a follower; null: only from the leader
     */
    record Reader(int replicaId, long brokerEpoch, String rack) {
        /** One that knows of nothing but leaders. */
        public static final Reader CONSUMER = new Reader(-1, -1, null);

        /** One that may read from followers. */
        public static final Reader ANYWHERE = new Reader(-1, -1, "");

        public Reader(int replicaId, long brokerEpoch) {
            this(replicaId, brokerEpoch, null);
        }

        public boolean isReplica() {
            return replicaId >= 0;
        }
    }

    /**
     * Reads in order until {@code maxBytes} are gathered; the first non-empty partition gives at least one whole batch. Where a replica reads, what it has by
     * its offsets counts before anything is read (rule I4).
     */
    record Read(List<ReadPartition> partitions, int maxBytes, ReadBound bound, Reader reader) {}

    /**
     * diverging: not null when the fetcher's last epoch does not match ours there (KIP-320); then result has no range. With the failure OFFSET_OUT_OF_RANGE
     * the result, if there is one, has none either, and says where the log starts.
     *
     * @param nearer the replica that the consumer had better read from (KIP-392), -1: none; then there is no range
     */
    record ReadOutcome(
            ReadResult result, EpochEnd diverging, Failure failure, int leaderId, int leaderEpoch, int nearer) {
        public ReadOutcome(ReadResult result, EpochEnd diverging, Failure failure, int leaderId, int leaderEpoch) {
            this(result, diverging, failure, leaderId, leaderEpoch, -1);
        }

        /** Something must be told that does not wait for records. */
        public boolean urgent() {
            return failure != null || diverging != null || nearer >= 0;
        }
    }

    /**
     * Reads; while that gave fewer than {@code minBytes} and no partition had an error or a divergence, waits for new data below the bound, for a change
     * of leadership, for a high watermark that has moved (a replica's fetch, a little later), for {@link #cancelFetch} or for {@code maxWaitMillis}, then reads once more and answers whatever there is. {@code id} is unique
     * among the caller's fetches under way. The ranges of the answer belong to the receiver.
     */
    void fetch(FetchId id, Read request, int minBytes, long maxWaitMillis, Callback<List<ReadOutcome>> done);

    /** Ends the fetch's wait, or keeps it from beginning: it answers at once, or when what it is reading has come. Nothing for an unknown id. */
    void cancelFetch(FetchId id);

    /** A session of a caller: its number (e.g. its server instance) and one that it never gives twice. */
    record SessionId(int caller, long number) {}

    /**
     * A fetch of a follower in an incremental session (KIP-227) whose partitions the shard remembers from one fetch to the next.
     *
     * @param changed those that are new in the session, or asked for otherwise than before; in the first fetch all
     * @param forgotten those that have left it
     */
    record SessionRead(
            SessionId session,
            Reader reader,
            List<ReadPartition> changed,
            List<PartitionId> forgotten,
            int minBytes,
            int maxBytes,
            long maxWaitMillis) {}

    /** What is to be told of one partition of a session. */
    record News(PartitionId partition, ReadOutcome outcome) {}

    /**
     * As {@link #fetch} to the end of the log, for a follower that is told only of partitions in which something has happened, in any order. A fetch of a session that
     * still waits is answered at once when the next one comes.
     */
    void fetchNews(SessionRead request, Callback<List<News>> done);

    /** Answers at once the fetch of the session that waits. */
    void hurrySession(SessionId session);

    /** The session is over, or is begun anew with its next fetch. */
    void endSession(SessionId session);

    /** A fetch under way: the caller's number (e.g. its server instance) and its own count. */
    record FetchId(int caller, long number) {}

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

    record LogDirInfo(
            String path, Failure failure, long totalBytes, long usableBytes, List<PartitionSize> partitions) {}

    void describeLogDirs(Callback<List<LogDirInfo>> done);

    /** A new committed image; {@code done} when every partition that it gives to this shard takes records, and those it takes away are closed. */
    void applyImage(MetadataImage image, Callback<Void> done);
}
