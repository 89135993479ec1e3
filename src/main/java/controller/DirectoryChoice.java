package controller;

import java.util.LinkedHashMap;
import java.util.Map;
import metadata.DirectoryId;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;

/** Which of a broker's log directories gets a new replica (KIP-858): the one that holds the fewest. For one request: what it has chosen counts. */
final class DirectoryChoice {

    private final MetadataImage image;
    private final Map<Uuid, Integer> added = new LinkedHashMap<>();

    DirectoryChoice(MetadataImage image) {
        this.image = image;
    }

    Uuid next(int broker) {
        Uuid least = DirectoryId.UNASSIGNED;
        int held = Integer.MAX_VALUE;
        for (Uuid each : image.broker(broker).logDirs()) {
            int holds = image.replicasIn(each) + added.getOrDefault(each, 0);
            if (holds < held) {
                least = each;
                held = holds;
            }
        }
        added.merge(least, 1, Integer::sum);
        return least;
    }
}
