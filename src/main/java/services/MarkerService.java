package services;

import common.Callback;
import common.Failure;
import common.Mailboxes;
import common.PartitionId;
import coordinator.TransactionEnd;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.protocol.Errors;
import replication.ReplicaShard;
import replication.ReplicaShard.Outcome;

/**
 * Writes the ends of transactions where this node leads (rule T7): partitions of __consumer_offsets are ended by their group coordinators, so that offsets become
 * visible. Confined to its caller's owner.
 */
public final class MarkerService {
    private static final long TIMEOUT_MILLIS = 30_000;

    private final Shards shards;
    private final GroupCoordinators groups;

    /**
     * The end of a producer's transaction in one partition.
     *
     * @param coordinatorEpoch of the transaction coordinator
     * @param transactionVersion 2: the epoch is above that of the transaction's records
     */
    public record Marker(
            TopicPartition partition,
            long producerId,
            short producerEpoch,
            boolean commit,
            int coordinatorEpoch,
            short transactionVersion) {
        private TransactionEnd end() {
            return new TransactionEnd(producerId, producerEpoch, coordinatorEpoch, commit, transactionVersion);
        }

        private ReplicaShard.Marker at(PartitionId id) {
            return new ReplicaShard.Marker(id, producerId, producerEpoch, commit, coordinatorEpoch, transactionVersion);
        }
    }

    public MarkerService(Mailboxes mailboxes, int loops) {
        this.shards = new Shards(mailboxes, loops);
        this.groups = new GroupCoordinators(mailboxes, loops);
    }

    /**
     * Never fails as a whole.
     *
     * @param done in the order of the markers: NONE when it is committed; INVALID_REQUEST for a producer or a coordinator's epoch that cannot be; UNKNOWN_TOPIC_OR_PARTITION,
     *     NOT_LEADER_OR_FOLLOWER and what else is retriable: try again; INVALID_PRODUCER_EPOCH: the partition is past this transaction; TRANSACTION_COORDINATOR_FENCED: a newer coordinator has written there
     */
    public void write(MetadataImage image, List<Marker> markers, Callback<List<Errors>> done) {
        Gathering all = new Gathering(markers.size(), done);
        List<ReplicaShard.Marker> plain = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        int newestCoordinator = newestCoordinator(image);
        for (int i = 0; i < markers.size(); i++) {
            Marker marker = markers.get(i);
            TopicPartition name = marker.partition();
            TopicImage topic = image.topic(name.topic());
            if (marker.producerId() < 0
                    || marker.producerEpoch() < 0
                    || marker.coordinatorEpoch() > newestCoordinator) {
                all.put(i, Errors.INVALID_REQUEST);
            } else if (topic == null
                    || name.partition() < 0
                    || name.partition() >= topic.partitions().size()) {
                all.put(i, Errors.UNKNOWN_TOPIC_OR_PARTITION);
            } else if (name.topic().equals(Topic.GROUP_METADATA_TOPIC_NAME)) {
                int place = i;
                groups.complete(
                        image,
                        name.partition(),
                        marker.end(),
                        TIMEOUT_MILLIS,
                        (none, failure) -> all.put(place, ofGroups(failure)));
            } else {
                places.add(i);
                plain.add(marker.at(new PartitionId(topic.id(), name.partition())));
            }
        }
        shards.scatter(
                plain,
                ReplicaShard.Marker::partition,
                ReplicaShard::writeMarkers,
                failure -> new Outcome<>(null, failure),
                TIMEOUT_MILLIS,
                (outcomes, failure) -> {
                    for (int i = 0; i < places.size(); i++) {
                        all.put(
                                places.get(i),
                                ErrorMapping.ofNamed(outcomes.get(i).failure()));
                    }
                });
    }

    /**
     * The highest epoch that a transaction coordinator can have, as far as is known here. Whoever claims a higher one would fence the real coordinators for ever
     * (rule T2): their transactional ids would hang. Known here too late, it is tried again.
     */
    private static int newestCoordinator(MetadataImage image) {
        TopicImage states = image.topic(Topic.TRANSACTION_STATE_TOPIC_NAME);
        int newest = 0;
        for (PartitionImage each : states == null ? List.<PartitionImage>of() : states.partitions()) {
            newest = Math.max(newest, each.leaderEpoch());
        }
        return newest;
    }

    /** Who ends a transaction looks for leaders, not for coordinators of groups. */
    private static Errors ofGroups(Failure failure) {
        if (failure == null) {
            return Errors.NONE;
        }
        return switch (failure.code()) {
            case NOT_COORDINATOR, COORDINATOR_LOADING, COORDINATOR_NOT_AVAILABLE -> Errors.NOT_LEADER_OR_FOLLOWER;
            default -> ErrorMapping.ofNamed(failure);
        };
    }

    private static final class Gathering {
        private final List<Errors> answers = new ArrayList<>();
        private final Callback<List<Errors>> done;
        private int left;

        Gathering(int count, Callback<List<Errors>> done) {
            for (int i = 0; i < count; i++) {
                answers.add(null);
            }
            this.done = done;
            this.left = count;
            if (count == 0) {
                done.succeed(answers);
            }
        }

        void put(int place, Errors error) {
            answers.set(place, error);
            if (--left == 0) {
                done.succeed(answers);
            }
        }
    }
}
