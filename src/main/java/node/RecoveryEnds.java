package node;

import common.Mailboxes;
import common.OwnerId;
import common.PartitionId;
import common.Timers;
import controller.Controller;
import controller.ReplicaEnd;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import protocol.PeerTags;
import storage.PartitionLog;

/**
 * Tells the controller where this shard's replicas end in partitions whose members all may have lost records (rule C4): it waits for that before it lets the one with
 * the most lead, with holes if need be. With a heartbeat, once this broker takes part, and again until there is a leader. Confined to the shard.
 */
final class RecoveryEnds {
    private static final OwnerId<Controller> CONTROLLER = new OwnerId<>(Controller.class, 0);
    private static final long REPEAT_MILLIS = 500;
    private static final long TIMEOUT_MILLIS = 3_000;
    /** Partitions of one heartbeat. */
    private static final int MOST = 2_000;

    private final Mailboxes mailboxes;
    private final Timers timers;
    private final int nodeId;
    private final Supplier<MetadataImage> image;
    private final Map<PartitionId, OpenPartition> waiting = new LinkedHashMap<>();
    private boolean comes;

    /** @param image the newest that the shard knows */
    RecoveryEnds(Mailboxes mailboxes, Timers timers, int nodeId, Supplier<MetadataImage> image) {
        this.mailboxes = mailboxes;
        this.timers = timers;
        this.nodeId = nodeId;
        this.image = image;
    }

    /** @param state as the newest metadata has it; null: it is not this shard's any more */
    void look(OpenPartition open, PartitionImage state) {
        boolean asked = state != null
                && state.waitsForRecovery()
                && state.eligible().lastKnown().contains(nodeId);
        if (!asked) {
            waiting.remove(open.id());
        } else {
            waiting.put(open.id(), open);
            tellSoon(1);
        }
    }

    private void tellSoon(long millis) {
        if (!comes) {
            comes = true;
            timers.after(millis, this::tell);
        }
    }

    private void tell() {
        comes = false;
        if (waiting.isEmpty()) {
            return;
        }
        BrokerImage self = image.get().broker(nodeId);
        if (self == null || self.fenced() || self.inControlledShutdown()) {
            tellSoon(REPEAT_MILLIS);
            return;
        }
        List<ReplicaEnd> ends = new ArrayList<>();
        for (OpenPartition each : List.copyOf(waiting.values())) {
            if (ends.size() < MOST && each.directory().failure() == null) {
                ends.add(end(each));
                // The others are told first the next time.
                waiting.remove(each.id());
                waiting.put(each.id(), each);
            }
        }
        BrokerHeartbeatRequestData request = new BrokerHeartbeatRequestData()
                .setBrokerId(nodeId)
                .setBrokerEpoch(self.epoch())
                .setCurrentMetadataOffset(image.get().version() - 1);
        PeerTags.putEnds(request, ends);
        mailboxes.<Controller, BrokerHeartbeatResponseData>call(
                CONTROLLER,
                (controller, reply) -> controller.heartbeat(request, reply),
                TIMEOUT_MILLIS,
                (answer, failure) -> tellSoon(REPEAT_MILLIS));
    }

    private static ReplicaEnd end(OpenPartition open) {
        PartitionLog log = open.log();
        long end = log.logEndOffset();
        int epoch = end > log.logStartOffset() ? log.epochFor(end - 1) : log.latestEpoch();
        return new ReplicaEnd(open.id().topicId(), open.id().partition(), epoch, end);
    }
}
