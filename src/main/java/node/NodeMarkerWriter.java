package node;

import common.Callback;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerResult;
import org.apache.kafka.common.protocol.Errors;
import services.MarkerService;
import transaction.MarkerWriter;

/**
 * Writes markers where their partitions are led: on this node, or by another broker. What is to go to one broker in one turn goes in one request. A broker
 * that does not answer counts as one that does not lead: whoever wants the marker written tries again. On the coordinator's loop.
 */
final class NodeMarkerWriter implements MarkerWriter {
    private static final int TIMEOUT_MILLIS = 30_000;

    private final MarkerService service;
    private final BrokerLines others;
    private final Consumer<Runnable> soon;
    /** By broker, what goes to it at the end of this turn. */
    private final Map<Integer, List<Part>> parts = new TreeMap<>();

    /** @param soon runs a task on this loop, never inside the caller's stack */
    NodeMarkerWriter(MarkerService service, BrokerLines others, Consumer<Runnable> soon) {
        this.service = service;
        this.others = others;
        this.soon = soon;
    }

    /** One marker for some of its partitions; errors go to their places in the whole answer. */
    private record Part(Marker marker, List<TopicPartition> partitions, List<Integer> places, Answers<Errors> all) {
        void refused() {
            places.forEach(each -> all.put(each, Errors.NOT_LEADER_OR_FOLLOWER));
        }

        void answered(Map<TopicPartition, Errors> errors) {
            for (int i = 0; i < places.size(); i++) {
                all.put(places.get(i), errors.getOrDefault(partitions.get(i), Errors.NOT_LEADER_OR_FOLLOWER));
            }
        }
    }

    @Override
    public void write(Marker marker, List<TopicPartition> partitions, Callback<List<Errors>> done) {
        Answers<Errors> all = new Answers<>(partitions.size(), done);
        Map<Integer, Part> byLeader = new TreeMap<>();
        for (int i = 0; i < partitions.size(); i++) {
            TopicPartition each = partitions.get(i);
            int leader = others.otherLeader(each.topic(), each.partition());
            Part part = byLeader.computeIfAbsent(
                    leader, none -> new Part(marker, new ArrayList<>(), new ArrayList<>(), all));
            part.partitions.add(each);
            part.places.add(i);
        }
        Part mine = byLeader.remove(BrokerLines.NOBODY);
        byLeader.forEach(this::gather);
        if (mine != null) {
            writeHere(mine);
        }
    }

    private void writeHere(Part part) {
        Marker marker = part.marker;
        List<MarkerService.Marker> markers = part.partitions.stream()
                .map(each -> new MarkerService.Marker(
                        each,
                        marker.producerId(),
                        marker.producerEpoch(),
                        marker.commit(),
                        marker.coordinatorEpoch(),
                        marker.transactionVersion()))
                .toList();
        service.write(others.image(), markers, (errors, failure) -> {
            for (int i = 0; i < errors.size(); i++) {
                part.all.put(part.places.get(i), errors.get(i));
            }
        });
    }

    private void gather(int broker, Part part) {
        List<Part> waiting = parts.computeIfAbsent(broker, none -> new ArrayList<>());
        waiting.add(part);
        if (waiting.size() == 1) {
            soon.accept(() -> send(broker, parts.remove(broker)));
        }
    }

    private void send(int broker, List<Part> sent) {
        WriteTxnMarkersRequestData request = new WriteTxnMarkersRequestData();
        sent.forEach(each -> request.markers().add(written(each)));
        others.send(broker, request, WriteTxnMarkersResponseData.class, TIMEOUT_MILLIS, (answer, failure) -> {
            // An answer has its markers in the order of the request.
            if (failure != null || answer.markers().size() != sent.size()) {
                sent.forEach(Part::refused);
                return;
            }
            for (int i = 0; i < sent.size(); i++) {
                sent.get(i).answered(errors(answer.markers().get(i)));
            }
        });
    }

    private static WritableTxnMarker written(Part part) {
        Map<String, WritableTxnMarkerTopic> topics = new LinkedHashMap<>();
        for (TopicPartition each : part.partitions) {
            topics.computeIfAbsent(each.topic(), name -> new WritableTxnMarkerTopic().setName(name))
                    .partitionIndexes()
                    .add(each.partition());
        }
        return new WritableTxnMarker()
                .setProducerId(part.marker.producerId())
                .setProducerEpoch(part.marker.producerEpoch())
                .setTransactionResult(part.marker.commit())
                .setCoordinatorEpoch(part.marker.coordinatorEpoch())
                .setTransactionVersion((byte) part.marker.transactionVersion())
                .setTopics(new ArrayList<>(topics.values()));
    }

    private static Map<TopicPartition, Errors> errors(WritableTxnMarkerResult result) {
        Map<TopicPartition, Errors> errors = new LinkedHashMap<>();
        result.topics()
                .forEach(topic -> topic.partitions()
                        .forEach(each -> errors.put(
                                new TopicPartition(topic.name(), each.partitionIndex()),
                                Errors.forCode(each.errorCode()))));
        return errors;
    }
}
