package node;

import common.Callback;
import metadata.MetadataImage;

/**
 * How committed metadata leaves the controller's owner; the node's assembly implements it with mailboxes. Called on the controller's owner, once per
 * commit, with rising versions; several may be under way at once (at most {@link #MAX_IN_FLIGHT}; beyond it images are merged: the newest is published
 * when one is done).
 */
@FunctionalInterface
public interface MetadataPublisher {

    int MAX_IN_FLIGHT = 16;

    /**
     * Hands the image to every storage shard ({@link replication.ReplicaShard#applyImage}) and, by {@code tell}, to every other subscriber (server
     * instances). {@code applied} comes back on the controller's owner once <em>all</em> shards have answered; with the first failure if one failed
     * (the change is committed all the same; the controller logs it and answers). Order per subscriber is the order of calls.
     */
    void publish(MetadataImage image, Callback<Void> applied);
}
