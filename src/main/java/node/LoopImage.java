package node;

import metadata.MetadataImage;

/** The image that the connections of one loop see; replaced by messages from the controller. Confined to its loop. */
final class LoopImage {
    private MetadataImage image;

    LoopImage(MetadataImage first) {
        this.image = first;
    }

    void update(MetadataImage next) {
        image = next;
    }

    MetadataImage get() {
        return image;
    }
}
