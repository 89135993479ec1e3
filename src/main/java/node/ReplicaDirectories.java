package node;

import common.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import metadata.DirectoryId;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import node.LogDirectories.Claimed;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares where the metadata says that this node's replicas lie with where the start has found them (KIP-858), and finds out what the metadata has to be told:
 *
 * <ul>
 *   <li>Files win: a replica that was found elsewhere (moved by hand, or from before directories were in the metadata) lies where it was found.
 *   <li>One without files lies where the metadata says, if that directory works: it never held a record.
 *   <li>Any other may lie in a directory that could not be read, and stays as it is, not served, while there is one.
 *   <li>Else the directory is lost (emptied, replaced, taken out of log.dirs), and its replicas begin empty in the working directory that holds the fewest. Their
 *       leader epochs were raised by the registration (rules I11, C3).
 * </ul>
 *
 * <p>At the start, on loop 0; use once.
 */
final class ReplicaDirectories {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaDirectories.class);

    private final LogDirectories directories;
    private final int nodeId;
    private final List<String> unread;
    /** Ids of the directories that work, with the replicas in each. */
    private final Map<Uuid, Integer> working = new LinkedHashMap<>();

    private final List<Placed> changes = new ArrayList<>();
    private final List<PartitionId> homeless = new ArrayList<>();
    private int unserved;
    private int lost;

    /** A replica of this node, in the directory that the metadata is to name. */
    record Placed(PartitionId id, Uuid directory) {}

    ReplicaDirectories(LogDirectories directories, int nodeId) {
        this.directories = directories;
        this.nodeId = nodeId;
        this.unread = directories.unread();
        directories.directoryIds().forEach(each -> working.put(each, 0));
    }

    /** What the metadata does not say yet, or says otherwise. */
    List<Placed> changes(MetadataImage image, List<Claimed> claimed) {
        Map<PartitionId, Uuid> found = new LinkedHashMap<>();
        claimed.forEach(each -> found.put(each.id(), directories.directoryId(each.directory())));
        for (TopicImage topic : image.topics()) {
            for (PartitionImage each : topic.partitions()) {
                if (each.replicas().contains(nodeId)) {
                    PartitionId id = new PartitionId(topic.id(), each.partition());
                    compare(id, each.directory(nodeId), found.get(id));
                }
            }
        }
        for (PartitionId each : homeless) {
            put(each, least());
        }
        warn();
        return changes;
    }

    private void compare(PartitionId id, Uuid told, Uuid found) {
        if (found != null && !found.equals(told)) {
            put(id, found);
        } else if (working.containsKey(told)) {
            working.merge(told, 1, Integer::sum);
        } else if (unread.isEmpty()) {
            homeless.add(id);
            lost += DirectoryId.isReserved(told) ? 0 : 1;
        } else {
            unserved++;
        }
    }

    private void put(PartitionId id, Uuid directory) {
        changes.add(new Placed(id, directory));
        working.merge(directory, 1, Integer::sum);
    }

    private Uuid least() {
        Uuid least = null;
        for (Map.Entry<Uuid, Integer> each : working.entrySet()) {
            if (least == null || each.getValue() < working.get(least)) {
                least = each.getKey();
            }
        }
        return least;
    }

    private void warn() {
        if (!unread.isEmpty()) {
            LOG.warn(
                    "{} partition(s) lie in none of the log directories that work, and are not served: they lie in {}. Mend it, then restart; or, if it is lost with all"
                            + " that it held, take it out of log.dirs, and they begin empty",
                    unserved,
                    String.join(", ", unread));
        }
        if (lost > 0) {
            LOG.error(
                    "{} partition(s) HAVE LOST ALL RECORDS THAT THEY HELD: their log directory is not there any more (emptied, replaced, not mounted, or taken out of log.dirs;"
                            + " found empty: {}). They begin empty, in new leader epochs. If their records are still somewhere, stop now, before new ones are written,"
                            + " and bring that directory back into log.dirs",
                    lost,
                    directories.foundEmpty());
        }
    }
}
