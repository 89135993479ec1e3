package protocol;

import common.Callback;
import common.Failure;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.ReplicaState;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import replication.ReplicaShard.Reader;
import services.ErrorMapping;
import services.FetchAnswer;
import services.FetchContext;
import services.FetchEntry;
import services.FetchService;
import services.FetchSessions;
import storage.ReadBound;
import storage.ReadResult;

/** Reads records, with incremental sessions (KIP-227) and long polling. Records are sent from their files (see {@link FileRangeRecords}). */
public final class FetchHandler implements ApiHandler {
    /** First version whose requester has its replica id in ReplicaState (KIP-903). */
    private static final short REPLICA_STATE = 15;
    /** First version that gives leaders' endpoints (KIP-951). */
    private static final short LEADERS = 16;

    private final FetchService service;
    private final FetchSessions sessions;
    private final int maxBytes;

    /** @param maxBytes fetch.max.bytes: largest response, save that the first batch always comes whole */
    public FetchHandler(FetchService service, FetchSessions sessions, int maxBytes) {
        this.service = service;
        this.sessions = sessions;
        this.maxBytes = maxBytes;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.FETCH;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        FetchRequestData request = (FetchRequestData) message;
        ApiMessage refusal = Isolation.refusal(key(), context.apiVersion(), request, request.isolationLevel());
        if (refusal != null) {
            respond.succeed(refusal);
            return;
        }
        Reader reader = reader(request, context.apiVersion());
        FetchContext session = sessions.begin(request, context.apiVersion(), reader.isReplica());
        if (session.error() != Errors.NONE) {
            respond.succeed(new FetchResponseData().setErrorCode(session.error().code()));
            return;
        }
        boolean readCommitted = Isolation.isCommitted(request.isolationLevel());
        Pending pending = new Pending(context, session, readCommitted, reader, respond);
        List<ReadPartition> reads = pending.resolve();
        if (reads.isEmpty()) {
            pending.finish(List.of());
            return;
        }
        int most = Math.max(0, Math.min(request.maxBytes(), maxBytes));
        Runnable cancel = service.fetch(
                new FetchService.Request(
                        reads,
                        Math.min(request.minBytes(), most),
                        most,
                        Math.max(0, request.maxWaitMs()),
                        bound(request, reader),
                        reader),
                (outcomes, failure) -> pending.finish(failure == null ? outcomes : pending.failed(failure)));
        context.onConnectionClosed(cancel);
        session.waits(cancel);
    }

    private static Reader reader(FetchRequestData request, short version) {
        ReplicaState state = request.replicaState();
        int id = version >= REPLICA_STATE ? state.replicaId() : request.replicaId();
        // Special negative ids are those of debugging consumers.
        return id < 0 ? Reader.CONSUMER : new Reader(id, version >= REPLICA_STATE ? state.replicaEpoch() : -1);
    }

    /** What is not committed, and open transactions, are a replica's to have, whatever isolation it names. */
    private static ReadBound bound(FetchRequestData request, Reader reader) {
        if (reader.isReplica()) {
            return ReadBound.LOG_END;
        }
        return Isolation.isCommitted(request.isolationLevel())
                ? ReadBound.LAST_STABLE_OFFSET
                : ReadBound.HIGH_WATERMARK;
    }

    /** One request between its questions and its answer. */
    private static final class Pending {
        private final RequestContext context;
        private final FetchContext session;
        private final boolean readCommitted;
        private final Reader reader;
        private final Callback<ApiMessage> respond;
        private final List<FetchEntry> entries;
        /** Per entry: why it is not read, null if it is. */
        private final Errors[] refused;

        private int asked;

        Pending(
                RequestContext context,
                FetchContext session,
                boolean readCommitted,
                Reader reader,
                Callback<ApiMessage> respond) {
            this.context = context;
            this.session = session;
            this.readCommitted = readCommitted;
            this.reader = reader;
            this.respond = respond;
            this.entries = session.entries();
            this.refused = new Errors[entries.size()];
        }

        List<ReadPartition> resolve() {
            MetadataImage image = context.image();
            List<ReadPartition> reads = new ArrayList<>(entries.size());
            for (int i = 0; i < refused.length; i++) {
                FetchEntry entry = entries.get(i);
                Errors error = entry.resolve(image);
                if (error == Errors.NONE && reader.isReplica() && !isReplica(image, entry, reader.replicaId())) {
                    error = entry.currentLeaderEpoch() >= 0
                            ? Errors.UNKNOWN_LEADER_EPOCH
                            : Errors.NOT_LEADER_OR_FOLLOWER;
                }
                if (error == Errors.NONE) {
                    reads.add(entry.read());
                } else {
                    refused[i] = error;
                }
            }
            asked = reads.size();
            return reads;
        }

        private static boolean isReplica(MetadataImage image, FetchEntry entry, int replicaId) {
            PartitionImage partition = Topics.find(topic(image, entry), entry.partition());
            return partition != null
                    && partition.leader() != replicaId
                    && partition.replicas().contains(replicaId);
        }

        private static TopicImage topic(MetadataImage image, FetchEntry entry) {
            return entry.topic() == null ? image.topic(entry.topicId()) : image.topic(entry.topic());
        }

        List<ReadOutcome> failed(Failure failure) {
            List<ReadOutcome> all = new ArrayList<>(asked);
            for (int i = 0; i < asked; i++) {
                all.add(new ReadOutcome(null, null, failure, -1, -1));
            }
            return all;
        }

        void finish(List<ReadOutcome> outcomes) {
            Errors late = session.conclude();
            if (late != Errors.NONE) {
                for (ReadOutcome each : outcomes) {
                    if (each.result() != null && each.result().range() != null) {
                        each.result().range().release();
                    }
                }
                respond.succeed(new FetchResponseData().setErrorCode(late.code()));
                return;
            }
            FetchResponseData response = new FetchResponseData();
            Topics.Leaders leaders = new Topics.Leaders(context.image(), context.connection());
            int next = 0;
            for (int i = 0; i < refused.length; i++) {
                FetchEntry entry = entries.get(i);
                PartitionData data = refused[i] == null
                        ? answer(entry, outcomes.get(next++), leaders)
                        : error(entry, refused[i], leaders);
                if (session.answer(entry, summary(data))) {
                    topicOf(response, entry).partitions().add(data);
                }
            }
            for (Topics.Leaders.Node node : leaders.nodes()) {
                response.nodeEndpoints()
                        .add(new NodeEndpoint()
                                .setNodeId(node.id())
                                .setHost(node.host())
                                .setPort(node.port())
                                .setRack(node.rack()));
            }
            respond.succeed(response.setSessionId(session.sessionId()));
        }

        private static FetchAnswer summary(PartitionData data) {
            return new FetchAnswer(
                    data.records().sizeInBytes(),
                    data.highWatermark(),
                    data.logStartOffset(),
                    data.errorCode() != Errors.NONE.code(),
                    data.divergingEpoch().endOffset() >= 0 || data.preferredReadReplica() >= 0);
        }

        /** Partitions of a topic that follow each other share an element. */
        private static FetchableTopicResponse topicOf(FetchResponseData response, FetchEntry entry) {
            List<FetchableTopicResponse> topics = response.responses();
            FetchableTopicResponse last = topics.isEmpty() ? null : topics.get(topics.size() - 1);
            boolean same = last != null
                    && (entry.topic() == null
                            ? last.topicId().equals(entry.topicId())
                            : last.topic().equals(entry.topic()));
            if (same) {
                return last;
            }
            FetchableTopicResponse added = new FetchableTopicResponse().setTopicId(entry.topicId());
            if (entry.topic() != null) {
                added.setTopic(entry.topic());
            }
            topics.add(added);
            return added;
        }

        private PartitionData error(FetchEntry entry, Errors error, Topics.Leaders leaders) {
            PartitionData data = new PartitionData()
                    .setPartitionIndex(entry.partition())
                    .setErrorCode(error.code())
                    .setHighWatermark(-1)
                    .setRecords(MemoryRecords.EMPTY);
            boolean found = error != Errors.UNKNOWN_TOPIC_ID && error != Errors.UNKNOWN_TOPIC_OR_PARTITION;
            if (found) {
                data.setAbortedTransactions(null);
                nameLeader(entry, data, leaders);
            }
            return data;
        }

        private PartitionData answer(FetchEntry entry, ReadOutcome outcome, Topics.Leaders leaders) {
            if (outcome.failure() != null) {
                Errors error = entry.topic() == null
                        ? ErrorMapping.of(outcome.failure())
                        : ErrorMapping.ofNamed(outcome.failure());
                PartitionData data = error(entry, error, leaders);
                if (reader.isReplica() && outcome.result() != null) {
                    // A replica that is behind all records here begins anew there; Kafka's must ask with ListOffsets.
                    data.setLogStartOffset(outcome.result().logStartOffset());
                }
                return data;
            }
            ReadResult result = outcome.result();
            PartitionData data = new PartitionData()
                    .setPartitionIndex(entry.partition())
                    .setHighWatermark(result.highWatermark())
                    .setLastStableOffset(result.lastStableOffset())
                    .setLogStartOffset(result.logStartOffset())
                    .setAbortedTransactions(readCommitted ? aborted(result.aborted()) : null)
                    .setRecords(result.range() == null ? MemoryRecords.EMPTY : new FileRangeRecords(result.range()));
            if (outcome.diverging() != null) {
                data.setDivergingEpoch(new EpochEndOffset()
                        .setEpoch(outcome.diverging().epoch())
                        .setEndOffset(outcome.diverging().endOffset()));
            }
            return data;
        }

        private void nameLeader(FetchEntry entry, PartitionData data, Topics.Leaders leaders) {
            if (context.apiVersion() < LEADERS
                    || (data.errorCode() != Errors.NOT_LEADER_OR_FOLLOWER.code()
                            && data.errorCode() != Errors.FENCED_LEADER_EPOCH.code())) {
                return;
            }
            PartitionImage partition = Topics.find(topic(context.image(), entry), entry.partition());
            if (partition != null) {
                data.setCurrentLeader(
                        new LeaderIdAndEpoch().setLeaderId(partition.leader()).setLeaderEpoch(partition.leaderEpoch()));
                if (!reader.isReplica()) {
                    // Other brokers know where brokers are.
                    leaders.add(partition.leader());
                }
            }
        }

        private static List<AbortedTransaction> aborted(List<ReadResult.AbortedTransaction> transactions) {
            List<AbortedTransaction> all = new ArrayList<>(transactions.size());
            for (ReadResult.AbortedTransaction each : transactions) {
                all.add(new AbortedTransaction()
                        .setProducerId(each.producerId())
                        .setFirstOffset(each.firstOffset()));
            }
            return all;
        }
    }
}
