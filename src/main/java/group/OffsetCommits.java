package group;

import common.Metrics;
import config.GroupConfig;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupRecord;
import records.schemas.OffsetCommitRecord;

/** Decides about OffsetCommit and TxnOffsetCommit (rules G2, G3, G6, G7, G10, T10). Confined to the shard. */
final class OffsetCommits {
    /** From this version on a group that does not exist is told by its own error. */
    private static final short SAYS_NO_GROUP = 9;
    /** The same of TxnOffsetCommit, which also tells stale member epochs from then on (KIP-1319). */
    private static final short TRANSACTION_SAYS_ALL = 6;

    private static final long NO_TIME = -1;
    private static final int NO_EPOCH = -1;

    private final ShardContext<GroupRecord> context;
    private final GroupConfig.Offsets config;
    private final Groups groups;
    private final OffsetTable table;
    private final Metrics.Counter commits;

    OffsetCommits(ShardContext<GroupRecord> context, GroupConfig.Offsets config, Groups groups, OffsetTable table) {
        this.context = context;
        this.config = config;
        this.groups = groups;
        this.table = table;
        this.commits = context.metrics()
                .counter(
                        "kafka_server_group_coordinator_metrics_offset_commit_count_total",
                        "Offsets that groups have committed");
    }

    /**
     * @param request topics with their names, and ids as far as they are known; that they exist was checked
     * @param version of OffsetCommit, or of TxnOffsetCommit
     */
    Result<GroupRecord, OffsetCommitResponseData> commit(
            OffsetCommitRequestData request, short version, boolean transactional) {
        Group group = groups.get(request.groupId());
        CommitClaim claim = new CommitClaim(
                request.memberId(),
                request.groupInstanceId(),
                request.generationIdOrMemberEpoch(),
                transactional,
                version);
        CommitVerdict verdict = group == null ? withoutGroup(claim) : group.checkCommit(claim);
        Errors refusal = refusal(request, verdict);
        if (refusal == Errors.STALE_MEMBER_EPOCH && transactional && version < TRANSACTION_SAYS_ALL) {
            refusal = Errors.ILLEGAL_GENERATION;
        }
        if (refusal == Errors.NONE && !hasRoom(group != null, request, transactional)) {
            refusal = Errors.COORDINATOR_NOT_AVAILABLE;
        }
        if (refusal != Errors.NONE) {
            return Result.answer(refused(request, refusal));
        }
        if (group != null && !transactional) {
            group.committed(claim);
        }
        return accepted(request);
    }

    /** Without a group, only one who is no member of it may commit: that makes a group that keeps offsets. */
    private static CommitVerdict withoutGroup(CommitClaim claim) {
        if (claim.epoch() < 0) {
            return CommitVerdict.ACCEPTED;
        }
        short saysNoGroup = claim.transactional() ? TRANSACTION_SAYS_ALL : SAYS_NO_GROUP;
        return CommitVerdict.of(
                claim.apiVersion() >= saysNoGroup ? Errors.GROUP_ID_NOT_FOUND : Errors.ILLEGAL_GENERATION);
    }

    /** One partition that its committer does not own refuses all of the request, as with Kafka. */
    private Errors refusal(OffsetCommitRequestData request, CommitVerdict verdict) {
        if (verdict.error() != Errors.NONE) {
            return verdict.error();
        }
        for (OffsetCommitRequestTopic topic : request.topics()) {
            for (OffsetCommitRequestPartition each : topic.partitions()) {
                Errors error = tooLong(each)
                        ? Errors.NONE
                        : verdict.partitions().check(topic.name(), topic.topicId(), each.partitionIndex());
                if (error != Errors.NONE) {
                    return error;
                }
            }
        }
        return Errors.NONE;
    }

    /** Most commits replace offsets, and take no more memory than those. A first one makes its group, too, and may bring along much. */
    private boolean hasRoom(boolean known, OffsetCommitRequestData request, boolean transactional) {
        if (!known && !context.memory().takesNew()) {
            return false;
        }
        long growth = known ? 0 : Footprint.ofSimpleGroup(request.groupId());
        for (OffsetCommitRequestTopic topic : request.topics()) {
            growth += transactional ? pending(request.groupId(), topic) : growth(request.groupId(), topic);
        }
        return context.memory().takesGrowth(growth);
    }

    private long pending(String group, OffsetCommitRequestTopic topic) {
        long bytes = 0;
        for (OffsetCommitRequestPartition each : topic.partitions()) {
            bytes += tooLong(each) ? 0 : Footprint.ofPending(record(group, topic, each, NO_TIME, NO_TIME));
        }
        return bytes;
    }

    private long growth(String group, OffsetCommitRequestTopic topic) {
        boolean isNew = !table.topics(group).contains(topic.name());
        long bytes = 0;
        for (OffsetCommitRequestPartition each : topic.partitions()) {
            if (tooLong(each)) {
                continue;
            }
            OffsetCommitRecord.Value before = table.get(group, topic.name(), each.partitionIndex());
            bytes += isNew ? Footprint.ofOffsets(topic.name()) : 0;
            isNew = false;
            bytes += Footprint.ofOffset(each.committedMetadata())
                    - (before == null ? 0 : Footprint.ofOffset(before.metadata()));
        }
        return bytes;
    }

    private boolean tooLong(OffsetCommitRequestPartition partition) {
        String metadata = partition.committedMetadata();
        return metadata != null && metadata.length() > config.metadataMaxBytes();
    }

    /** The same error for each partition. */
    static OffsetCommitResponseData refused(OffsetCommitRequestData request, Errors error) {
        OffsetCommitResponseData response = new OffsetCommitResponseData();
        for (OffsetCommitRequestTopic topic : request.topics()) {
            OffsetCommitResponseTopic answers = answersOf(topic);
            response.topics().add(answers);
            for (OffsetCommitRequestPartition each : topic.partitions()) {
                answers.partitions().add(answer(each, error));
            }
        }
        return response;
    }

    private Result<GroupRecord, OffsetCommitResponseData> accepted(OffsetCommitRequestData request) {
        long now = context.clock().wallMillis();
        long expires = expires(request.retentionTimeMs(), now);
        OffsetCommitResponseData response = new OffsetCommitResponseData();
        List<GroupRecord> records = new ArrayList<>();
        for (OffsetCommitRequestTopic topic : request.topics()) {
            OffsetCommitResponseTopic answers = answersOf(topic);
            response.topics().add(answers);
            for (OffsetCommitRequestPartition each : topic.partitions()) {
                if (tooLong(each)) {
                    answers.partitions().add(answer(each, Errors.OFFSET_METADATA_TOO_LARGE));
                } else {
                    answers.partitions().add(answer(each, Errors.NONE));
                    records.add(record(request.groupId(), topic, each, now, expires));
                }
            }
        }
        commits.add(records.size());
        return Result.of(records, response);
    }

    private static long expires(long retention, long now) {
        if (retention == NO_TIME) {
            return NO_TIME;
        }
        return retention > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + retention;
    }

    private static OffsetCommitRecord record(
            String group, OffsetCommitRequestTopic topic, OffsetCommitRequestPartition each, long now, long expires) {
        String metadata = each.committedMetadata() == null ? "" : each.committedMetadata();
        // A record with a time of expiry has no room for epoch and id: memory must not know more than the log.
        Uuid topicId = expires == NO_TIME ? topic.topicId() : Uuid.ZERO_UUID;
        OffsetCommitRecord.Value value = new OffsetCommitRecord.Value(
                each.committedOffset(),
                expires == NO_TIME ? each.committedLeaderEpoch() : NO_EPOCH,
                metadata,
                now,
                expires,
                topicId);
        return new OffsetCommitRecord(group, topic.name(), each.partitionIndex(), value);
    }

    private static OffsetCommitResponseTopic answersOf(OffsetCommitRequestTopic topic) {
        return new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
    }

    private static OffsetCommitResponsePartition answer(OffsetCommitRequestPartition each, Errors error) {
        return new OffsetCommitResponsePartition()
                .setPartitionIndex(each.partitionIndex())
                .setErrorCode(error.code());
    }
}
