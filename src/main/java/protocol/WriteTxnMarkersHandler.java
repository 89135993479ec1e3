package protocol;

import common.Callback;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerPartitionResult;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerResult;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.MarkerService;
import services.MarkerService.Marker;

/** Writes the ends of transactions, for coordinators and for admins who end one that hangs. */
public final class WriteTxnMarkersHandler implements ApiHandler {
    private final MarkerService service;

    public WriteTxnMarkersHandler(MarkerService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.WRITE_TXN_MARKERS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        WriteTxnMarkersResponseData response = new WriteTxnMarkersResponseData();
        List<Marker> markers = new ArrayList<>();
        List<WritableTxnMarkerPartitionResult> awaited = new ArrayList<>();
        for (WritableTxnMarker each : ((WriteTxnMarkersRequestData) message).markers()) {
            if (each.topics().stream()
                    .allMatch(topic -> topic.partitionIndexes().isEmpty())) {
                // Nothing to write: as Kafka, it is left out of the answer.
                continue;
            }
            WritableTxnMarkerResult result = new WritableTxnMarkerResult().setProducerId(each.producerId());
            response.markers().add(result);
            for (WritableTxnMarkerTopic topic : each.topics()) {
                WritableTxnMarkerTopicResult answers = new WritableTxnMarkerTopicResult().setName(topic.name());
                result.topics().add(answers);
                for (int partition : topic.partitionIndexes()) {
                    WritableTxnMarkerPartitionResult answer =
                            new WritableTxnMarkerPartitionResult().setPartitionIndex(partition);
                    answers.partitions().add(answer);
                    awaited.add(answer);
                    markers.add(new Marker(
                            new TopicPartition(topic.name(), partition),
                            each.producerId(),
                            each.producerEpoch(),
                            each.transactionResult(),
                            each.coordinatorEpoch(),
                            each.transactionVersion()));
                }
            }
        }
        service.write(context.image(), markers, (errors, failure) -> {
            for (int i = 0; i < awaited.size(); i++) {
                awaited.get(i).setErrorCode(errors.get(i).code());
            }
            respond.succeed(response);
        });
    }
}
