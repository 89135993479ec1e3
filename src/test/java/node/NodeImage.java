package node;

import common.Callback;
import common.Mailboxes;
import common.OwnerId;
import metadata.MetadataImage;

/** What the connections of a node's loop 0 know of the cluster. */
public final class NodeImage {
    private NodeImage() {}

    public static void ask(Mailboxes mailboxes, Callback<MetadataImage> done) {
        mailboxes.<LoopImage, MetadataImage>call(
                new OwnerId<>(LoopImage.class, 0), (loop, reply) -> reply.succeed(loop.get()), 60_000, done);
    }
}
