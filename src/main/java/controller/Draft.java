package controller;

import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataDelta;
import metadata.MetadataImage;

/** Records under preparation and the image they would make, so that later parts of a request see earlier ones. Changes nothing outside. */
final class Draft {

    private final List<MetadataRecord> records = new ArrayList<>();
    private MetadataImage image;

    Draft(MetadataImage image) {
        this.image = image;
    }

    MetadataImage image() {
        return image;
    }

    List<MetadataRecord> records() {
        return records;
    }

    /** Adds records that belong together. */
    void add(List<MetadataRecord> more) {
        MetadataDelta delta = new MetadataDelta(image);
        for (MetadataRecord record : more) {
            delta.apply(record, image.version());
        }
        image = delta.image(image.version());
        records.addAll(more);
    }

    <T> Decision<T> decide(T answer) {
        return new Decision<>(List.copyOf(records), answer);
    }
}
