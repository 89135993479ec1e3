package group;

import common.Metrics;
import config.GroupConfig;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage.TopicChange;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupRecord;
import records.schemas.OffsetCommitRecord;

/** The committed offsets of a shard's groups (rules G7, G8, G10; expiry by KIP-211). Requests and answers are those of Kafka. Confined to the shard. */
public final class CommittedOffsets {
    private final ShardContext<GroupRecord> context;
    private final Groups groups;
    private final ClassicGroups classic;
    private final OffsetTable table;
    private final PendingOffsets pending;
    private final OffsetCommits commits;
    private final OffsetReads reads;
    private final OffsetExpiry expiry;
    private final Metrics.Counter deleted;

    CommittedOffsets(ShardContext<GroupRecord> context, GroupConfig config, Groups groups, ClassicGroups classic) {
        this.context = context;
        this.groups = groups;
        this.classic = classic;
        this.table = new OffsetTable(new ImageNames(), context.memory()::add);
        this.pending = new PendingOffsets(context.memory()::add);
        this.commits = new OffsetCommits(context, config.offsets(), groups, table);
        this.reads = new OffsetReads(groups, table, pending);
        this.expiry = new OffsetExpiry(context, config.offsets(), groups, table, pending);
        this.deleted = context.metrics()
                .counter(
                        "kafka_server_group_coordinator_metrics_offset_deletion_count_total",
                        "Committed offsets that were removed by request");
    }

    /** Names and ids as the image holds them: it is there anyway. */
    private final class ImageNames implements OffsetTable.Names {
        @Override
        public String name(String topic) {
            TopicImage known = context.image().topic(topic);
            return known == null ? topic : known.name();
        }

        @Override
        public Uuid id(String topic, Uuid id) {
            if (id.equals(Uuid.ZERO_UUID)) {
                return Uuid.ZERO_UUID;
            }
            TopicImage known = context.image().topic(topic);
            return known == null || !known.id().equals(id) ? id : known.id();
        }
    }

    void replay(OffsetCommitRecord record) {
        if (record.tombstone()) {
            pending.remove(record);
        } else {
            classic.orSimple(record.group());
            pending.overtaken(record);
        }
        table.replay(record);
    }

    void replayTransactional(long producerId, OffsetCommitRecord record) {
        if (record.tombstone() || context.mutations().active("offsets-before-commit")) {
            replay(record);
        } else {
            classic.orSimple(record.group());
            pending.add(producerId, record);
        }
    }

    void replayMarker(long producerId, boolean commit) {
        pending.end(
                producerId,
                !commit
                        ? null
                        : record -> {
                            classic.orSimple(record.group());
                            table.replay(record);
                        });
    }

    void loaded() {
        expiry.loaded();
    }

    void imageChanged(List<TopicChange> changes) {
        expiry.imageChanged(changes);
    }

    /**
     * OffsetCommit.
     *
     * @param request its topics exist and have their names, and ids as far as they are known
     */
    public Result<GroupRecord, OffsetCommitResponseData> commit(OffsetCommitRequestData request, short version) {
        return commits.commit(request, version, false);
    }

    /**
     * TxnOffsetCommit: what it yields takes effect when the transaction commits (rule T10).
     *
     * @param request as of {@link #commit}
     * @param version of TxnOffsetCommit
     */
    public Result<GroupRecord, OffsetCommitResponseData> commitInTransaction(
            OffsetCommitRequestData request, short version) {
        return commits.commit(request, version, true);
    }

    /** As {@link #read(OffsetFetchRequestGroup, boolean)}, also of what a transaction may change. */
    public OffsetFetchResponseGroup read(OffsetFetchRequestGroup asked) {
        return read(asked, false);
    }

    /**
     * OffsetFetch of one group, of the form that version 8 and later have.
     *
     * @param asked topics null: all that have offsets; else with names, and with ids if the request named them so
     * @param stable UNSTABLE_OFFSET_COMMIT for those that an open transaction may change
     */
    public OffsetFetchResponseGroup read(OffsetFetchRequestGroup asked, boolean stable) {
        return reads.read(asked, stable);
    }

    /** The offset of one partition, for the lag of its group. */
    public record Position(String topic, Uuid topicId, int partition, long offset) {}

    /** All of a group's, by topic and partition; empty for an unknown group. */
    public List<Position> positions(String group) {
        List<Position> all = new ArrayList<>();
        for (String topic : table.topics(group)) {
            for (int partition : table.partitionsOf(group, topic)) {
                OffsetCommitRecord.Value value = table.get(group, topic, partition);
                all.add(new Position(topic, value.topicId(), partition, value.offset()));
            }
        }
        return all;
    }

    /**
     * OffsetDelete: of topics that no member reads.
     *
     * @param request its topics and partitions exist
     */
    public Result<GroupRecord, OffsetDeleteResponseData> delete(OffsetDeleteRequestData request) {
        Group group = groups.get(request.groupId());
        Errors refusal = mayDelete(group);
        OffsetDeleteResponseData response = new OffsetDeleteResponseData().setErrorCode(refusal.code());
        if (refusal != Errors.NONE) {
            return Result.answer(response);
        }
        Tombstones gone = new Tombstones();
        for (OffsetDeleteRequestTopic topic : request.topics()) {
            OffsetDeleteResponseTopic answers = new OffsetDeleteResponseTopic().setName(topic.name());
            response.topics().add(answers);
            Errors error = group.isSubscribedTo(topic.name()) ? Errors.GROUP_SUBSCRIBED_TO_TOPIC : Errors.NONE;
            for (OffsetDeleteRequestPartition each : topic.partitions()) {
                int partition = each.partitionIndex();
                boolean first = answers.partitions()
                        .add(new OffsetDeleteResponsePartition()
                                .setPartitionIndex(partition)
                                .setErrorCode(error.code()));
                if (first && error == Errors.NONE && isThere(group.id(), topic.name(), partition)) {
                    gone.offset(group.id(), topic.name(), partition);
                }
            }
        }
        deleted.add(gone.offsets());
        return Result.of(gone.records(), response);
    }

    private boolean isThere(String group, String topic, int partition) {
        return table.get(group, topic, partition) != null || pending.has(group, topic, partition);
    }

    /** A classic group of another kind than consumers does not say what its members read. */
    private static Errors mayDelete(Group group) {
        if (group == null) {
            return Errors.GROUP_ID_NOT_FOUND;
        }
        return group.isEmpty() || group.protocolType().equals("consumer") ? Errors.NONE : Errors.NON_EMPTY_GROUP;
    }

    /** Adds tombstones of a group's offsets, pending ones as well, until the batch is full. Whether none is left. */
    boolean removeAll(String group, Tombstones batch) {
        List<OffsetCommitRecord> onlyPending = new ArrayList<>();
        pending.forEach(group, each -> {
            if (table.get(group, each.topic(), each.partition()) == null) {
                onlyPending.add(each);
            }
        });
        for (OffsetCommitRecord each : onlyPending) {
            if (batch.full()) {
                return false;
            }
            batch.offset(group, each.topic(), each.partition());
        }
        for (String topic : table.topics(group)) {
            for (int partition : table.partitionsOf(group, topic)) {
                if (batch.full()) {
                    return false;
                }
                batch.offset(group, topic, partition);
                deleted.add(1);
            }
        }
        return true;
    }

    /** Of all groups. */
    long size() {
        return table.size();
    }
}
