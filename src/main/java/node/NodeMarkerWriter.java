package node;

import common.Callback;
import common.Failure;
import common.Mailboxes;
import common.OwnerId;
import common.PartitionId;
import coordinator.TransactionEnd;
import group.GroupCoordinator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.protocol.Errors;
import replication.ReplicaShard;
import services.ErrorMapping;
import transaction.MarkerWriter;

/**
 * Writes markers to the storage shards of this node: one message per shard. Partitions of __consumer_offsets get theirs from the group coordinator, which applies
 * what was pending. On the coordinator's loop.
 */
final class NodeMarkerWriter implements MarkerWriter {
    private static final long TIMEOUT_MILLIS = 30_000;

    private final Mailboxes mailboxes;
    private final Supplier<MetadataImage> image;
    private final int loops;

    /** @param image the newest that this loop has */
    NodeMarkerWriter(Mailboxes mailboxes, Supplier<MetadataImage> image, int loops) {
        this.mailboxes = mailboxes;
        this.image = image;
        this.loops = loops;
    }

    @Override
    public void write(Marker marker, List<TopicPartition> partitions, Callback<List<Errors>> done) {
        new Round(marker, partitions, done).send();
    }

    /** One call under way. */
    private final class Round {
        private final Marker marker;
        private final List<TopicPartition> partitions;
        private final Callback<List<Errors>> done;
        private final List<Errors> errors;
        private int pending = 1;

        Round(Marker marker, List<TopicPartition> partitions, Callback<List<Errors>> done) {
            this.marker = marker;
            this.partitions = partitions;
            this.done = done;
            this.errors = new ArrayList<>(Collections.nCopies(partitions.size(), Errors.UNKNOWN_TOPIC_OR_PARTITION));
        }

        void send() {
            MetadataImage now = image.get();
            Map<Integer, List<Integer>> byLoop = new TreeMap<>();
            for (int i = 0; i < partitions.size(); i++) {
                TopicPartition each = partitions.get(i);
                TopicImage topic = now.topic(each.topic());
                if (topic == null || each.partition() >= topic.partitions().size()) {
                    continue;
                }
                int loop = new PartitionId(topic.id(), each.partition()).shard(loops);
                if (each.topic().equals(Topic.GROUP_METADATA_TOPIC_NAME)) {
                    pending++;
                    toGroups(loop, i);
                } else {
                    byLoop.computeIfAbsent(loop, none -> new ArrayList<>()).add(i);
                }
            }
            pending += byLoop.size();
            byLoop.forEach((loop, places) -> toShard(now, loop, places));
            answered();
        }

        private void toGroups(int loop, int place) {
            mailboxes.<GroupCoordinator, Void>call(
                    new OwnerId<>(GroupCoordinator.class, loop),
                    (groups, reply) -> groups.completeTransaction(
                            partitions.get(place).partition(),
                            new TransactionEnd(
                                    marker.producerId(),
                                    marker.producerEpoch(),
                                    marker.coordinatorEpoch(),
                                    marker.commit(),
                                    marker.transactionVersion()),
                            reply),
                    TIMEOUT_MILLIS,
                    (none, failure) -> {
                        errors.set(place, error(failure));
                        answered();
                    });
        }

        private void toShard(MetadataImage now, int loop, List<Integer> places) {
            List<ReplicaShard.Marker> markers = new ArrayList<>(places.size());
            for (int place : places) {
                TopicPartition each = partitions.get(place);
                markers.add(new ReplicaShard.Marker(
                        new PartitionId(now.topic(each.topic()).id(), each.partition()),
                        marker.producerId(),
                        marker.producerEpoch(),
                        marker.commit(),
                        marker.coordinatorEpoch(),
                        marker.transactionVersion()));
            }
            mailboxes.<ReplicaShard, List<ReplicaShard.Outcome<Void>>>call(
                    new OwnerId<>(ReplicaShard.class, loop),
                    (shard, reply) -> shard.writeMarkers(markers, reply),
                    TIMEOUT_MILLIS,
                    (outcomes, failure) -> {
                        for (int i = 0; i < places.size(); i++) {
                            Failure why =
                                    failure != null ? failure : outcomes.get(i).failure();
                            errors.set(places.get(i), error(why));
                        }
                        answered();
                    });
        }

        private void answered() {
            if (--pending == 0) {
                done.succeed(errors);
            }
        }

        private Errors error(Failure failure) {
            return ErrorMapping.of(failure);
        }
    }
}
