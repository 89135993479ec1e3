package node;

import common.Callback;
import java.util.List;
import java.util.function.Supplier;
import metadata.MetadataImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import services.MarkerService;
import transaction.MarkerWriter;

/** Writes markers to the partitions of this node. On the coordinator's loop. */
final class NodeMarkerWriter implements MarkerWriter {
    private final MarkerService service;
    private final Supplier<MetadataImage> image;

    /** @param image the newest that this loop has */
    NodeMarkerWriter(MarkerService service, Supplier<MetadataImage> image) {
        this.service = service;
        this.image = image;
    }

    @Override
    public void write(Marker marker, List<TopicPartition> partitions, Callback<List<Errors>> done) {
        List<MarkerService.Marker> markers = partitions.stream()
                .map(each -> new MarkerService.Marker(
                        each,
                        marker.producerId(),
                        marker.producerEpoch(),
                        marker.commit(),
                        marker.coordinatorEpoch(),
                        marker.transactionVersion()))
                .toList();
        service.write(image.get(), markers, done);
    }
}
