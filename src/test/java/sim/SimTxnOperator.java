package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Whoever looks after topics that are not durable: a power cut takes ends of transactions from them whose coordinators have done with them. What is open in a
 * partition before and after no coordinator had it open is shown and can be ended, as with the command line (rule T11).
 */
final class SimTxnOperator implements SimClient {
    private final SimNet net;
    private final SimRandom random;
    private final List<SimTxnPartition> partitions;
    private final SimLink link;
    /** By place and producer, first offsets of what was open; and whose transactions were open when they were asked for after that. */
    private Map<String, Long> before = new LinkedHashMap<>();

    private Set<Long> known;
    private boolean stopped;

    SimTxnOperator(SimNet net, SimRandom random, List<SimTxnPartition> partitions) {
        this.net = net;
        this.random = random;
        this.partitions = partitions.stream().filter(each -> !each.durable).toList();
        this.link = new SimLink(net, random, "txn-operator", () -> {});
    }

    @Override
    public void start() {
        if (!partitions.isEmpty()) {
            link.connect();
            tick();
        }
    }

    @Override
    public void quiesce() {
        // Goes on: readers wait for it.
    }

    @Override
    public String unfinished() {
        return null;
    }

    @Override
    public void stop() {
        stopped = true;
        link.stop();
    }

    private void tick() {
        net.scheduler().after((500 + random.below(1_000)) * SimScheduler.MILLI, null, "txn-operator", () -> {
            if (!stopped && link.up()) {
                look();
            } else if (!stopped) {
                tick();
            }
        });
    }

    private void look() {
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        for (SimTxnPartition each : partitions) {
            request.topics().add(new TopicRequest().setName(each.topic).setPartitionIndexes(List.of(each.partition)));
        }
        link.send(ApiKeys.DESCRIBE_PRODUCERS, (short) 0, request, 10_000, true, answer -> {
            if (answer == null) {
                tick();
                return;
            }
            Map<String, Long> open = new LinkedHashMap<>();
            List<WritableTxnMarker> ends = new ArrayList<>();
            ((DescribeProducersResponseData) answer)
                    .topics()
                    .forEach(topic -> topic.partitions().forEach(each -> shown(topic.name(), each, open, ends)));
            before = open;
            known = null;
            if (ends.isEmpty()) {
                list();
            } else {
                abort(ends);
            }
        });
    }

    private void shown(String topic, PartitionResponse found, Map<String, Long> open, List<WritableTxnMarker> ends) {
        for (ProducerState each : found.activeProducers()) {
            if (each.currentTxnStartOffset() < 0) {
                continue;
            }
            String place = topic + "-" + found.partitionIndex() + " producer " + each.producerId();
            open.put(place, each.currentTxnStartOffset());
            Long first = before.get(place);
            if (known != null
                    && !known.contains(each.producerId())
                    && first != null
                    && first == each.currentTxnStartOffset()) {
                ends.add(new WritableTxnMarker()
                        .setProducerId(each.producerId())
                        .setProducerEpoch((short) each.producerEpoch())
                        .setCoordinatorEpoch(Math.max(0, each.coordinatorEpoch()))
                        .setTopics(List.of(new WritableTxnMarkerTopic()
                                .setName(topic)
                                .setPartitionIndexes(List.of(found.partitionIndex())))));
            }
        }
    }

    private void list() {
        if (!link.up()) {
            tick();
            return;
        }
        ListTransactionsRequestData request = new ListTransactionsRequestData();
        link.send(ApiKeys.LIST_TRANSACTIONS, (short) 0, request, 10_000, true, answer -> {
            if (answer != null) {
                listed((ListTransactionsResponseData) answer);
            }
            tick();
        });
    }

    private void listed(ListTransactionsResponseData answer) {
        if (answer.errorCode() != Errors.NONE.code()) {
            return;
        }
        known = new TreeSet<>();
        for (var each : answer.transactionStates()) {
            boolean idle = each.transactionState().equals("Empty")
                    || each.transactionState().startsWith("Complete");
            if (!idle) {
                known.add(each.producerId());
            }
        }
    }

    private void abort(List<WritableTxnMarker> ends) {
        if (!link.up()) {
            tick();
            return;
        }
        net.count("txn.hanging");
        WriteTxnMarkersRequestData request = new WriteTxnMarkersRequestData().setMarkers(ends);
        link.send(ApiKeys.WRITE_TXN_MARKERS, (short) 1, request, 10_000, true, answer -> {
            if (answer != null) {
                ((WriteTxnMarkersResponseData) answer)
                        .markers()
                        .forEach(marker -> marker.topics()
                                .forEach(topic -> topic.partitions()
                                        .forEach(each -> net.count("txn-abort." + Errors.forCode(each.errorCode())))));
            }
            tick();
        });
    }
}
