package node;

import common.Callback;
import common.Failure;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes committed images in order, at most {@link MetadataPublisher#MAX_IN_FLIGHT} at once; images committed meanwhile are merged into the newest. On the
 * controller's owner.
 */
final class Publications {
    private static final Logger LOG = LoggerFactory.getLogger(Publications.class);

    private final MetadataPublisher publisher;
    private List<Callback<Void>> waiting = new ArrayList<>();
    private MetadataImage newest;
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
        List<Callback<Void>> served = waiting;
        waiting = new ArrayList<>();
        inFlight++;
        publisher.publish(newest, (applied, failure) -> applied(served, failure));
    }

    private void applied(List<Callback<Void>> served, Failure failure) {
        inFlight--;
        if (failure != null) {
            LOG.error(
                    "part of this node could not apply a metadata change; what it concerns is not served: {}",
                    failure.message());
        }
        served.forEach(each -> each.succeed(null));
        send();
    }
}
