package node;

import common.Callback;
import common.Failure;
import common.Mailboxes;
import common.OwnerId;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import replication.ReplicaShard;

/** Hands committed images from the controller's loop to every shard, every coordinator and every loop's connections, in order. */
final class ImageBroadcast implements MetadataPublisher {
    /** Applying an image may mean recovering thousands of logs at the start. */
    private static final long APPLY_TIMEOUT_MILLIS = 24 * 3_600_000L;

    private final Mailboxes mailboxes;
    private final List<OwnerId<ReplicaShard>> shards = new ArrayList<>();
    private final List<OwnerId<? extends InternalTopicCoordinator<?, ?>>> coordinators = new ArrayList<>();
    private final List<OwnerId<LoopImage>> loops = new ArrayList<>();

    ImageBroadcast(Mailboxes mailboxes, int loopCount) {
        this.mailboxes = mailboxes;
        for (int loop = 0; loop < loopCount; loop++) {
            shards.add(new OwnerId<>(ReplicaShard.class, loop));
            coordinators.add(new OwnerId<>(GroupCoordinatorNode.class, loop));
            coordinators.add(new OwnerId<>(TransactionCoordinatorNode.class, loop));
            loops.add(new OwnerId<>(LoopImage.class, loop));
        }
    }

    /**
     * Coordinators get the image once the shards serve it, since they use their logs; connections get it last: a client that learns of a partition or a
     * coordinator can use it.
     */
    @Override
    public void publish(MetadataImage image, Callback<Void> applied) {
        Countdown rest = new Countdown(shards.size(), (done, failure) -> toCoordinators(image, failure, applied));
        for (OwnerId<ReplicaShard> each : shards) {
            mailboxes.<ReplicaShard, Void>call(
                    each,
                    (shard, reply) -> shard.applyImage(image, reply),
                    APPLY_TIMEOUT_MILLIS,
                    (done, failure) -> rest.one(failure));
        }
    }

    private void toCoordinators(MetadataImage image, Failure before, Callback<Void> applied) {
        Countdown rest = new Countdown(
                coordinators.size(),
                (done, failure) -> toConnections(image, before != null ? before : failure, applied));
        for (OwnerId<? extends InternalTopicCoordinator<?, ?>> each : coordinators) {
            apply(each, image, rest);
        }
    }

    /** Waits for them, too: whoever is told that a topic is there finds it, on whatever connection. */
    private void toConnections(MetadataImage image, Failure before, Callback<Void> applied) {
        Countdown rest =
                new Countdown(loops.size(), (done, failure) -> applied.done(null, before != null ? before : failure));
        for (OwnerId<LoopImage> each : loops) {
            mailboxes.<LoopImage, Void>call(
                    each,
                    (loop, reply) -> {
                        loop.update(image);
                        reply.succeed(null);
                    },
                    APPLY_TIMEOUT_MILLIS,
                    (done, failure) -> rest.one(failure));
        }
    }

    private <O extends InternalTopicCoordinator<?, ?>> void apply(OwnerId<O> to, MetadataImage image, Countdown rest) {
        mailboxes.<O, Void>call(
                to,
                (coordinator, reply) -> coordinator.applyImage(image, reply),
                APPLY_TIMEOUT_MILLIS,
                (done, failure) -> rest.one(failure));
    }
}
