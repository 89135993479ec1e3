package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * WriteTxnMarkers that come again, late, as from another node's coordinator whose connection has died: the same ends of the same transactions, which must have no
 * effect (rules T7, T12). Ends of the first protocol name no transaction, so those come only when their epoch is past.
 */
final class SimTxnGhosts implements SimClient {
    private static final int MOST = 60;
    private static final short FIRST = 0;
    private static final short SECOND = 2;

    private final SimNet net;
    private final SimRandom random;
    private final int groupPartitions;
    private final SimLink link;
    /** By producer, the newest that any partition has shown. */
    private final Map<Long, Short> epochs = new LinkedHashMap<>();

    private boolean working;
    private int planned;

    private record Ghost(SimTxnEntry marker, SimTxnPartition partition, SimTxn of, short version) {}

    /**
     * @param haunting whether there are any
     * @param groupPartitions how many keep groups
     */
    SimTxnGhosts(SimNet net, SimRandom random, boolean haunting, int groupPartitions) {
        this.net = net;
        this.random = random;
        this.working = haunting;
        this.groupPartitions = groupPartitions;
        this.link = new SimLink(net, random, "txn-ghosts", () -> {});
    }

    @Override
    public void start() {
        if (working) {
            link.connect();
        }
    }

    @Override
    public void quiesce() {
        working = false;
    }

    @Override
    public String unfinished() {
        return null;
    }

    @Override
    public void stop() {
        working = false;
        link.stop();
    }

    /**
     * A reader has come to it.
     *
     * @param last the record before it there of the same producer; null when that is not known
     */
    void saw(SimTxnPartition partition, SimTxnEntry entry, SimTxnEntry last) {
        if (!working) {
            return;
        }
        epochs.merge(entry.producerId(), entry.producerEpoch(), (a, b) -> a > b ? a : b);
        if (entry.isData() || last == null || planned == MOST || !random.chance(0.2)) {
            return;
        }
        planned++;
        short version = entry.producerEpoch() > last.producerEpoch() ? SECOND : FIRST;
        Ghost ghost = new Ghost(entry, partition, partition.of(last.text()), version);
        int delay = 1 + random.below(random.chance(0.5) ? 60 : 5_000);
        net.scheduler().after(delay * SimScheduler.MILLI, null, "late-marker", () -> send(ghost));
    }

    private void send(Ghost ghost) {
        SimTxnEntry marker = ghost.marker;
        boolean told = ghost.version == SECOND || epochs.get(marker.producerId()) > marker.producerEpoch();
        if (!working || !told || !link.up()) {
            return;
        }
        List<WritableTxnMarkerTopic> topics = new ArrayList<>();
        topics.add(topic(ghost.partition.topic, ghost.partition.partition));
        String group = ghost.of.group;
        if (group != null) {
            int place = (group.hashCode() & Integer.MAX_VALUE) % groupPartitions;
            topics.add(topic(Topic.GROUP_METADATA_TOPIC_NAME, place));
        }
        WriteTxnMarkersRequestData request = new WriteTxnMarkersRequestData();
        request.markers()
                .add(new WritableTxnMarker()
                        .setProducerId(marker.producerId())
                        .setProducerEpoch(marker.producerEpoch())
                        .setTransactionResult(marker.kind() == SimTxnEntry.Kind.COMMIT)
                        .setCoordinatorEpoch(marker.coordinatorEpoch())
                        .setTransactionVersion((byte) ghost.version)
                        .setTopics(topics));
        net.count("txn.late-markers");
        link.send(ApiKeys.WRITE_TXN_MARKERS, ghost.version == SECOND ? (short) 2 : 1, request, 30_000, true, answer -> {
            if (answer != null) {
                judge(answer, marker);
            }
        });
    }

    private static WritableTxnMarkerTopic topic(String name, int partition) {
        return new WritableTxnMarkerTopic().setName(name).setPartitionIndexes(List.of(partition));
    }

    private void judge(ApiMessage answer, SimTxnEntry marker) {
        var result = ((WriteTxnMarkersResponseData) answer).markers().get(0);
        result.topics()
                .forEach(topic -> topic.partitions().forEach(each -> {
                    Errors error = Errors.forCode(each.errorCode());
                    net.count("txn-late-marker." + error);
                    boolean known = error == Errors.NONE
                            || error == Errors.INVALID_PRODUCER_EPOCH
                            || error == Errors.TRANSACTION_COORDINATOR_FENCED
                            || SimOutcomes.retriable(error);
                    if (!known) {
                        throw new RuleBroken(
                                "V3 errors", error + " for a late " + marker.text() + " at " + topic.name());
                    }
                }));
    }
}
