package node;

import common.Callback;
import common.Failure;
import highwater.metadata.MetadataRecord;
import highwater.metadata.RemoveTopicRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import metadata.MetadataCodec;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicChange;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes committed images in order, at most {@link MetadataPublisher#MAX_IN_FLIGHT} at once; images committed meanwhile are merged into the newest. A topic
 * that was deleted and made anew under its name (C7) is published only when its former self is gone everywhere: both use the same directories, and
 * the shards that own them know nothing of each other. On the controller's owner.
 */
final class Publications {
    private static final Logger LOG = LoggerFactory.getLogger(Publications.class);

    private final MetadataPublisher publisher;
    /** Names of the topics that images in flight take away, with how many of them do. */
    private final Map<String, Integer> leaving = new TreeMap<>();

    private List<Callback<Void>> waiting = new ArrayList<>();
    private MetadataImage newest;
    private MetadataImage sent;
    private int inFlight;
    private boolean started;

    Publications(MetadataPublisher publisher) {
        this.publisher = publisher;
    }

    /** From now on images go out; those published before are merged into the first. */
    void start() {
        started = true;
        send();
    }

    /** {@code applied} succeeds when every owner has applied {@code image} or a newer one; it never fails: the image is true all the same. */
    void publish(MetadataImage image, Callback<Void> applied) {
        newest = image;
        waiting.add(applied);
        send();
    }

    private void send() {
        if (!started || waiting.isEmpty() || inFlight == MetadataPublisher.MAX_IN_FLIGHT) {
            return;
        }
        Set<String> gone = new TreeSet<>();
        Map<String, Uuid> made = new TreeMap<>();
        compare(gone, made);
        if (made.keySet().stream().anyMatch(leaving::containsKey)) {
            return;
        }
        MetadataImage next = newest;
        List<Callback<Void>> served = List.of();
        made.keySet().retainAll(gone);
        if (made.isEmpty()) {
            served = waiting;
            waiting = new ArrayList<>();
        } else {
            next = without(made.values());
        }
        sent = next;
        inFlight++;
        gone.forEach(name -> leaving.merge(name, 1, Integer::sum));
        List<Callback<Void>> answered = served;
        publisher.publish(next, (applied, failure) -> applied(answered, gone, failure));
    }

    /** What the newest image takes away and adds, against the one sent last. */
    private void compare(Set<String> gone, Map<String, Uuid> made) {
        if (sent == null) {
            return;
        }
        for (TopicChange change : newest.topicChangesSince(sent)) {
            if (change.after() == null) {
                gone.add(change.before().name());
            } else if (change.before() == null) {
                made.put(change.after().name(), change.after().id());
            }
        }
    }

    /** The newest image, but for some topics. */
    private MetadataImage without(Collection<Uuid> topics) {
        MetadataDelta delta = new MetadataDelta(newest);
        for (Uuid each : topics) {
            RemoveTopicRecord removal = RemoveTopicRecord.newBuilder()
                    .setTopicId(MetadataCodec.bytes(each))
                    .build();
            delta.apply(MetadataRecord.newBuilder().setRemoveTopic(removal).build(), newest.version());
        }
        return delta.image(newest.version());
    }

    private void applied(List<Callback<Void>> served, Set<String> gone, Failure failure) {
        inFlight--;
        gone.forEach(name -> leaving.merge(name, -1, (count, less) -> count + less == 0 ? null : count + less));
        if (failure != null) {
            LOG.error(
                    "part of this node could not apply a metadata change; what it concerns is not served: {}",
                    failure.message());
        }
        served.forEach(each -> each.succeed(null));
        send();
    }
}
