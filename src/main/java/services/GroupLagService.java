package services;

import common.Callback;
import common.Clock;
import common.Failure;
import common.PartitionId;
import group.CommittedOffsets.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import storage.TimestampOffset;

/** How far groups are behind the partitions they read. Confined to its caller's owner. */
public final class GroupLagService {
    private static final long LATEST = -1;
    private static final int ANY_EPOCH = -1;

    private final GroupCoordinators coordinators;
    private final BiConsumer<List<OffsetQuery>, Callback<List<Outcome<TimestampOffset>>>> offsets;
    private final Clock clock;
    private final long timeoutMillis;

    /**
     * @param offsets as {@link OffsetService#listOffsets}
     * @param timeoutMillis how long a coordinator may take, > 0
     */
    public GroupLagService(
            GroupCoordinators coordinators,
            BiConsumer<List<OffsetQuery>, Callback<List<Outcome<TimestampOffset>>>> offsets,
            Clock clock,
            long timeoutMillis) {
        this.clock = clock;
        this.coordinators = coordinators;
        this.offsets = offsets;
        this.timeoutMillis = timeoutMillis;
    }

    /**
     * @param end the offset after the last record that the group could read; -1 with a failure
     * @param records that it has not committed yet, >= 0: a commit may lie beyond an end that was asked for a moment earlier, or after a log was cut; -1 with a
     *     failure
     * @param millis age of the first of them, to a second or a sixteenth; 0 when there is none, -1 when not known
     * @param failure null, or why the partition could not be asked
     */
    public record Lag(
            String topic, int partition, long committed, long end, long records, long millis, Failure failure) {}

    /**
     * Of all partitions that exist and that the group has committed offsets of, by topic and partition; fails when the group's coordinator does.
     *
     * @param readCommitted the end is that of finished transactions, not the high watermark
     */
    public void lag(MetadataImage image, String group, boolean readCommitted, Callback<List<Lag>> done) {
        // First what was committed, then the ends: what is produced in between counts as lag, and no lag is below 0.
        Callback<List<Position>> measure = (positions, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else {
                measure(image, positions, readCommitted, done);
            }
        };
        coordinators.read(image, group, timeoutMillis, shard -> shard.offsets().positions(group), measure);
    }

    private void measure(
            MetadataImage image, List<Position> positions, boolean readCommitted, Callback<List<Lag>> done) {
        List<Position> existing = new ArrayList<>();
        List<OffsetQuery> queries = new ArrayList<>();
        for (Position each : positions) {
            PartitionId id = existing(image, each);
            if (id != null) {
                existing.add(each);
                queries.add(new OffsetQuery(id, ANY_EPOCH, LATEST, readCommitted));
            }
        }
        offsets.accept(queries, (ends, failure) -> addAges(existing, queries, ends, done));
    }

    private void addAges(
            List<Position> positions,
            List<OffsetQuery> queries,
            List<Outcome<TimestampOffset>> ends,
            Callback<List<Lag>> done) {
        List<LagAges.Search> searches = new ArrayList<>(positions.size());
        LagAges ages = new LagAges(offsets, clock.wallMillis(), () -> {
            List<Lag> lags = new ArrayList<>(positions.size());
            for (int i = 0; i < positions.size(); i++) {
                lags.add(lag(positions.get(i), ends.get(i), searches.get(i)));
            }
            done.succeed(lags);
        });
        for (int i = 0; i < positions.size(); i++) {
            boolean behind = records(positions.get(i), ends.get(i)) > 0;
            searches.add(
                    behind
                            ? ages.add(
                                    queries.get(i).partition(), positions.get(i).offset())
                            : null);
        }
        ages.run();
    }

    /** null for a partition that is gone, and for an offset of a former topic of the name. */
    private static PartitionId existing(MetadataImage image, Position position) {
        TopicImage topic = image.topic(position.topic());
        boolean same = topic != null
                && (position.topicId().equals(Uuid.ZERO_UUID)
                        || position.topicId().equals(topic.id()));
        return same && position.partition() < topic.partitions().size()
                ? new PartitionId(topic.id(), position.partition())
                : null;
    }

    /** -1 when not known. */
    private static long records(Position position, Outcome<TimestampOffset> end) {
        return end.failure() != null ? -1 : Math.max(0, end.value().offset() - position.offset());
    }

    /** @param age null when there is nothing to read, or that is not known */
    private static Lag lag(Position position, Outcome<TimestampOffset> end, LagAges.Search age) {
        long records = records(position, end);
        return new Lag(
                position.topic(),
                position.partition(),
                position.offset(),
                end.failure() != null ? -1 : end.value().offset(),
                records,
                age == null ? records : age.age(),
                end.failure());
    }
}
