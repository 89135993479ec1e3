package node;

import common.Mailboxes;
import common.OwnerId;
import common.PartitionId;
import controller.Controller;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import metadata.DirectoryId;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.PartitionImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rule S8, for leaders: one whose log is damaged hands the partition over where another replica is in sync. It tells the controller that its replica is lost
 * (KIP-858), so another one leads; as a follower it is fetched anew, and then tells where it lies. The last one in sync leads on. Confined to the shard.
 */
final class DamagedReplicas {
    private static final Logger LOG = LoggerFactory.getLogger(DamagedReplicas.class);
    private static final OwnerId<Controller> CONTROLLER = new OwnerId<>(Controller.class, 0);
    private static final long TIMEOUT_MILLIS = 10_000;
    /** Partitions of one request; the others come with the next. */
    private static final int MOST = 1_000;

    private final Mailboxes mailboxes;
    private final int nodeId;
    private boolean underWay;

    DamagedReplicas(Mailboxes mailboxes, int nodeId) {
        this.mailboxes = mailboxes;
        this.nodeId = nodeId;
    }

    /** Periodic duty. */
    void check(Iterable<OpenPartition> partitions, PartitionRoles roles) {
        BrokerImage self = roles.image().broker(nodeId);
        if (underWay || self == null) {
            return;
        }
        Map<Uuid, List<PartitionId>> news = new LinkedHashMap<>();
        int count = 0;
        for (OpenPartition each : partitions) {
            Uuid place = count < MOST ? place(each, roles) : null;
            if (place != null) {
                count++;
                news.computeIfAbsent(place, key -> new ArrayList<>()).add(each.id());
            }
        }
        if (!news.isEmpty()) {
            tell(self, news);
        }
    }

    /** Where the replica is to be said to lie from now on; null: as the metadata says. */
    private Uuid place(OpenPartition open, PartitionRoles roles) {
        boolean damaged = open.log().damage() != null;
        if (damaged ? open.leader == null : open.followed == null) {
            return null;
        }
        PartitionImage state = roles.state(open.id());
        if (state == null || !state.replicas().contains(nodeId)) {
            return null;
        }
        boolean lost = DirectoryId.LOST.equals(state.directory(nodeId));
        if (damaged && !lost && state.isr().size() > 1) {
            LOG.warn(
                    "{} is damaged ({}): another replica that is in sync is to lead it, then it is fetched anew",
                    open.log().identity().directory(),
                    open.log().damage());
            return DirectoryId.LOST;
        }
        return !damaged && lost ? open.directory().id() : null;
    }

    private void tell(BrokerImage self, Map<Uuid, List<PartitionId>> news) {
        AssignReplicasToDirsRequestData request =
                new AssignReplicasToDirsRequestData().setBrokerId(nodeId).setBrokerEpoch(self.epoch());
        news.forEach((directory, replicas) -> request.directories()
                .add(new AssignReplicasToDirsRequestData.DirectoryData()
                        .setId(directory)
                        .setTopics(topics(replicas))));
        underWay = true;
        mailboxes.<Controller, AssignReplicasToDirsResponseData>call(
                CONTROLLER,
                (controller, reply) -> controller.assignReplicasToDirs(request, reply),
                TIMEOUT_MILLIS,
                // What was not heard, or refused, is told again by the next check.
                (answer, failure) -> underWay = false);
    }

    private static List<AssignReplicasToDirsRequestData.TopicData> topics(List<PartitionId> replicas) {
        Map<Uuid, AssignReplicasToDirsRequestData.TopicData> topics = new LinkedHashMap<>();
        for (PartitionId each : replicas) {
            topics.computeIfAbsent(each.topicId(), id -> new AssignReplicasToDirsRequestData.TopicData().setTopicId(id))
                    .partitions()
                    .add(new AssignReplicasToDirsRequestData.PartitionData().setPartitionIndex(each.partition()));
        }
        return List.copyOf(topics.values());
    }
}
