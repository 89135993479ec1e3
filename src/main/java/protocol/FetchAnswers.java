package protocol;

import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.Reader;
import services.ErrorMapping;
import services.FetchAnswer;
import services.FetchContext;
import services.FetchEntry;
import storage.ReadResult;

/** Makes the response to one Fetch request of what was read and of what was not. */
final class FetchAnswers {
    /** First version that gives leaders' endpoints (KIP-951). */
    private static final short LEADERS = 16;

    private final RequestContext context;
    private final FetchContext session;
    private final boolean readCommitted;
    private final Reader reader;
    private final Topics.Leaders leaders;
    private final FetchResponseData response = new FetchResponseData();

    FetchAnswers(RequestContext context, FetchContext session, boolean readCommitted, Reader reader) {
        this.context = context;
        this.session = session;
        this.readCommitted = readCommitted;
        this.reader = reader;
        this.leaders = new Topics.Leaders(context.image(), context.connection());
    }

    /** Finds the partition of {@code entry}: NONE, or why this reader may not have it. */
    static Errors resolve(MetadataImage image, FetchEntry entry, Reader reader) {
        Errors error = entry.resolve(image);
        if (error == Errors.NONE && reader.isReplica() && !isReplica(image, entry, reader.replicaId())) {
            return entry.currentLeaderEpoch() >= 0 ? Errors.UNKNOWN_LEADER_EPOCH : Errors.NOT_LEADER_OR_FOLLOWER;
        }
        return error;
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

    /** What was read releases its file when it is sent: an entry's outcome must be told once. */
    void tell(FetchEntry entry, ReadOutcome outcome) {
        add(entry, answer(entry, outcome));
    }

    void tell(FetchEntry entry, Errors error) {
        add(entry, error(entry, error));
    }

    private void add(FetchEntry entry, PartitionData data) {
        if (session.answer(entry, summary(data))) {
            topicOf(entry).partitions().add(data);
        }
    }

    /** The response: after all was told. */
    FetchResponseData response() {
        for (Topics.Leaders.Node node : leaders.nodes()) {
            response.nodeEndpoints()
                    .add(new NodeEndpoint()
                            .setNodeId(node.id())
                            .setHost(node.host())
                            .setPort(node.port())
                            .setRack(node.rack()));
        }
        return response.setSessionId(session.sessionId());
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
    private FetchableTopicResponse topicOf(FetchEntry entry) {
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

    private PartitionData error(FetchEntry entry, Errors error) {
        PartitionData data = new PartitionData()
                .setPartitionIndex(entry.partition())
                .setErrorCode(error.code())
                .setHighWatermark(-1)
                .setRecords(MemoryRecords.EMPTY);
        boolean found = error != Errors.UNKNOWN_TOPIC_ID && error != Errors.UNKNOWN_TOPIC_OR_PARTITION;
        if (found) {
            data.setAbortedTransactions(null);
            nameLeader(entry, data);
        }
        return data;
    }

    private PartitionData answer(FetchEntry entry, ReadOutcome outcome) {
        if (outcome.failure() != null) {
            Errors error = entry.topic() == null
                    ? ErrorMapping.of(outcome.failure())
                    : ErrorMapping.ofNamed(outcome.failure());
            PartitionData data = error(entry, error);
            if (reader.isReplica() && outcome.result() != null) {
                // A replica that is behind all records here begins anew there; Kafka's must ask with ListOffsets.
                data.setLogStartOffset(outcome.result().logStartOffset());
            }
            return data;
        }
        ReadResult result = outcome.result();
        PartitionData data = new PartitionData()
                .setPartitionIndex(entry.partition())
                .setAbortedTransactions(null)
                .setRecords(MemoryRecords.EMPTY);
        if (outcome.diverging() != null) {
            data.setDivergingEpoch(new EpochEndOffset()
                    .setEpoch(outcome.diverging().epoch())
                    .setEndOffset(outcome.diverging().endOffset()));
        }
        if (outcome.nearer() >= 0) {
            data.setPreferredReadReplica(outcome.nearer());
        }
        if (result != null) {
            data.setHighWatermark(result.highWatermark())
                    .setLastStableOffset(result.lastStableOffset())
                    .setLogStartOffset(result.logStartOffset())
                    .setAbortedTransactions(readCommitted ? aborted(result.aborted()) : null);
            if (result.range() != null) {
                data.setRecords(new FileRangeRecords(result.range()));
            }
        }
        return data;
    }

    private void nameLeader(FetchEntry entry, PartitionData data) {
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
            all.add(new AbortedTransaction().setProducerId(each.producerId()).setFirstOffset(each.firstOffset()));
        }
        return all;
    }
}
