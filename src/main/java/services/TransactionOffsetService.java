package services;

import common.Callback;
import common.Failure;
import common.FailureCode;
import coordinator.Coordinator.ProducerTransaction;
import metadata.MetadataImage;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** Commits offsets of a group inside of a producer's transaction (rule T10, KIP-447). Confined to its caller's owner. */
public final class TransactionOffsetService {
    /** First version whose clients know TRANSACTION_ABORTABLE. */
    private static final short KNOWS_ABORTABLE = 4;
    /** From this version on the request also makes the group's partition part of the transaction (V2). */
    private static final short ADDS = 5;

    private static final short IDS = 6;
    /** Older clients may break when they are told that the coordinator is loading (KAFKA-7296). */
    private static final short KNOWS_LOADING = 2;

    private final GroupCoordinators coordinators;
    private final long timeoutMillis;

    /** @param timeoutMillis offsets.commit.timeout.ms */
    public TransactionOffsetService(GroupCoordinators coordinators, long timeoutMillis) {
        this.coordinators = coordinators;
        this.timeoutMillis = timeoutMillis;
    }

    /** Never fails as a whole. */
    public void commit(
            MetadataImage image,
            TxnOffsetCommitRequestData request,
            short version,
            Callback<TxnOffsetCommitResponseData> done) {
        KnownTopics.Commit parts = new KnownTopics(image).of(plain(request), version >= IDS);
        if (parts.known().topics().isEmpty()) {
            done.succeed(answer(parts.refused(), version));
            return;
        }
        Callback<OffsetCommitResponseData> gather = (answer, failure) -> done.succeed(answer(
                KnownTopics.merge(
                        parts.refused(),
                        failure == null ? answer : GroupOffsetService.failed(parts.known(), error(failure, version))),
                version));
        if (request.groupId().isEmpty()) {
            gather.succeed(GroupOffsetService.failed(parts.known(), Errors.INVALID_GROUP_ID));
            return;
        }
        if (request.transactionalId().isEmpty()) {
            gather.succeed(GroupOffsetService.failed(parts.known(), Errors.INVALID_REQUEST));
            return;
        }
        ProducerTransaction transaction = new ProducerTransaction(
                request.transactionalId(), request.producerId(), request.producerEpoch(), version >= ADDS);
        coordinators.writeTransactional(
                image,
                request.groupId(),
                timeoutMillis,
                transaction,
                shard -> shard.offsets().commitInTransaction(parts.known(), version),
                gather);
    }

    private static Errors error(Failure failure, short version) {
        return failure.code() == FailureCode.TRANSACTION_ABORTABLE && version < KNOWS_ABORTABLE
                ? Errors.INVALID_TXN_STATE
                : ErrorMapping.ofCoordinator(failure);
    }

    private static OffsetCommitRequestData plain(TxnOffsetCommitRequestData request) {
        OffsetCommitRequestData plain = new OffsetCommitRequestData()
                .setGroupId(request.groupId())
                .setMemberId(request.memberId())
                .setGroupInstanceId(request.groupInstanceId())
                .setGenerationIdOrMemberEpoch(request.generationIdOrMemberEpoch());
        for (TxnOffsetCommitRequestTopic topic : request.topics()) {
            OffsetCommitRequestTopic same =
                    new OffsetCommitRequestTopic().setName(topic.name()).setTopicId(topic.topicId());
            plain.topics().add(same);
            for (TxnOffsetCommitRequestPartition each : topic.partitions()) {
                same.partitions()
                        .add(new OffsetCommitRequestPartition()
                                .setPartitionIndex(each.partitionIndex())
                                .setCommittedOffset(each.committedOffset())
                                .setCommittedLeaderEpoch(each.committedLeaderEpoch())
                                .setCommittedMetadata(each.committedMetadata()));
            }
        }
        return plain;
    }

    private static TxnOffsetCommitResponseData answer(OffsetCommitResponseData plain, short version) {
        TxnOffsetCommitResponseData answer = new TxnOffsetCommitResponseData();
        for (OffsetCommitResponseTopic topic : plain.topics()) {
            TxnOffsetCommitResponseTopic same =
                    new TxnOffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
            answer.topics().add(same);
            topic.partitions()
                    .forEach(each -> same.partitions()
                            .add(new TxnOffsetCommitResponsePartition()
                                    .setPartitionIndex(each.partitionIndex())
                                    .setErrorCode(known(each.errorCode(), version))));
        }
        return answer;
    }

    private static short known(short error, short version) {
        return version < KNOWS_LOADING && error == Errors.COORDINATOR_LOAD_IN_PROGRESS.code()
                ? Errors.COORDINATOR_NOT_AVAILABLE.code()
                : error;
    }
}
