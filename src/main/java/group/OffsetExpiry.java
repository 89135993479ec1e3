package group;

import common.Metrics;
import config.GroupConfig;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import metadata.MetadataImage.TopicChange;
import org.apache.kafka.common.Uuid;
import records.schemas.GroupRecord;
import records.schemas.OffsetCommitRecord.Value;

/**
 * Removes what nobody needs any more, in bounded pieces, one after the other: offsets past their retention (KIP-211), groups that are empty and have none, and
 * offsets of deleted topics. Confined to the shard.
 */
final class OffsetExpiry {
    /** Offsets looked at in one piece, so that other requests of the loop are not kept waiting. */
    private static final int MOST_LOOKED_AT = 10_000;

    private static final long NO_TIME = -1;
    private static final String CHECK = "offset-retention-check";

    private final ShardContext<GroupRecord> context;
    private final GroupConfig.Offsets config;
    private final Groups groups;
    private final OffsetTable table;
    private final PendingOffsets pending;
    private final Metrics.Counter expired;
    private final Map<Uuid, String> deletedTopics = new LinkedHashMap<>();

    OffsetExpiry(
            ShardContext<GroupRecord> context,
            GroupConfig.Offsets config,
            Groups groups,
            OffsetTable table,
            PendingOffsets pending) {
        this.pending = pending;
        this.context = context;
        this.config = config;
        this.groups = groups;
        this.table = table;
        this.expired = context.metrics()
                .counter(
                        "kafka_server_group_coordinator_metrics_offset_expiration_count_total",
                        "Committed offsets that were removed after their retention");
    }

    void loaded() {
        checkLater();
    }

    private void checkLater() {
        context.timers().set(CHECK, config.retentionCheckMillis(), this::check);
    }

    void imageChanged(List<TopicChange> changes) {
        boolean idle = deletedTopics.isEmpty();
        for (TopicChange change : changes) {
            if (change.after() == null) {
                deletedTopics.put(change.before().id(), change.before().name());
            }
        }
        if (idle && !deletedTopics.isEmpty()) {
            context.submit(this::forgetTopics);
        }
    }

    // ---- retention

    private Result<GroupRecord, Void> check() {
        if (!deletedTopics.isEmpty()) {
            // Left from a piece that was refused.
            context.submit(this::forgetTopics);
        }
        List<String> all = new ArrayList<>();
        groups.all().forEach(group -> all.add(group.id()));
        return checkSome(all.iterator(), null);
    }

    /** @param begun the group that the former piece left unfinished, or null */
    private Result<GroupRecord, Void> checkSome(Iterator<String> left, String begun) {
        Tombstones piece = new Tombstones();
        long now = context.clock().wallMillis();
        int lookedAt = 0;
        String unfinished = null;
        while (unfinished == null && lookedAt < MOST_LOOKED_AT && (begun != null || left.hasNext())) {
            Group group = groups.get(begun == null ? left.next() : begun);
            begun = null;
            if (group != null) {
                lookedAt += 1 + check(group, now, piece);
            }
            unfinished = piece.full() ? group.id() : null;
        }
        expired.add(piece.offsets());
        String rest = unfinished;
        if (rest == null && !left.hasNext()) {
            checkLater();
            return Result.of(piece.records(), null);
        }
        return piece(piece, () -> checkSome(left, rest), this::checkLater);
    }

    /**
     * A piece after which there is more: the next one is not begun before this one is committed.
     *
     * @param refused runs when the piece was not taken
     */
    private Result<GroupRecord, Void> piece(
            Tombstones piece, Supplier<Result<GroupRecord, Void>> next, Runnable refused) {
        return Result.<GroupRecord, Void>of(piece.records(), null).settled((nothing, failure) -> {
            if (failure == null) {
                context.submit(next);
            } else {
                refused.run();
            }
        });
    }

    /** How many offsets were looked at. */
    private int check(Group group, long now, Tombstones piece) {
        int lookedAt = 0;
        boolean allGone = true;
        for (String topic : table.topics(group.id())) {
            boolean subscribed = group.isSubscribedTo(topic);
            for (int partition : table.partitionsOf(group.id(), topic)) {
                if (piece.full()) {
                    return lookedAt;
                }
                lookedAt++;
                Value value = table.get(group.id(), topic, partition);
                boolean due = isOrphan(value, now) || (!subscribed && hasExpired(group, topic, value, now));
                if (due && !pending.has(group.id(), topic, partition)) {
                    piece.offset(group.id(), topic, partition);
                } else {
                    allGone = false;
                }
            }
        }
        if (allGone && group.isEmpty() && !pending.has(group.id())) {
            piece.group(group);
        }
        return lookedAt;
    }

    private boolean hasExpired(Group group, String topic, Value value, long now) {
        long base = group.expiryBase(topic, value.commitTimestamp());
        if (base == Group.NO_EXPIRY) {
            return false;
        }
        return value.expireTimestamp() == NO_TIME
                ? now - base >= config.retentionMillis()
                : now >= value.expireTimestamp();
    }

    /** Of a topic whose deletion was not seen here, or came before the commit did. */
    private boolean isOrphan(Value value, long now) {
        return !value.topicId().equals(Uuid.ZERO_UUID)
                && context.image().topic(value.topicId()) == null
                && now - value.commitTimestamp() >= config.retentionCheckMillis();
    }

    // ---- deleted topics

    private Result<GroupRecord, Void> forgetTopics() {
        Map<Uuid, String> topics = new LinkedHashMap<>(deletedTopics);
        deletedTopics.clear();
        Set<String> all = new LinkedHashSet<>(table.groups());
        all.addAll(pending.groups());
        return forgetSome(topics, all.iterator(), null);
    }

    private Result<GroupRecord, Void> forgetSome(Map<Uuid, String> topics, Iterator<String> left, String begun) {
        Tombstones piece = new Tombstones();
        int lookedAt = 0;
        String unfinished = null;
        while (unfinished == null && lookedAt < MOST_LOOKED_AT && (begun != null || left.hasNext())) {
            String group = begun == null ? left.next() : begun;
            begun = null;
            lookedAt++;
            for (Map.Entry<Uuid, String> topic : topics.entrySet()) {
                lookedAt += 1 + forget(group, topic.getValue(), topic.getKey(), piece);
                forgetPending(group, topic.getValue(), topic.getKey(), piece);
            }
            unfinished = piece.full() ? group : null;
        }
        String rest = unfinished;
        return rest == null && !left.hasNext()
                ? Result.of(piece.records(), null)
                : piece(piece, () -> forgetSome(topics, left, rest), () -> deletedTopics.putAll(topics));
    }

    private void forgetPending(String group, String topic, Uuid id, Tombstones piece) {
        pending.forEach(group, each -> {
            Uuid of = each.value().topicId();
            boolean gone = each.topic().equals(topic) && (of.equals(id) || of.equals(Uuid.ZERO_UUID));
            if (gone && !piece.full()) {
                piece.offset(group, topic, each.partition());
            }
        });
    }

    /** Offsets without an id were committed by who did not know it: by name they are meant as well. */
    private int forget(String group, String topic, Uuid id, Tombstones piece) {
        int lookedAt = 0;
        for (int partition : table.partitionsOf(group, topic)) {
            lookedAt++;
            Uuid of = table.get(group, topic, partition).topicId();
            if (!piece.full() && (of.equals(id) || of.equals(Uuid.ZERO_UUID))) {
                piece.offset(group, topic, partition);
            }
        }
        return lookedAt;
    }
}
